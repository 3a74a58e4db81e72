"""Pictures for people: scenes as smooth RGB frames of any size, top row first.

Scenes have y up and images have their first row on top; this module turns one into the
other. Bodies are drawn from their shapes, larger than asked for and then averaged, so a
frame is as sharp as its size allows. For the exact pixels an agent sees, use
``code_frame``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from topple.media.files import DrawnFrames, Frame
from topple.phyre.palette import PHYRE_RGB, to_rgb
from topple.phyre.scene import Body, Circle, Color, Scene

DEFAULT_SIZE = 512  # pixels, of the width
SMOOTH = 4  # drawn this many times larger, then averaged
MAX_SIZE = 8192  # pixels, both ways; a typo should not fill the memory


def code_frame(image: npt.NDArray[np.uint8]) -> Frame:
    """An image of colour codes, [256, 256] with row 0 at the bottom, as an exact RGB frame."""
    return np.ascontiguousarray(to_rgb(image)[::-1])


def draw_scene(scene: Scene, size: int = DEFAULT_SIZE, smooth: int = SMOOTH) -> Frame:
    """A scene before the first step, ``size`` pixels wide."""
    return _Painter(scene, size, smooth).paint(start_poses(scene))


def draw_states(
    scene: Scene,
    states: npt.NDArray[np.floating],
    size: int = DEFAULT_SIZE,
    smooth: int = SMOOTH,
) -> DrawnFrames:
    """Frames of a simulation, each drawn when it is asked for.

    Args:
        scene: what was simulated, with the player's balls (see ``topple.phyre.engine.balls``).
        states: [frames, bodies, 3 or more] x, y and angle of each body, such as a row of
            ``BatchResult.states`` cut to its ``frame_count``. Bodies beyond those of the
            scene, which a batch of several scenes may have, are left out.
        size: width of a frame in pixels.
        smooth: how many times larger to draw before averaging.

    Raises:
        ValueError: if the states do not belong to this scene, or the size is no size.
    """
    states = np.asarray(states)
    if states.ndim != 3 or states.shape[1] < len(scene.bodies) or states.shape[2] < 3:
        raise ValueError(
            f"states have shape {states.shape}; a scene with {len(scene.bodies)} bodies needs "
            f"[frames, {len(scene.bodies)} or more, 3 or more]"
        )
    painter = _Painter(scene, size, smooth)
    poses = states[:, : len(scene.bodies), :3].astype(np.float64)
    return DrawnFrames(len(poses), lambda number: painter.paint(poses[number]))


def start_poses(scene: Scene) -> npt.NDArray[np.float64]:
    """[bodies, 3] x, y and angle of each body before the first step."""
    poses = [(*body.position, body.angle) for body in scene.bodies]
    return np.array(poses, dtype=np.float64).reshape(-1, 3)


class _Painter:
    """Draws the states of one scene; what never moves is drawn once."""

    def __init__(self, scene: Scene, size: int, smooth: int) -> None:
        if not 1 <= size <= MAX_SIZE:
            raise ValueError(f"a picture is 1 to {MAX_SIZE} pixels wide, not {size}")
        self._scene, self._smooth = scene, smooth
        self._scale = size * smooth / scene.width
        height = max(1, round(size * scene.height / scene.width))
        self._height = height * smooth
        self._background = Image.new("RGB", (size * smooth, self._height), _rgb(Color.WHITE))
        pen = ImageDraw.Draw(self._background)
        for body, pose in zip(scene.bodies, start_poses(scene).tolist(), strict=True):
            if not body.dynamic:
                self._draw(pen, body, pose)

    def paint(self, poses: npt.NDArray[np.float64]) -> Frame:
        image = self._background.copy()
        pen = ImageDraw.Draw(image)
        for body, pose in zip(self._scene.bodies, poses.tolist(), strict=True):
            if body.dynamic:
                self._draw(pen, body, pose)
        return np.array(image.reduce(self._smooth) if self._smooth > 1 else image)

    def _draw(self, pen: ImageDraw.ImageDraw, body: Body, pose: Sequence[float]) -> None:
        x, y, angle = pose
        cos, sin, color = math.cos(angle), math.sin(angle), _rgb(body.color)
        for shape in body.shapes:
            if isinstance(shape, Circle):
                r = shape.radius
                (left, bottom), (right, top) = self._points([(x - r, y - r), (x + r, y + r)])
                # Less than a dot wide: Pillow takes no box that is inside out.
                pen.ellipse((left, min(top, bottom), max(left, right), bottom), fill=color)
            else:
                corners = [
                    (x + cos * u - sin * v, y + sin * u + cos * v) for u, v in shape.vertices
                ]
                pen.polygon(self._points(corners), fill=color)

    def _points(self, corners: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
        """Pixels of an outline: Pillow paints those it names, so they lie just inside."""
        middle_x = sum(x for x, _ in corners) / len(corners)
        middle_y = sum(y for _, y in corners) / len(corners)
        points = []
        for x, y in corners:
            column = x * self._scale - (1 if x > middle_x else 0)
            row = self._height - y * self._scale - (1 if y < middle_y else 0)
            points.append((round(column), round(row)))
        return points


def _rgb(color: Color) -> tuple[int, int, int]:
    red, green, blue = PHYRE_RGB[color].tolist()
    return red, green, blue
