"""Edits that worlds of both benchmarks share: interventions between two steps.

Lengths are pixels, angles are radians, time is seconds. Each engine checks and packs them.
"""

from __future__ import annotations

from dataclasses import dataclass

Vec = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RemoveBody:
    """Takes a body out; its index stays, unused. Bodies resting on it wake up."""

    index: int


@dataclass(frozen=True, slots=True)
class MoveBody:
    """Puts a body somewhere else and wakes it and what it touched. Its velocity stays."""

    index: int
    position: Vec
    angle: float


@dataclass(frozen=True, slots=True)
class SetVelocity:
    """Gives a dynamic body a velocity (of its centre of mass) and wakes it."""

    index: int
    velocity: Vec
    spin: float = 0.0


@dataclass(frozen=True, slots=True)
class ApplyImpulse:
    """Pushes a dynamic body at a point, in newton seconds, and wakes it."""

    index: int
    impulse: Vec
    point: Vec
