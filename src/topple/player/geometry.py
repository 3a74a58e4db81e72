"""Scenes, motion and thumbnails in the form the page draws them."""

from __future__ import annotations

import base64
import io
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from topple.iphyre.game import Game
from topple.iphyre.pictures import picture_game
from topple.phyre.engine.balls import with_balls
from topple.phyre.engine.request import STEPS_PER_SECOND
from topple.phyre.engine.result import AttemptResult
from topple.phyre.frames import draw_scene, start_poses
from topple.phyre.scene import Circle, Scene
from topple.phyre.scene.codec import scene_data
from topple.player.ids import OWN
from topple.player.models.base import Trajectory
from topple.player.models.iphyre import GameBody
from topple.player.models.phyre import PhyreScene, SceneBody

BALLS_TOUCH = 0.1  # px between two balls that still count as touching


def scene_model(scene: Scene) -> PhyreScene:
    """A PHYRE scene for the page: what of its JSON form is drawn."""
    bodies = scene_data(scene)["bodies"]
    return PhyreScene(
        width=scene.width,
        height=scene.height,
        bodies=[SceneBody(**{n: body[n] for n in SceneBody.model_fields}) for body in bodies],
        goal=None if scene.goal is None else (scene.goal.first, scene.goal.second),
    )


def game_geometry(game: Game) -> dict[str, Any]:
    """The fields of the model `GameGeometry` of a game."""
    scene = game.scene
    kinds = [block.kind.value for block in game.blocks] + ["ball"] * len(game.balls)
    bodies = [
        GameBody(kind=kind, ends=ends, radius=radius, dynamic=dynamic)
        for kind, ends, radius, dynamic in zip(
            kinds, scene.ends, scene.radii, scene.is_dynamic, strict=True
        )
    ]
    return {"bodies": bodies, "sticks": list(game.sticks), "springs": list(game.springs)}


def moving_bodies(game: Game) -> list[int]:
    """The bodies of a game that can move."""
    return [body for body, dynamic in enumerate(game.scene.is_dynamic) if dynamic]


def trajectory(
    poses: npt.NDArray[np.floating],
    bodies: list[int],
    fps: float,
    balls: npt.NDArray[np.floating] | None = None,
) -> Trajectory:
    """Pack the motion of some bodies; ``poses`` are [frames, bodies, 3] of all bodies."""
    chosen = np.ascontiguousarray(poses[:, bodies, :3], dtype="<f4")
    placed = [] if balls is None else [(x, y, radius) for x, y, radius in balls.tolist()]
    return Trajectory(
        fps=fps,
        frames=len(chosen),
        bodies=bodies,
        balls=placed,
        poses=base64.b64encode(chosen.tobytes()).decode("ascii"),
    )


def phyre_trajectory(scene: Scene, result: AttemptResult, stride: int) -> Trajectory:
    """The motion of a valid PHYRE attempt, its start included.

    Args:
        scene: where it happens, without the balls.
        result: with the states after every step, and the contacts.
        stride: steps between two frames.
    """
    assert result.states is not None
    whole = with_balls(scene, result.balls)
    states = result.states[::stride, : len(whole.bodies), :3]
    poses = np.concatenate([start_poses(whole)[None], states])
    moving = [place for place, body in enumerate(whole.bodies) if body.dynamic]
    packed = trajectory(poses, moving, STEPS_PER_SECOND / stride, result.balls)
    packed.touching = goal_intervals(scene, result)
    packed.hold_steps = 0 if scene.goal is None else scene.goal.hold_steps
    return packed


def goal_intervals(scene: Scene, result: AttemptResult) -> list[tuple[int, int]]:
    """The first and last step of each time in which the goal of an attempt holds.

    Two balls are compared by distance, as the engine does it; other bodies by their contacts,
    which are not reported while both bodies sleep.
    """
    states, contacts = result.states, result.contacts
    assert states is not None
    assert contacts is not None
    if scene.goal is None:
        return []
    pair = [scene.goal.first, scene.goal.second]
    shapes = [scene.bodies[body].shapes for body in pair]
    circles = [own[0] for own in shapes if len(own) == 1 and isinstance(own[0], Circle)]
    if len(circles) == len(pair):
        distance = np.hypot(*(states[:, pair[0], :2] - states[:, pair[1], :2]).T)
        holds = distance < sum(circle.radius for circle in circles) + BALLS_TOUCH
    else:
        holds = np.zeros(len(states), bool)
        bodies = np.sort(np.stack([contacts["body_a"], contacts["body_b"]], axis=1), axis=1)
        holds[contacts["step"][(bodies == np.sort(pair)).all(axis=1)]] = True
        asleep = (states[:, pair, 3:] == 0).all(axis=(1, 2))
        for step in np.flatnonzero(asleep & ~holds):
            holds[step] = step > 0 and holds[step - 1]
    edges = np.flatnonzero(np.diff(np.r_[False, holds, False].astype(np.int8)))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]


def thumbnail(name: str, drawn: Scene | Game, size: int) -> bytes:
    """A small PNG of a PHYRE scene or an I-PHYRE game.

    Only those of published ones are kept: there may be any number of others.
    """
    return _draw(drawn, size) if name.startswith(OWN) else _draw_once(drawn, size)


def _draw(drawn: Scene | Game, size: int) -> bytes:
    frame = draw_scene(drawn, size) if isinstance(drawn, Scene) else picture_game(drawn, size)
    buffer = io.BytesIO()
    Image.fromarray(frame).quantize(32, dither=Image.Dither.NONE).save(buffer, format="PNG")
    return buffer.getvalue()


_draw_once = lru_cache(maxsize=6500)(_draw)
