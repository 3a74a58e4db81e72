"""`GAMES` and `PARAS` of the original: names and layouts as plain lists.

An entry added to `PARAS` can be played by its name, as in the original.
"""

from __future__ import annotations

from typing import Any

from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.game import MAX_ELIMINABLE, Ball, Block, Game, GameError, Kind
from topple.iphyre.games import PUBLISHED
from topple.iphyre.split import PUBLISHED_SPLITS

MAX_OBJ_NUM = MAX_BODIES
MAX_ELI_OBJ_NUM = MAX_ELIMINABLE
FOLD_LIST = [split.value for split in PUBLISHED_SPLITS]


def _layout(game: Game) -> dict[str, Any]:
    layout: dict[str, Any] = {
        "block": [[list(block.start), list(block.end)] for block in game.blocks],
        "ball": [[float(ball.x), float(ball.y), float(ball.radius)] for ball in game.balls],
        "eli": [int(body in game.eliminable) for body in range(game.bodies)],
        "dynamic": [int(moves) for moves in game.scene.is_dynamic],
    }
    if game.sticks:
        layout["joint"] = [list(pair) for pair in game.sticks]
    if game.springs:
        layout["spring"] = [list(pair) for pair in game.springs]
    return layout


PARAS: dict[str, dict[str, Any]] = {game.name: _layout(game) for game in PUBLISHED}
GAMES: list[str] = list(PARAS)


def game_of(name: str) -> Game:
    """The game that an entry of `PARAS` describes.

    Raises:
        GameError: there is no such entry, or it breaks a rule.
    """
    if name not in PARAS:
        raise GameError(f"no game is named {name!r}; add it to PARAS or use a name of GAMES")
    layout = PARAS[name]
    blocks = []
    for i, (start, end) in enumerate(layout["block"]):
        gray, blue = bool(layout["eli"][i]), bool(layout["dynamic"][i])
        if gray and blue:
            raise GameError(f"game {name!r}: block {i} cannot be eliminable and dynamic")
        kind = Kind.GRAY if gray else Kind.BLUE if blue else Kind.BLACK
        blocks.append(Block((start[0], start[1]), (end[0], end[1]), kind))
    return Game(
        name,
        "",
        tuple(blocks),
        tuple(Ball(*ball) for ball in layout["ball"]),
        tuple((a, b) for a, b in layout.get("joint", ())),
        tuple((a, b) for a, b in layout.get("spring", ())),
    )
