"""Options that several I-PHYRE commands take."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from topple.iphyre.engine.batch import Engine
from topple.iphyre.game import Game
from topple.iphyre.games import ALL, PUBLISHED, game_named
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.iphyre.split import Split

OnEngine = Annotated[
    Engine, typer.Option("--engine", help="native, or pymunk: the slow reference, same bits.")
]


def chosen_games(text: str | None) -> list[Game]:
    """Games named by commas, each a game, a split, or `all` fifty."""
    if text is None:
        return list(PUBLISHED)
    splits = {split.value: split for split in Split}
    chosen: list[Game] = []
    for word in (word.strip() for word in text.split(",")):
        if word == "all":
            chosen.extend(ALL)
        elif word in splits:
            chosen.extend(splits[word].games)
        else:
            chosen.append(game_named(word))
    return list(dict.fromkeys(chosen))


def rules_at(hz: int, engine: Engine = Engine.NATIVE) -> Rules:
    """The published rules of a rate, on an engine.

    Raises:
        ValueError: nothing was published at that rate.
    """
    for rules in (AT_60_HZ, AT_10_HZ):
        if rules.hz == hz:
            return replace(rules, engine=engine)
    raise ValueError(f"{hz} ticks a second; the benchmark is played at 60 or at 10")


def parse_times(text: str) -> list[float | None]:
    """Seconds by commas, with - for never.

    Raises:
        ValueError: a word is neither.
    """
    times: list[float | None] = []
    for word in (word.strip() for word in text.split(",") if word.strip()):
        try:
            times.append(None if word == "-" else float(word))
        except ValueError:
            raise ValueError(f"{word!r} is not a time; give seconds, or - for never") from None
    return times
