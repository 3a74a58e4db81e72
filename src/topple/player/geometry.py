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
from topple.phyre.frames import draw_scene, start_poses
from topple.phyre.scene import Body, Circle, Scene
from topple.player.ids import OWN
from topple.player.models.base import Trajectory
from topple.player.models.iphyre import GameBody
from topple.player.models.phyre import Convex, Disc, PhyreScene, SceneBody


def scene_model(scene: Scene) -> PhyreScene:
    """A PHYRE scene for the page."""
    return PhyreScene(
        width=scene.width,
        height=scene.height,
        bodies=[_body(body) for body in scene.bodies],
        goal=None if scene.goal is None else (scene.goal.first, scene.goal.second),
    )


def _body(body: Body) -> SceneBody:
    shapes: list[Disc | Convex] = [
        Disc(circle=shape.radius)
        if isinstance(shape, Circle)
        else Convex(polygon=list(shape.vertices))
        for shape in body.shapes
    ]
    return SceneBody(
        shapes=shapes,
        position=body.position,
        angle=body.angle,
        color=body.color.name.lower(),
        dynamic=body.dynamic,
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


def phyre_trajectory(
    scene: Scene,
    balls: npt.NDArray[np.float64],
    states: npt.NDArray[np.float32],
    fps: float,
) -> Trajectory:
    """The motion of a PHYRE attempt, its start included."""
    whole = with_balls(scene, balls)
    poses = np.concatenate([start_poses(whole)[None], states[:, : len(whole.bodies), :3]])
    moving = [place for place, body in enumerate(whole.bodies) if body.dynamic]
    return trajectory(poses, moving, fps, balls)


def thumbnail(name: str, drawn: Scene | Game, size: int) -> bytes:
    """A small PNG of a PHYRE scene or an I-PHYRE game.

    Only those of published ones are kept: there may be any number of others.
    """
    return _draw(drawn, size) if name.startswith(OWN) else _draw_once(drawn, size)


@lru_cache(maxsize=6500)
def _draw_once(drawn: Scene | Game, size: int) -> bytes:
    return _draw(drawn, size)


def _draw(drawn: Scene | Game, size: int) -> bytes:
    frame = draw_scene(drawn, size) if isinstance(drawn, Scene) else picture_game(drawn, size)
    buffer = io.BytesIO()
    Image.fromarray(frame).quantize(32, dither=Image.Dither.NONE).save(buffer, format="PNG")
    return buffer.getvalue()
