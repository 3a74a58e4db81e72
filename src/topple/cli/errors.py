"""Exit statuses, and errors as one line on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

CHECK_FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130  # what shells expect after Ctrl-C


def fail(message: str) -> None:
    """Print an error as one line on standard error."""
    typer.echo(f"error: {' '.join(message.split())}", err=True)


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn errors that a user can fix into a message and exit status 2."""
    # Imported here because `topple --help` loads no engine.
    from topple.iphyre.engine.world import EngineError
    from topple.phyre.engine.cuda_device import CudaError

    try:
        yield
    except (ValueError, LookupError, OSError, CudaError, EngineError) as error:
        fail(_message(error))
        raise typer.Exit(WRONG_INPUT) from None


def _message(error: Exception) -> str:
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Name the missing package and its extra where the imports of the block fail."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{what} needs the package {error.name}: pip install 'topple[{extra}]'"
        ) from None


@contextmanager
def resumable() -> Iterator[None]:
    """After Ctrl-C, say that the same command resumes the work."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted; run the same command again to resume", err=True)
        raise typer.Exit(INTERRUPTED) from None
