"""Edits of I-PHYRE worlds: interventions between two ticks. Lengths are px, time is seconds.

`RemoveBody`, `MoveBody`, `SetVelocity` and `ApplyImpulse` are those of `topple.edits`. In the
native engine, a static body can only be removed: where it is is settled when it enters. Worlds of
pymunk take the four, also for static bodies, whose new place contacts see after
`PymunkWorld.reindex`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity, Vec
from topple.iphyre.engine.native import MAX_BODIES_EVER, EditKind, NativeWorld
from topple.iphyre.engine.scene import LEAST_RADIUS, Scene
from topple.iphyre.engine.world import World


@dataclass(frozen=True, slots=True)
class AddBall:
    """Puts a ball that moves behind all other bodies; it has to get out like the others."""

    centre: Vec
    radius: float = 20.0
    velocity: Vec = (0.0, 0.0)
    spin: float = 0.0


@dataclass(frozen=True, slots=True)
class AddBlock:
    """Puts a block behind all other bodies."""

    start: Vec
    end: Vec
    dynamic: bool = False
    radius: float = 10.0


Edit = AddBall | AddBlock | RemoveBody | MoveBody | SetVelocity | ApplyImpulse

_KINDS = {
    RemoveBody: EditKind.REMOVE,
    MoveBody: EditKind.MOVE,
    SetVelocity: EditKind.SET_VELOCITY,
    ApplyImpulse: EditKind.IMPULSE,
}
_DTYPE = np.dtype([("kind", np.int64), ("body", np.int64), ("values", np.float64, 4)])
_MAX_NUMBER = 1e6  # px, px/s


class PackedEdits(NamedTuple):
    """The edits of all branches; those of branch i start at `start[i]`."""

    scenes: tuple[Scene, ...]  # different ones
    scene_index: NDArray[np.int32]  # (branches,) the scene of each, added bodies included
    start: NDArray[np.int32]  # (branches + 1,)
    rows: NDArray[np.int64]  # (edits, 6) words


def pack_edits(branches: Sequence[Sequence[Edit]], scene: Scene) -> PackedEdits:
    """Pack the edits of branches of a world.

    Bodies that a branch adds come behind the others, and later edits may name them.

    Raises:
        ValueError: an edit names no body, or a static one where it has to move, or has a
            number that is not finite or too large; the message names the branch.
    """
    scenes: dict[Scene, int] = {}
    index, start, rows = [], [0], []
    for number, edits in enumerate(branches):
        grown = scene
        for edit in edits:
            _check(edit, grown, f"branch {number}, {type(edit).__name__}")
            if isinstance(edit, AddBall | AddBlock):
                grown = _grown(grown, edit)
            else:
                rows.append((int(_KINDS[type(edit)]), edit.index, _values(edit)))
        index.append(scenes.setdefault(grown, len(scenes)))
        start.append(len(rows))
    table: NDArray[np.void] = np.array(rows, dtype=_DTYPE)
    return PackedEdits(
        tuple(scenes),
        np.array(index, np.int32),
        np.array(start, np.int32),
        table.view(np.int64).reshape(-1, 6),
    )


def edit_world(world: World, edits: Sequence[Edit]) -> None:
    """Intervene in a world before its next tick.

    Raises:
        ValueError: as `pack_edits`, or a body is to be added to a world of pymunk.
    """
    if not isinstance(world, NativeWorld):
        for edit in edits:
            _check(edit, world.scene, type(edit).__name__, static=True)
            if isinstance(edit, AddBall | AddBlock):
                raise ValueError(f"{edit}: only the native engine adds bodies to a world")
            world.edit(edit)
        return
    packed = pack_edits([edits], world.scene)
    if packed.scenes[0] is not world.scene:
        world.extend(packed.scenes[0])
    world.handle.edit(packed.rows)


def _grown(scene: Scene, edit: AddBall | AddBlock) -> Scene:
    ball = isinstance(edit, AddBall)
    if isinstance(edit, AddBall):
        ends, velocity = (*edit.centre, *edit.centre), (*edit.velocity, edit.spin)
    else:
        ends, velocity = (*edit.start, *edit.end), (0.0, 0.0, 0.0)
    rest = scene.velocities or ((0.0, 0.0, 0.0),) * len(scene.radii)
    return scene._replace(
        ends=(*scene.ends, ends),
        radii=(*scene.radii, edit.radius),
        is_ball=(*scene.is_ball, ball),
        is_dynamic=(*scene.is_dynamic, ball or (isinstance(edit, AddBlock) and edit.dynamic)),
        velocities=(*rest, velocity),
    )


def _values(edit: Edit) -> tuple[float, ...]:
    match edit:
        case AddBall((x, y), radius, (vx, vy), spin):
            return x, y, radius, vx, vy, spin
        case AddBlock((x1, y1), (x2, y2), _, radius):
            return x1, y1, x2, y2, radius
        case MoveBody(_, (x, y), angle) | SetVelocity(_, (x, y), angle):
            return x, y, angle, 0.0
        case ApplyImpulse(_, (x, y), (px, py)):
            return x, y, px, py
        case _:
            return 0.0, 0.0, 0.0, 0.0


def _check(edit: Edit, scene: Scene, where: str, *, static: bool = False) -> None:
    if not isinstance(edit, Edit):
        raise TypeError(f"{where}: {edit!r} is no edit")
    if not (np.abs(_values(edit)) <= _MAX_NUMBER).all():
        raise ValueError(f"{where}: {edit} has a number that is not finite or too large")
    bodies = len(scene.radii)
    if isinstance(edit, AddBall | AddBlock):
        if bodies == MAX_BODIES_EVER:
            raise ValueError(f"{where}: there are {bodies} bodies already, and no room for more")
        if edit.radius < LEAST_RADIUS or (isinstance(edit, AddBlock) and edit.start == edit.end):
            raise ValueError(f"{where}: {edit} has no size")
        return
    if not 0 <= edit.index < bodies:
        raise ValueError(f"{where}: there is no body {edit.index}, the last is {bodies - 1}")
    if not (static or isinstance(edit, RemoveBody) or scene.is_dynamic[edit.index]):
        raise ValueError(f"{where}: body {edit.index} is static and can only be removed")
