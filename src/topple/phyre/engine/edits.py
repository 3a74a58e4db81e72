"""Edits: interventions in a world between two steps. Lengths are pixels, time is seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity
from topple.phyre.engine.native import EditKind
from topple.phyre.engine.packing import Float32Array, Int32Array, motion_to_metres, to_metres
from topple.phyre.engine.request import MAX_COORDINATE, MAX_IMPULSE, MAX_MOTION
from topple.phyre.scene import Body


@dataclass(frozen=True, slots=True)
class AddBody:
    """Puts a body into the world, behind all others in order."""

    body: Body


Edit = AddBody | RemoveBody | MoveBody | SetVelocity | ApplyImpulse

_KINDS: dict[type, int] = {
    RemoveBody: EditKind.REMOVE,
    MoveBody: EditKind.MOVE,
    SetVelocity: EditKind.SET_VELOCITY,
    ApplyImpulse: EditKind.IMPULSE,
}
_LIMITS: dict[type, tuple[float, ...]] = {
    RemoveBody: (0.0,) * 4,
    MoveBody: (MAX_COORDINATE, MAX_COORDINATE, MAX_MOTION, 0.0),
    SetVelocity: (MAX_MOTION,) * 3 + (0.0,),
    ApplyImpulse: (MAX_IMPULSE, MAX_IMPULSE, MAX_COORDINATE, MAX_COORDINATE),
}
_EDIT_DTYPE = np.dtype([("kind", np.int32), ("body", np.int32), ("values", np.float32, 4)])


class PackedEdits(NamedTuple):
    """The edits of all branches; those of branch i start at ``start[i]``."""

    start: Int32Array  # [branches + 1]
    rows: Int32Array  # [edits, 6] words


def _values(edit: Edit) -> Float32Array:
    values = np.zeros(4, np.float32)
    match edit:
        case MoveBody(_, (x, y), angle) | SetVelocity(_, (x, y), angle):
            values[:3] = motion_to_metres(np.array([[x, y, angle]]))[0]
        case ApplyImpulse(_, impulse, point):
            values[:2] = impulse
            values[2:] = to_metres(np.array(point))
        case _:
            pass
    return values


def _check(edit: Edit, bodies: Sequence[Body], branch: int) -> None:
    if not isinstance(edit, Edit):
        raise TypeError(f"branch {branch}: {edit!r} is no edit")
    if isinstance(edit, AddBody):
        return
    where = f"branch {branch}, {type(edit).__name__}"
    if not 0 <= edit.index < len(bodies):
        raise ValueError(f"{where}: there is no body {edit.index}, the last is {len(bodies) - 1}")
    if isinstance(edit, SetVelocity | ApplyImpulse) and not bodies[edit.index].dynamic:
        raise ValueError(f"{where}: body {edit.index} is static, only dynamic bodies have one")
    if not (np.abs(_values(edit)) <= _LIMITS[type(edit)]).all():
        raise ValueError(f"{where}: {edit} has a number that is not finite or too large")


def pack_edits(branches: Sequence[Sequence[Edit]], bodies: Sequence[Body]) -> PackedEdits:
    """Packs the edits of branches of a world with these bodies.

    Bodies that a branch adds come behind the others, and later edits may name them.

    Raises:
        ValueError: if an edit names no body, or a static one where a dynamic is needed, or
            has a number that is not finite or too large; the message names the branch.
    """
    start, rows = [0], []
    for number, edits in enumerate(branches):
        known = list(bodies)
        for edit in edits:
            _check(edit, known, number)
            if isinstance(edit, AddBody):
                known.append(edit.body)
            else:
                rows.append((_KINDS[type(edit)], edit.index, _values(edit)))
        start.append(len(rows))
    table: npt.NDArray[np.void] = np.array(rows, dtype=_EDIT_DTYPE)
    return PackedEdits(np.array(start, np.int32), table.view(np.int32).reshape(-1, 6))
