"""Physics that an agent imagines: PHYRE's, with other constants or computed with less care."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.request import STEPS_PER_SECOND


@dataclass(frozen=True, slots=True)
class Physics:
    """The constants of a world and the care with which it is computed.

    The defaults are PHYRE's; with them, outcomes are those of the engine itself.

    Attributes:
        time_step: seconds.
        gravity: metres per second squared, upwards.
        friction: of every contact.
        restitution: share of the speed that a bounce gives back.
        noise: of velocities; standard deviation after a second of motion, in radians and as a
            share of the speed.
        seed: of that noise.
        velocity_passes: of the solver, in every step.
        position_passes: of the solver, at most, in every step.
        continuous: whether fast bodies are kept from passing through static ones.
    """

    time_step: float = 1 / STEPS_PER_SECOND
    gravity: float = -9.8
    friction: float = 0.5
    restitution: float = 0.2
    noise: float = 0.0
    seed: int = 0
    velocity_passes: int = 15
    position_passes: int = 20
    continuous: bool = True

    def __post_init__(self) -> None:
        for item in fields(self):
            if not math.isfinite(getattr(self, item.name)):
                raise ValueError(f"{item.name} is {getattr(self, item.name)}; it has to be finite")
        if not 1 / 1000 <= self.time_step <= 1 / 10:
            raise ValueError(f"time_step is {self.time_step}; it is between 0.001 and 0.1 seconds")
        for name in ("friction", "restitution", "noise"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it is at least 0")
        for name in ("velocity_passes", "position_passes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it is at least 1")

    def steps(self, published: int) -> int:
        """How many steps take as long as a number of PHYRE's steps."""
        return max(1, round(published / STEPS_PER_SECOND / self.time_step))


#: A larger time step, fewer passes, and fast bodies may pass through static ones.
COARSE = Physics(time_step=1 / 40, velocity_passes=6, position_passes=3, continuous=False)

_DEVICE_TYPE = np.dtype(  # ImaginedPhysics of the engine, in memory
    [
        *((name, np.float32) for name in ("time_step", "gravity", "friction", "restitution")),
        ("noise", np.float32),
        ("seed", np.uint32),
        ("velocity_passes", np.int32),
        ("position_passes", np.int32),
        ("continuous", np.bool_),
    ],
    align=True,
)


def physics_bytes(several: Sequence[Physics]) -> npt.NDArray[np.uint8]:
    """Physics as the kernels of a device read them, one after the other."""
    return np.array([astuple(each) for each in several], _DEVICE_TYPE).view(np.uint8)
