"""What agents see: the object table of 12 rows and 9 columns, one row per body.

Columns 0 to 3 are the ends of a block (x1, y1, x2, y2) or a ball's centre twice, in
px; 4 the radius; 5 whether it can be removed; 6 whether it moves; 7 and 8 the number,
from 1, of the stick and of the spring that holds it, counted over those still there.
Rows of removed and of missing bodies are zero.

A symbolic observation is the table scaled and clipped to 0 to 1, followed by the positions an
action speaks of; the native engine writes it (`Episode.observe`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.native import MAX_BODIES, TABLE_COLUMNS, Floats
from topple.iphyre.engine.world import World
from topple.iphyre.game import MAX_ELIMINABLE
from topple.iphyre.strategy import Strategy

COLUMNS = TABLE_COLUMNS
TABLE_SIZE = MAX_BODIES * COLUMNS
ACTIONS = MAX_ELIMINABLE + 1  # on the fly: nothing, or one of six blocks
SCALE = np.float32(600.0)  # lengths of an observation are in widths of the scene
_LENGTHS = 5  # columns that are lengths


def observation_size(strategy: Strategy) -> int:
    """Numbers in a symbolic observation."""
    return TABLE_SIZE + 2 * (ACTIONS if strategy is Strategy.ON_THE_FLY else MAX_ELIMINABLE)


def object_table(world: World, removable: Sequence[int]) -> Floats:
    """(12, 9) the table of a world, in px."""
    scene, bodies = world.scene, len(world.scene.radii)
    table = np.zeros((MAX_BODIES, COLUMNS))
    table[:bodies, :4] = world.ends()
    table[:bodies, 4] = scene.radii
    table[list(removable), 5] = 1.0
    table[:bodies, 6] = scene.is_dynamic
    joints = zip((7, 8), (scene.pins, scene.springs), world.joined(), strict=True)
    for column, pairs, holds in joints:
        for number, pair in enumerate(compress(pairs, holds), start=1):
            table[list(pair), column] = number
    table[:bodies][~np.array(world.present)] = 0.0
    return table


def observed(table: Floats) -> NDArray[np.float32]:
    """A table as agents see it: lengths scaled, everything within 0 to 1."""
    seen = table.astype(np.float32)
    seen[:, :_LENGTHS] /= SCALE
    np.maximum(seen, 0.0, out=seen)
    return np.minimum(seen, 1.0, out=seen)
