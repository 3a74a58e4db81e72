"""The I-PHYRE object table: 12 rows of 9 numbers, one row per body.

Columns 0 to 3 are the ends of a block (x1, y1, x2, y2) or a ball's centre twice, in
px; 4 the radius; 5 whether it can be removed; 6 whether it moves; 7 and 8 the number,
from 1, of the stick and of the spring that holds it, counted over those still there.
Rows of removed and of missing bodies are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from topple.physics.munk import MAX_BODIES, MunkScene, MunkWorld
from topple.physics.munk_memory import LAYOUT, SLOT, Floats, body_rows

COLUMNS = 9
SCALE = np.float32(600.0)  # lengths of an observation are in widths of the scene
_ENDS = 4  # columns that move
_LENGTHS = 5  # columns that are lengths
_ZERO, _ONE = np.zeros((), np.float32), np.ones((), np.float32)

Observations = NDArray[np.float32]


class TableTemplate:
    """What never changes in the tables of a scene."""

    def __init__(self, scene: MunkScene, removable: Sequence[int]) -> None:
        bodies = len(scene.radii)
        ends = np.array(scene.ends)
        # A block's ends in its own frame, and the same turned by a quarter.
        self.local = np.zeros((MAX_BODIES, _ENDS))
        self.local[:bodies] = ends - np.tile((ends[:, :2] + ends[:, 2:]) / 2, 2)
        self.quarter = self.local[:, (1, 0, 3, 2)] * (-1.0, 1.0, -1.0, 1.0)
        self.rest = np.zeros((MAX_BODIES, COLUMNS))
        self.rest[:bodies, 4] = scene.radii
        self.rest[list(removable), 5] = 1.0
        self.rest[:bodies, 6] = scene.is_dynamic
        self.turns = any(
            moves and not ball for moves, ball in zip(scene.is_dynamic, scene.is_ball, strict=True)
        )


class Tables:
    """Tables of many worlds, read at once from the memory of their bodies.

    Args:
        memory: rows of bodies, MAX_BODIES for each world that may be read.
        slots: how many worlds are read at once.
        out: (slots, 12, 9) where observations are written.
    """

    def __init__(self, memory: Floats, slots: int, out: Observations) -> None:
        shape = (slots, MAX_BODIES, _ENDS)
        self._flat = memory.reshape(-1)
        self._out = out
        self._out_ends = out[..., :_ENDS]
        self._templates: list[TableTemplate | None] = [None] * slots
        self._places = np.zeros((3, *shape), dtype=np.intp)  # of position, cosine and sine
        self._local = np.zeros(shape)
        self._quarter = np.zeros(shape)
        self._present = np.zeros(shape)
        # Dividing by infinity makes the rows of missing bodies zero.
        self._scale = np.full(shape, np.inf, dtype=np.float32)
        self._ends = np.zeros(shape)
        self._scaled = np.zeros(shape, dtype=np.float32)
        self._part, self._turn = np.zeros(shape), np.zeros(shape)
        self._turns = False

    def assign(self, slot: int, template: TableTemplate, place: int, world: MunkWorld) -> None:
        """Say that a slot reads the world whose bodies start at a row of the memory."""
        if self._templates[slot] is not template:
            self._templates[slot] = template
            self._local[slot] = template.local
            self._quarter[slot] = template.quarter
            self._turns = any(each.turns for each in self._templates if each is not None)
        self._places[:, slot] = _PLACES + place * SLOT
        self.refresh(slot, world)

    def refresh(self, slot: int, world: MunkWorld) -> None:
        """Take note of what was removed since."""
        out = self._out[slot]
        out[:] = self._rest(slot, world)
        out[:, :_LENGTHS] /= SCALE
        np.minimum(out, _ONE, out=out)
        here = world.present
        self._present[slot, : len(here)] = np.array(here)[:, None]
        self._scale[slot] = np.where(self._present[slot], SCALE, np.float32(np.inf))

    def _rest(self, slot: int, world: MunkWorld) -> Floats:
        template = self._templates[slot]
        assert template is not None, "assign comes first"
        rest = template.rest.copy()
        scene = world.scene
        for column, pairs, holds in zip(
            (7, 8), (scene.pins, scene.springs), world.joined(), strict=True
        ):
            for number, pair in enumerate(compress(pairs, holds), start=1):
                rest[list(pair), column] = number
        for body, here in enumerate(world.present):
            if not here:
                rest[body] = 0.0
        return rest

    def _read_ends(self) -> Floats:
        take, ends = self._flat.take, self._ends
        # Places are valid by construction; the mode "clip" spares numpy a copy.
        take(self._places[0], out=ends, mode="clip")
        if not self._turns:
            ends += self._local
            return ends
        part, turn = self._part, self._turn
        take(self._places[1], out=part, mode="clip")
        take(self._places[2], out=turn, mode="clip")
        part *= self._local
        turn *= self._quarter
        part += turn
        ends += part
        return ends

    def read(self, slot: int, world: MunkWorld) -> Floats:
        """(12, 9) the table of one slot, in px."""
        table = self._rest(slot, world)
        table[:, :_ENDS] = self._read_ends()[slot] * self._present[slot]
        return table

    def observe(self) -> None:
        """Write the tables, scaled and clipped to 0 to 1, where the maker said."""
        scaled = self._scaled
        np.copyto(scaled, self._read_ends(), casting="same_kind")
        np.divide(scaled, self._scale, out=scaled)
        np.maximum(scaled, _ZERO, out=scaled)
        np.minimum(scaled, _ONE, out=scaled)
        self._out_ends[...] = scaled


_PLACES = (
    np.array(
        (
            (LAYOUT.x, LAYOUT.y, LAYOUT.x, LAYOUT.y),
            (LAYOUT.cos,) * _ENDS,
            (LAYOUT.sin,) * _ENDS,
        )
    )[:, None, :]
    + np.arange(MAX_BODIES)[:, None] * SLOT
)


def object_table(world: MunkWorld, removable: Sequence[int]) -> Floats:
    """(12, 9) the table of one world, in px."""
    rows = body_rows(MAX_BODIES)
    rows[: len(world.rows)] = world.rows
    tables = Tables(rows, 1, np.zeros((1, MAX_BODIES, COLUMNS), dtype=np.float32))
    tables.assign(0, TableTemplate(world.scene, removable), 0, world)
    return tables.read(0, world)
