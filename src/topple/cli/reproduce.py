"""`topple reproduce`: reproduced numbers beside the published ones."""

from __future__ import annotations

import typer

from topple.cli import reproduce_iphyre, reproduce_phyre
from topple.cli.groups import HelpfulGroup

app = typer.Typer(cls=HelpfulGroup, add_completion=False)
app.add_typer(reproduce_phyre.app)
app.add_typer(reproduce_iphyre.app)


@app.callback()
def _group() -> None:
    """Reproduce published tables and figures and compare them with the published numbers.

    An interrupted command resumes where it stopped.

    Examples:
      topple reproduce tableA4

      topple reproduce table2 --agents rand
    """
