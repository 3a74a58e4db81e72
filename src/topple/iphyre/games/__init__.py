"""The published games: forty in four splits, and ten unseen basic ones.

They are plain data in the format of users' own games (:mod:`topple.iphyre.game_file`), a file per
split. The layouts are facts taken from I-PHYRE (Li, Wu, Zhang and Zhu, ICLR 2024).
"""

from __future__ import annotations

import difflib
from pathlib import Path

from topple.iphyre.game import Game, GameError
from topple.iphyre.game_file import load_games

_SPLITS = ("basic", "noisy", "compositional", "multi_ball", "unseen_basic")

#: The games of each split, by its name.
BY_SPLIT: dict[str, tuple[Game, ...]] = {
    split: load_games(Path(__file__).with_name(f"{split}.json")) for split in _SPLITS
}
ALL: tuple[Game, ...] = tuple(game for games in BY_SPLIT.values() for game in games)
#: The forty, split after split.
PUBLISHED: tuple[Game, ...] = ALL[: -len(BY_SPLIT["unseen_basic"])]

_BY_NAME = {game.name: game for game in ALL}


def game_named(name: str) -> Game:
    """A published or unseen game by its name.

    Raises:
        GameError: no game has that name.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        close = difflib.get_close_matches(name, _BY_NAME, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise GameError(
            f"no game is named {name!r}; {hint}`topple iphyre games` lists the {len(ALL)} names"
        ) from None
