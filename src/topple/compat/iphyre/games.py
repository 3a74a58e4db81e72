"""`GAMES` and `PARAS` of the original: names and layouts as plain lists.

An entry added to `PARAS` can be played by its name, as in the original. Colours may be mixed and
blocks may cross: what an entry has to keep is only what the physics needs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from topple.iphyre.engine.batch import MAX_BODIES, Scene
from topple.iphyre.engine.scene import check_scene
from topple.iphyre.game import BLOCK_RADIUS, MAX_ELIMINABLE, Game
from topple.iphyre.games import PUBLISHED
from topple.iphyre.split import PUBLISHED_SPLITS

Blocks = Sequence[Sequence[Sequence[float]]]
Balls = Sequence[Sequence[float]]

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


PARAS: dict[Hashable, dict[str, Any]] = {game.name: _layout(game) for game in PUBLISHED}
GAMES: list[str] = [game.name for game in PUBLISHED]


def layout_of(name: Hashable) -> dict[str, Any]:
    """An entry of `PARAS`.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in PARAS:
        raise KeyError(f"no game is named {name!r}; add it to PARAS or use a name of GAMES")
    return PARAS[name]


def scene_of(name: Hashable, blocks: Blocks, balls: Balls) -> Scene:
    """What the physics sees of a game, whatever its colours.

    Args:
        name: the entry of `PARAS` that tells what moves and what is joined.
        blocks: `[[x1, y1], [x2, y2]]` of each.
        balls: `[x, y, radius]` of each.

    Raises:
        AssertionError: the lists do not fit together, as in the original.
        ValueError: a number is not finite, a radius too small, or a joint names no body.
    """
    layout, bodies = layout_of(name), len(blocks) + len(balls)
    lists = {word: list(layout[word]) for word in ("eli", "dynamic")}
    for word, entries in lists.items():
        if not balls or len(entries) != bodies:
            raise AssertionError(
                f"game {name!r}: {word} has {len(entries)} entries for {len(blocks)} blocks and "
                f"{len(balls)} balls; give one for each, and at least one ball"
            )
    moves = [bool(entry) for entry in lists["dynamic"][: len(blocks)]]
    scene = Scene(
        ends=(
            *((float(x1), float(y1), float(x2), float(y2)) for (x1, y1), (x2, y2) in blocks),
            *((float(ball[0]), float(ball[1])) * 2 for ball in balls),
        ),
        radii=(*(BLOCK_RADIUS for _ in blocks), *(float(ball[2]) for ball in balls)),
        is_ball=(*(False for _ in blocks), *(True for _ in balls)),
        is_dynamic=(*moves, *(True for _ in balls)),
        pins=_pairs(name, "joint", bodies),
        springs=_pairs(name, "spring", bodies),
    )
    check_scene(scene, f"game {name!r}")
    return scene


def _pairs(name: Hashable, word: str, bodies: int) -> tuple[tuple[int, int], ...]:
    pairs = tuple((int(a), int(b)) for a, b in layout_of(name).get(word) or ())
    for pair in pairs:
        if not all(0 <= body < bodies for body in pair):
            raise ValueError(f"game {name!r}: {word} {pair} names no two of {bodies} bodies")
    return pairs
