"""How commands end."""

from __future__ import annotations

import typer

CHECK_FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130  # what shells expect after Ctrl-C


def fail(message: str) -> None:
    """Say in one line on the error stream what is wrong."""
    typer.echo(f"error: {' '.join(message.split())}", err=True)
