"""Splits: the one definition of which games belong together."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from topple.iphyre.game import Game
from topple.iphyre.games import ALL, BY_SPLIT, PUBLISHED, game_named

T = TypeVar("T")


class Split(Enum):
    """Ten games each. Agents train on BASIC; UNSEEN_BASIC is outside the forty."""

    BASIC = "basic"
    NOISY = "noisy"
    COMPOSITIONAL = "compositional"
    MULTI_BALL = "multi_ball"
    UNSEEN_BASIC = "unseen_basic"

    @property
    def games(self) -> tuple[Game, ...]:
        """The games, in the published order."""
        return BY_SPLIT[self.value]


#: Those of the forty games.
PUBLISHED_SPLITS = (Split.BASIC, Split.NOISY, Split.COMPOSITIONAL, Split.MULTI_BALL)


def split_of(name: str) -> Split | None:
    """The split of a game, or None for a game of the user's own."""
    return next((s for s in Split if any(game.name == name for game in s.games)), None)


def by_split(values: Mapping[str, T]) -> dict[Split, dict[str, T]]:
    """Values of games by their names, for each split that has any."""
    found = {s: {g.name: values[g.name] for g in s.games if g.name in values} for s in Split}
    return {split: own for split, own in found.items() if own}


def split_named(name: str) -> Split:
    """A split by its name; a hyphen will do for an underscore.

    Raises:
        ValueError: no split has that name.
    """
    try:
        return Split(name.lower().replace("-", "_"))
    except ValueError:
        names = ", ".join(split.value for split in Split)
        raise ValueError(f"no split is named {name!r}; the splits are {names}") from None


def chosen_games(text: str | None) -> list[Game]:
    """Return the games of comma-separated names of games and splits; `all` means all fifty."""
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
