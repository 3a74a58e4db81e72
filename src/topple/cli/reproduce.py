"""`topple reproduce`: reproduced numbers beside the published ones."""

from __future__ import annotations

from topple.cli import reproduce_iphyre, reproduce_phyre
from topple.cli.groups import App

app = App(
    """Reproduce published tables and figures and compare them with the published numbers.

    An interrupted command resumes where it stopped.

    Examples:
      topple reproduce tableA4
      topple reproduce table2 --agents rand
    """
)
app.add_typer(reproduce_phyre.app)
app.add_typer(reproduce_iphyre.app)
