"""Scenes as tokens: a row of numbers for each body, with what its shapes and features say.

Columns of a row, lengths as shares of the scene: x and y of the body's origin; the box around it
(left, right, bottom, top); sine and cosine of its angle and of twice its angle; its diameter;
whether it moves, is the first goal body, or the second; one-hot kind and colour; and the corners
of its shapes as offsets from its origin, turned as the body is (a disc has four). Walls are the
same everywhere and are left out. A ball of the player is a row like any other, in red.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from topple.phyre.builder import WALL_BODIES
from topple.phyre.engine.native import SceneSet
from topple.phyre.engine.packing import PackedScenes
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Color, Kind, Scene
from topple.phyre.tier import COMPONENTS_PER_BALL

CORNERS = 12  # of a jar, which has the most
PLACES = 6  # columns that are places in the scene: x, y, left, right, bottom, top
_ANGLE = PLACES
DIAMETER = _ANGLE + 4
_FLAGS = DIAMETER + 1
_KIND = _FLAGS + 3
_COLOR = _KIND + len(Kind)
_CORNERS = _COLOR + len(Color)
COLUMNS = _CORNERS + 2 * CORNERS
BOX = slice(2, PLACES)  # left, right, bottom, top
TURN = slice(_ANGLE, _ANGLE + 2)  # sine and cosine
GOALS = slice(_FLAGS + 1, _FLAGS + 3)
BALL_COLUMN = _KIND + int(Kind.BALL)
CORNER_COLUMNS = slice(_CORNERS, COLUMNS)
MOST_BODIES = 64  # of a scene that become tokens; no published task has more

_MIN_RADIUS, _MAX_RADIUS = 2.0, SCENE_SIZE / 8  # pixels, of a ball of the player

Floats = npt.NDArray[np.float32]


class Rows(NamedTuple):
    """The rows of some scenes, one scene after the other."""

    rows: Floats  # [bodies, COLUMNS]
    counts: npt.NDArray[np.int64]  # [scenes] how many each has


class SceneTokens:
    """The rows of many scenes on a device, one scene after the other.

    Attributes:
        rows: [bodies, COLUMNS].
        start: [scenes] where the rows of each scene begin.
        count: [scenes] how many it has.
        counts: the same, in the memory of the host.
    """

    def __init__(self, device: str) -> None:
        self.rows = torch.zeros((0, COLUMNS), device=device)
        self.start = torch.zeros(0, dtype=torch.int64, device=device)
        self.count = torch.zeros(0, dtype=torch.int64, device=device)
        self.counts = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.start)

    def add(self, scenes: Sequence[Scene]) -> None:
        """Append scenes."""
        self.add_rows([scene_rows(scenes)])

    def add_rows(self, parts: Sequence[Rows]) -> None:
        """Append the rows of scenes."""
        if not parts:
            return
        rows, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        start = len(self.rows) + np.cumsum(counts) - counts
        device = self.rows.device
        self.rows = torch.cat([self.rows, torch.from_numpy(rows).to(device)])
        self.start = torch.cat([self.start, torch.from_numpy(start).to(device)])
        self.count = torch.cat([self.count, torch.from_numpy(counts).to(device)])
        self.counts = np.concatenate([self.counts, counts])

    def gather(self, scenes: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """[scenes, width, COLUMNS] rows, and [scenes, width] whether there is a body."""
        place = torch.arange(width, device=self.rows.device)
        there = place < self.count[scenes][:, None]
        index = (self.start[scenes][:, None] + place).clamp(max=max(len(self.rows) - 1, 0))
        return self.rows[index] * there[..., None], there


def scene_rows(scenes: Sequence[Scene]) -> Rows:
    """The rows of scenes."""
    if not scenes:
        return Rows(np.zeros((0, COLUMNS), np.float32), np.zeros(0, np.int64))
    packed = SceneSet(scenes).packed
    counts = packed.body_counts().astype(np.int64)
    walls = [scene.bodies[: len(WALL_BODIES)] == WALL_BODIES for scene in scenes]
    skipped = len(WALL_BODIES) * np.array(walls, np.int64)
    kept = np.minimum(counts - skipped, MOST_BODIES)
    scene = np.repeat(np.arange(len(scenes)), kept)
    inner = np.arange(len(scene)) - np.repeat(np.cumsum(kept) - kept, kept)
    body = packed.body_start[scene] + skipped[scene] + inner
    rows = np.zeros((len(body), COLUMNS), np.float32)
    corners = _corners(packed)[body]
    pose = packed.pose_px[body]
    rows[:, 0:2] = pose[:, :2] / SCENE_SIZE
    low, high = corners.min(axis=1), corners.max(axis=1)
    rows[:, 2:4] = (pose[:, :1] + np.stack([low[:, 0], high[:, 0]], axis=1)) / SCENE_SIZE
    rows[:, 4:6] = (pose[:, 1:2] + np.stack([low[:, 1], high[:, 1]], axis=1)) / SCENE_SIZE
    angle = pose[:, 2]
    turns = [np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle)]
    rows[:, _ANGLE : _ANGLE + 4] = np.stack(turns, axis=1)
    rows[:, DIAMETER] = packed.diameter[body] / SCENE_SIZE
    rows[:, _FLAGS] = packed.dynamic[body]
    number = inner + skipped[scene]
    rows[:, _FLAGS + 1] = number == packed.goals[scene, 0]
    rows[:, _FLAGS + 2] = number == packed.goals[scene, 1]
    every = np.arange(len(body))
    rows[every, _KIND + packed.kind[body]] = 1
    rows[every, _COLOR + packed.color[body]] = 1
    rows[:, _CORNERS:] = corners.reshape(len(body), -1) / SCENE_SIZE
    return Rows(rows, kept)


def _corners(packed: PackedScenes) -> npt.NDArray[np.float64]:
    """[bodies, CORNERS, 2] corners of each body, turned, in pixels from its origin.

    A body with fewer corners repeats them; of one with more, the first are taken.
    """
    fixture_count = np.diff(packed.fixture_start)
    body = np.repeat(np.arange(len(fixture_count)), fixture_count)
    vertex_count = np.diff(packed.vertex_start)
    radius = packed.radius_px[:, None] * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])[:, None]
    disc = np.flatnonzero(vertex_count == 0)
    points = np.concatenate([packed.vertices_px, radius[:, disc].transpose(1, 0, 2).reshape(-1, 2)])
    owner = np.concatenate([np.repeat(body, vertex_count), np.repeat(body[disc], 4)])
    order = np.argsort(owner, kind="stable")
    points, owner = points[order], owner[order]
    count = np.bincount(owner, minlength=len(fixture_count))
    first = np.cumsum(count) - count
    index = first[:, None] + np.arange(CORNERS) % np.maximum(count, 1)[:, None]
    x, y = np.moveaxis(points[index], 2, 0)
    sine, cosine = np.sin(packed.pose_px[:, 2:]), np.cos(packed.pose_px[:, 2:])
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=2)


def ball_rows(actions: Tensor) -> Tensor:
    """[actions, balls, COLUMNS] rows of the balls that actions place, in whole pixels."""
    shaped = actions.reshape(len(actions), -1, COMPONENTS_PER_BALL)
    centre = torch.floor(shaped[..., :2] * (SCENE_SIZE - 1)) / SCENE_SIZE
    radius = torch.round(shaped[..., 2:] * (_MAX_RADIUS - _MIN_RADIUS) + _MIN_RADIUS) / SCENE_SIZE
    rows = torch.zeros((*shaped.shape[:2], COLUMNS), device=actions.device, dtype=actions.dtype)
    rows[..., 0:2] = centre
    rows[..., 2:4] = torch.cat([centre[..., :1] - radius, centre[..., :1] + radius], dim=-1)
    rows[..., 4:6] = torch.cat([centre[..., 1:] - radius, centre[..., 1:] + radius], dim=-1)
    rows[..., DIAMETER] = 2 * radius[..., 0]
    # Column by column: a list of columns would have to be copied to the device.
    for one in (_ANGLE + 1, _ANGLE + 3, _FLAGS, BALL_COLUMN, _COLOR + int(Color.RED)):
        rows[..., one] = 1
    for corner in range(CORNERS):
        x, y = ((1, 0), (0, 1), (-1, 0), (0, -1))[corner % 4]
        rows[..., _CORNERS + 2 * corner] = x * radius[..., 0]
        rows[..., _CORNERS + 2 * corner + 1] = y * radius[..., 0]
    return rows
