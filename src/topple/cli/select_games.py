"""I-PHYRE rules and times that options name."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from topple.iphyre.engine.batch import Engine
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules

OnEngine = Annotated[
    Engine,
    typer.Option(
        "--engine",
        help="Physics engine: native, or pymunk, the slower reference with identical results.",
    ),
]


def rules_at(hz: int, engine: Engine = Engine.NATIVE) -> Rules:
    """Return the published rules with this number of ticks per second.

    Raises:
        ValueError: There are no published rules with this number.
    """
    for rules in (AT_60_HZ, AT_10_HZ):
        if rules.hz == hz:
            return replace(rules, engine=engine)
    raise ValueError(f"--hz is {hz}; the benchmark runs at 10 or 60 ticks per second")


def parse_times(text: str) -> list[float | None]:
    """Read comma-separated seconds, with - for never.

    Raises:
        ValueError: A word is neither a number nor -.
    """
    times: list[float | None] = []
    for word in (word.strip() for word in text.split(",") if word.strip()):
        try:
            times.append(None if word == "-" else float(word))
        except ValueError:
            raise ValueError(f"{word!r} is not a time; give seconds, or - for never") from None
    return times
