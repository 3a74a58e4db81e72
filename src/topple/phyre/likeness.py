"""Tasks that the same bodies make up, and how much they differ.

The tasks of a template have the same bodies in the same order, nearly always, and differ in where
these are, how they are tilted and how large they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.builder import WALL_BODIES
from topple.phyre.scene import Body, Scene


class Part(NamedTuple):
    """What does not change from task to task in one of the bodies."""

    kind: int
    dynamic: bool
    role: int  # 1 and 2: the bodies that have to touch; 0: others


def parts(scene: Scene) -> list[tuple[Part, Body]]:
    """The bodies of a scene but the walls, in order."""
    ends = scene.goal[:2] if scene.goal else ()
    return [
        (Part(int(body.kind), body.dynamic, ends.index(k) + 1 if k in ends else 0), body)
        for k, body in enumerate(scene.bodies)
        if body not in WALL_BODIES
    ]


def structure(scene: Scene) -> tuple[Part, ...]:
    """What scenes that the same bodies make up have in common."""
    return tuple(part for part, _ in parts(scene))


def measures(bodies: Sequence[Body]) -> npt.NDArray[np.float64]:
    """[4 * bodies] where each body is, how far its ends have turned, and its diameter, in pixels.

    Two scenes are as different as these numbers; a small body that turns changes little.
    """
    rows = [(*body.position, body.angle * body.diameter / 2, body.diameter) for body in bodies]
    return np.array(rows, np.float64).ravel()
