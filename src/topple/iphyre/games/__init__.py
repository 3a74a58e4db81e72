"""The published games: forty in four splits, and ten unseen basic ones."""

from __future__ import annotations

from topple.iphyre.game import Game, GameError
from topple.iphyre.games import basic, compositional, multi_ball, noisy, unseen_basic

#: The forty, split after split.
PUBLISHED: tuple[Game, ...] = (
    *basic.GAMES,
    *noisy.GAMES,
    *compositional.GAMES,
    *multi_ball.GAMES,
)
ALL: tuple[Game, ...] = (*PUBLISHED, *unseen_basic.GAMES)  # with the ten outside them

_BY_NAME = {game.name: game for game in ALL}


def game_named(name: str) -> Game:
    """A published or unseen game by its name.

    Raises:
        GameError: no game has that name.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise GameError(
            f"no game is named {name!r}; `topple iphyre games` lists the {len(ALL)} names"
        ) from None


__all__ = ["ALL", "PUBLISHED", "game_named"]
