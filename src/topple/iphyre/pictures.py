"""Pictures of I-PHYRE scenes, games and episodes, in the paper's colours."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from topple.iphyre.engine.batch import Floats, Scene, World, new_world
from topple.iphyre.episode import watch
from topple.iphyre.game import Game
from topple.iphyre.plan import NO_PLAN, Plan
from topple.iphyre.rules import AT_60_HZ, Rules
from topple.media.files import DEFAULT_FPS, DrawnFrames, Frame
from topple.media.sheet import contact_sheet

Color = tuple[int, int, int]

SIZE = 600  # px, the size of a scene
WHITE: Color = (255, 255, 255)
RED: Color = (255, 0, 0)  # balls
GRAY: Color = (164, 164, 164)  # blocks that can be removed
BLACK: Color = (0, 0, 0)  # blocks that stay
BLUE: Color = (52, 152, 219)  # blocks that move
PURPLE: Color = (142, 68, 173)  # sticks and springs
SPOKE: Color = (160, 0, 0)  # the line that shows how far a ball has turned

_COILS = 8  # zigzags of a spring
SMOOTH = 3  # drawn three times larger and averaged, so that slanted edges look straight


def picture_world(game: Game, world: World, size: int = SIZE, smooth: int = 1) -> Frame:
    """The state a world is in."""
    return draw(game.scene, world.poses(), world.present, game.eliminable, size, smooth)


def picture_game(game: Game, size: int = SIZE, smooth: int = SMOOTH) -> Frame:
    """The initial scene."""
    return picture_world(game, new_world(game.scene, AT_60_HZ.dt), size, smooth)


def picture_episode(
    game: Game,
    plan: Plan = NO_PLAN,
    rules: Rules = AT_60_HZ,
    fps: int = DEFAULT_FPS,
    size: int = SIZE,
    smooth: int = SMOOTH,
) -> DrawnFrames:
    """An episode as frames: the start, then `fps` a second, and the last tick.

    Each is drawn when it is asked for.

    Raises:
        ValueError: `fps` does not divide the ticks of a second.
    """
    if fps < 1 or rules.hz % fps:
        raise ValueError(f"{fps} frames a second do not divide {rules.hz} ticks a second")
    trace = watch(game, plan, rules)
    stride = rules.hz // fps
    last = len(trace.poses) - 1
    shown = [*range(0, last, stride), last]

    def frame(number: int) -> Frame:
        poses, present = trace.poses[shown[number]], trace.present[shown[number]]
        return draw(game.scene, poses, present, game.eliminable, size, smooth)

    return DrawnFrames(len(shown), frame)


def sheet(games: Sequence[Game], columns: int = 5, size: int = 240) -> Frame:
    """The initial scenes of games beside each other, named."""
    frames = [picture_game(game, size) for game in games]
    return contact_sheet(frames, [game.name for game in games], columns)


def draw(
    scene: Scene,
    poses: Floats,
    present: Sequence[bool] | NDArray[np.bool_],
    removable: Collection[int],
    size: int = SIZE,
    smooth: int = 1,
) -> Frame:
    """Draw a state.

    Args:
        scene: what the bodies are.
        poses: (bodies, 3) where they are: x, y in px and angle in radians.
        present: (bodies,) which ones are still there.
        removable: which ones are gray.
        size: width and height of the picture in px.
        smooth: draw this many times larger, then average: for people.
    """
    scale = size * smooth / SIZE
    image = Image.new("RGB", (size * smooth, size * smooth), WHITE)
    pen = ImageDraw.Draw(image)
    for body, (x, y, angle) in enumerate(poses.tolist()):
        if not present[body]:
            continue
        if scene.is_ball[body]:
            _ball(pen, x * scale, y * scale, angle, scene.radii[body] * scale)
        else:
            color = GRAY if body in removable else BLUE if scene.is_dynamic[body] else BLACK
            ends = _ends(scene, body, x, y, angle)
            _capsule(pen, [c * scale for c in ends], scene.radii[body] * scale, color)
    for pairs, coils in ((scene.pins, 0), (scene.springs, _COILS)):
        for a, b in pairs:
            if present[a] and present[b]:
                _joint(pen, poses[a] * scale, poses[b] * scale, coils, scale)
    if smooth > 1:
        image = image.reduce(smooth)
    return np.asarray(image)


def draw_masks(
    scene: Scene, poses: Floats, present: Sequence[bool] | NDArray[np.bool_], size: int = SIZE
) -> NDArray[np.uint8]:
    """(size, size) the number of the body at each pixel, from 1; 0 where there is none.

    Arguments as for `draw`; sticks and springs are left out.
    """
    scale = size / SIZE
    image = Image.new("L", (size, size))
    pen = ImageDraw.Draw(image)
    for body, (x, y, angle) in enumerate(poses.tolist()):
        if present[body]:  # a ball is a capsule of length zero
            ends = [c * scale for c in _ends(scene, body, x, y, angle)]
            _capsule(pen, ends, scene.radii[body] * scale, body + 1)
    return np.asarray(image)


def _ends(
    scene: Scene, body: int, x: float, y: float, angle: float
) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = scene.ends[body]
    dx, dy, cos, sin = (x2 - x1) / 2, (y2 - y1) / 2, math.cos(angle), math.sin(angle)
    hx, hy = dx * cos - dy * sin, dx * sin + dy * cos
    return x - hx, y - hy, x + hx, y + hy


def _capsule(
    pen: ImageDraw.ImageDraw, ends: Sequence[float], radius: float, color: Color | int
) -> None:
    x1, y1, x2, y2 = ends
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    nx, ny = (y1 - y2) / length * radius, (x2 - x1) / length * radius
    pen.polygon(
        [(x1 + nx, y1 + ny), (x2 + nx, y2 + ny), (x2 - nx, y2 - ny), (x1 - nx, y1 - ny)],
        fill=color,
    )
    for x, y in ((x1, y1), (x2, y2)):
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)


def _ball(pen: ImageDraw.ImageDraw, x: float, y: float, angle: float, radius: float) -> None:
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=RED)
    tip = (x + radius * math.cos(angle), y + radius * math.sin(angle))
    pen.line((x, y, *tip), fill=SPOKE, width=max(1, round(radius / 10)))


def _joint(pen: ImageDraw.ImageDraw, a: Floats, b: Floats, coils: int, scale: float) -> None:
    start, along = a[:2], b[:2] - a[:2]
    length = float(np.hypot(*along)) or 1.0
    across = np.array((-along[1], along[0])) / length * 8.0 * scale
    points = [start]
    for k in range(coils):
        side = across if k % 2 else -across
        points.append(start + along * ((k + 0.5) / coils) + side)
    points.append(start + along)
    width = max(1, round(3 * scale))
    pen.line([(float(x), float(y)) for x, y in points], fill=PURPLE, width=width)
