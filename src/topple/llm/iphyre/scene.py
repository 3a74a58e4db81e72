"""An I-PHYRE game in words: a name for every body, and a line of JSON about it.

Lengths are pixels of the 600 x 600 scene, y down. Gray blocks are numbered from 1 in the order
of the game, which is how answers speak of them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.iphyre.episode import Episode
from topple.iphyre.game import BLOCK_RADIUS, Game

Floats = npt.NDArray[np.float64]


def body_names(game: Game) -> list[str]:
    """A name for each body, such as "gray block 2" or "ball 1"."""
    kinds = [f"{block.kind.value} block" for block in game.blocks] + ["ball"] * len(game.balls)
    numbers: Counter[str] = Counter()
    names = []
    for kind in kinds:
        numbers[kind] += 1
        names.append(f"{kind} {numbers[kind]}")
    return names


def block_ends(game: Game, poses: Floats) -> tuple[Floats, Floats]:
    """[..., bodies, 2] the two ends of each body's middle line; a ball's are its centre.

    Args:
        game: whose bodies.
        poses: [..., bodies, 3] x, y and angle of each body.
    """
    ends = np.array(game.scene.ends)
    half = (ends[:, 2:] - ends[:, :2]) / 2
    angle, centre = poses[..., 2], poses[..., :2]
    cosine, sine = np.cos(angle), np.sin(angle)
    turned = np.stack(
        [half[:, 0] * cosine - half[:, 1] * sine, half[:, 0] * sine + half[:, 1] * cosine], axis=-1
    )
    return centre - turned, centre + turned


def game_lines(
    game: Game,
    poses: Floats | None = None,
    present: Sequence[bool] | npt.NDArray[np.bool_] | None = None,
    velocities: Floats | None = None,
) -> str:
    """One line of JSON for each body that is there, then for each stick and spring.

    Args:
        game: what is played.
        poses: [bodies, 3] where the bodies are; at the start by default.
        present: [bodies] which are still there; all by default.
        velocities: [bodies, 2 or more] told of what moves, if given.
    """
    names = body_names(game)
    if poses is None:
        poses = np.array([(*game.centre(body), 0.0) for body in range(game.bodies)])
    here = [True] * game.bodies if present is None else [bool(there) for there in present]
    starts, stops = block_ends(game, poses)
    lines = []
    for body in range(game.bodies):
        if not here[body]:
            continue
        about: dict[str, Any] = {"name": names[body]}
        if body < len(game.blocks):
            about["ends"] = [_rounded(starts[body]), _rounded(stops[body])]
            about["thickness"] = 2 * BLOCK_RADIUS
        else:
            about["centre"] = _rounded(poses[body, :2])
            about["radius"] = game.balls[body - len(game.blocks)].radius
        about["moves"] = bool(game.scene.is_dynamic[body])
        about["removable"] = body in game.eliminable
        if velocities is not None and about["moves"]:
            about["velocity"] = _rounded(velocities[body, :2])
        lines.append(json.dumps(about))
    for word, pairs in (("stick", game.sticks), ("spring", game.springs)):
        for one, two in pairs:
            if here[one] and here[two]:
                lines.append(json.dumps({"name": word, "joins": [names[one], names[two]]}))
    return "\n".join(lines)


def episode_lines(episode: Episode) -> str:
    """The state an episode is in, with velocities."""
    world = episode.world
    return game_lines(episode.game, world.poses(), world.present, world.velocities())


def _rounded(point: Floats) -> list[float]:
    # Far away is far enough: what left the scene may fall for ever.
    numbers = (number if math.isfinite(number) else 1e6 for number in point.tolist())
    return [round(number, 1) + 0.0 for number in numbers]  # no minus zero
