"""Exit statuses and the error line."""

from __future__ import annotations

import typer

CHECK_FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130  # what shells expect after Ctrl-C


def fail(message: str) -> None:
    """Print an error as one line on standard error."""
    typer.echo(f"error: {' '.join(message.split())}", err=True)
