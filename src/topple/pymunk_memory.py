"""Chipmunk bodies in arrays that we own.

pymunk hides its bodies behind Python objects, and reading one position through
them costs more than the physics of a small scene. Chipmunk itself can build a
body in memory given to it, so here each body lives in a row of a NumPy array:
positions of all bodies of all worlds are then one strided slice, without a call.

Where the fields lie inside a body is found by writing marked values through the
public setters and looking for them, once at import, so nothing here depends on
a particular build of the library.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi, lib

Floats = NDArray[np.float64]

SLOT = 64  # doubles in a body's row; a Chipmunk 7 body takes 34 of them
_GUARD = 16  # doubles at the end of a row that must stay untouched


class BodyLayout(NamedTuple):
    """Columns of a body's row, in doubles."""

    x: int  # y follows
    y: int
    vx: int
    vy: int
    angle: int
    spin: int
    cos: int  # of the angle, as the physics computed them; sin follows
    sin: int


def body_rows(count: int) -> Floats:
    """Zeroed rows for bodies; Chipmunk expects zeroed memory."""
    return np.zeros((count, SLOT))


def body_pointer(row: Floats) -> Any:
    """The address of a row, as Chipmunk's body pointer."""
    return ffi.cast("cpBody *", row.ctypes.data)


def double_pointer(row: Floats, column: int) -> Any:
    """The address of one number of a row, read with `pointer[0]`."""
    return ffi.cast("double *", row.ctypes.data + 8 * column)


def _find_layout() -> BodyLayout:
    row = body_rows(1)[0]
    row[SLOT - _GUARD :] = guard = 3.0e77
    body = body_pointer(row)
    lib.cpBodyInit(body, 1.0, 1.0)
    angle = 0.5
    marks = (1009.0, 1013.0, 1019.0, 1021.0, angle, 1033.0, math.cos(angle), math.sin(angle))
    lib.cpBodySetPosition(body, marks[0:2])
    lib.cpBodySetVelocity(body, marks[2:4])
    lib.cpBodySetAngle(body, marks[4])
    lib.cpBodySetAngularVelocity(body, marks[5])
    columns = [np.flatnonzero(row == mark) for mark in marks]
    # The position occurs twice, as itself and in the body's transform: the first is taken.
    if any(len(found) == 0 for found in columns) or (row[SLOT - _GUARD :] != guard).any():
        raise ImportError(
            "this build of pymunk lays out its bodies in an unknown way; "
            "install pymunk>=7.0,<8 from a released wheel"
        )
    layout = BodyLayout(*(int(found[0]) for found in columns))
    if (layout.y, layout.sin) != (layout.x + 1, layout.cos + 1):
        raise ImportError(f"bodies of this build of pymunk are laid out as {layout}")
    return layout


LAYOUT = _find_layout()
