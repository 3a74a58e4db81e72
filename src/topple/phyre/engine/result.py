"""What comes out of a simulation."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt


class Outcome(IntEnum):
    """How an attempt ended, with PHYRE's numbers."""

    NOT_SOLVED = -1
    INVALID = 0  # the action does not fit the scene; not an attempt
    SOLVED = 1
    UNSTABLY_SOLVED = 2  # solved, but not by every half-pixel neighbour that fits
    STABLY_SOLVED = 3

    @property
    def is_solved(self) -> bool:
        """Whether the goal was reached."""
        return self > 0

    @property
    def is_valid(self) -> bool:
        """Whether the action fits the scene, so that the attempt counts."""
        return self != 0


#: In the place of an outcome: a world outgrew its buffer for contacts. No result keeps it.
OUT_OF_CONTACTS = 4

#: One touching point of two bodies after a step, in the order the engine keeps them.
CONTACT_DTYPE = np.dtype(
    [
        ("step", np.int32),
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("begins", np.int32),  # 1 if the two shapes did not touch after the step before
        ("x", np.float32),  # pixels
        ("y", np.float32),
        ("normal_impulse", np.float32),  # newton seconds, over the step
        ("tangent_impulse", np.float32),
    ]
)

STATE_FIELDS = ("x", "y", "angle", "vx", "vy", "spin")  # pixels, radians, seconds
FEATURE_COUNT = 14  # of an object; see topple.phyre.features


@dataclass(frozen=True, slots=True, eq=False)
class AttemptResult:
    """One attempt of a batch: views of its rows, without padding."""

    outcome: Outcome
    steps: int  # index of the last step if solved, else the limit; 0 if invalid
    balls: npt.NDArray[np.float64]  # [balls, 3] x, y, radius in pixels; zero if invalid
    images: npt.NDArray[np.uint8] | None  # [frames, 256, 256], row 0 at the bottom
    objects: npt.NDArray[np.float32] | None  # [frames, objects, 14]
    states: npt.NDArray[np.float32] | None  # [frames, bodies, 6], see STATE_FIELDS
    final_state: npt.NDArray[np.float32] | None  # [bodies, 6]
    contacts: npt.NDArray[np.void] | None  # [events] of CONTACT_DTYPE


@dataclass(frozen=True, slots=True, eq=False)
class BatchResult:
    """Outcomes of a batch, and the observations that were asked for.

    Arrays have a row per attempt. Frames beyond ``frame_count`` and bodies or objects a
    scene does not have are zero.
    """

    outcome: npt.NDArray[np.int8]  # [attempts], values of Outcome
    steps: npt.NDArray[np.int32]  # [attempts] index of the last step if solved, else the limit
    frame_count: npt.NDArray[np.int32]  # [attempts]
    balls: npt.NDArray[np.float64]  # [attempts, balls, 3] x, y, radius in pixels; zero if invalid
    images: npt.NDArray[np.uint8] | None  # [attempts, frames, 256, 256], row 0 at the bottom
    objects: npt.NDArray[np.float32] | None  # [attempts, frames, objects, 14]
    states: npt.NDArray[np.float32] | None  # [attempts, frames, bodies, 6], see STATE_FIELDS
    final_state: npt.NDArray[np.float32] | None  # [attempts, bodies, 6]
    contacts: npt.NDArray[np.void] | None  # [attempts, max_contacts] of CONTACT_DTYPE
    contact_count: npt.NDArray[np.int64] | None  # [attempts], may exceed max_contacts

    def __len__(self) -> int:
        return len(self.outcome)

    def attempt(self, row: int) -> AttemptResult:
        """One attempt, without copying."""
        frames = int(self.frame_count[row])
        return AttemptResult(
            outcome=Outcome(int(self.outcome[row])),
            steps=int(self.steps[row]),
            balls=self.balls[row],
            images=None if self.images is None else self.images[row, :frames],
            objects=None if self.objects is None else self.objects[row, :frames],
            states=None if self.states is None else self.states[row, :frames],
            final_state=None if self.final_state is None else self.final_state[row],
            contacts=None if self.contacts is None else self.contacts_of(row),
        )

    def rows(self, numbers: npt.NDArray[np.int64]) -> BatchResult:
        """A copy of some attempts."""
        return replace(self, **{name: array[numbers] for name, array in self.arrays().items()})

    def put(self, numbers: npt.NDArray[np.int64], other: BatchResult) -> None:
        """Overwrite some attempts by those of another result with the same observations."""
        for name, array in self.arrays().items():
            array[numbers] = getattr(other, name)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that were asked for, by name, in the engine's order."""
        named = {name: getattr(self, name) for name in OUTPUTS}
        return {name: array for name, array in named.items() if array is not None}

    def contacts_of(self, attempt: int) -> npt.NDArray[np.void]:
        """The contact events of one attempt.

        Raises:
            ValueError: if none were asked for, or there were more than ``max_contacts``.
        """
        if self.contacts is None or self.contact_count is None:
            raise ValueError("no contact events were asked for; set Request.max_contacts")
        count, capacity = int(self.contact_count[attempt]), self.contacts.shape[1]
        if count > capacity:
            raise ValueError(
                f"attempt {attempt} has {count} contact events, max_contacts is {capacity}; "
                f"ask for at least {count}"
            )
        return self.contacts[attempt, :count]


#: The arrays of a result, in the engine's order.
OUTPUTS = tuple(field.name for field in fields(BatchResult))
