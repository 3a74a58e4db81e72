"""What a simulator is asked to keep of an attempt, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.result import BatchResult, Outcome


class Keep(TypedDict, total=False):
    """What to simulate and what to keep of it: the fields of Request, as keywords."""

    max_steps: int
    stride: int
    stable: bool
    images: bool
    objects: bool
    states: bool
    final_state: bool
    max_contacts: int


@dataclass(frozen=True, slots=True, eq=False)
class AttemptResult:
    """The outcome of one attempt, and what was asked to be kept; without padding."""

    outcome: Outcome
    steps: int  # index of the last step if solved, else the limit; 0 if invalid
    balls: npt.NDArray[np.float64]  # [balls, 3] x, y, radius in pixels; zero if invalid
    images: npt.NDArray[np.uint8] | None  # [frames, 256, 256], row 0 at the bottom
    objects: npt.NDArray[np.float32] | None  # [frames, objects, 14]
    states: npt.NDArray[np.float32] | None  # [frames, bodies, 6], see STATE_FIELDS
    final_state: npt.NDArray[np.float32] | None  # [bodies, 6]
    contacts: npt.NDArray[np.void] | None  # [events] of CONTACT_DTYPE


def unpack_attempt(batch: BatchResult, balls: npt.NDArray[np.float64]) -> AttemptResult:
    """The only row of a batch of one; ``balls`` are those its action placed."""
    frames = int(batch.frame_count[0])
    return AttemptResult(
        outcome=Outcome(int(batch.outcome[0])),
        steps=int(batch.steps[0]),
        balls=balls,
        images=None if batch.images is None else batch.images[0, :frames],
        objects=None if batch.objects is None else batch.objects[0, :frames],
        states=None if batch.states is None else batch.states[0, :frames],
        final_state=None if batch.final_state is None else batch.final_state[0],
        contacts=None if batch.contacts is None else batch.contacts_of(0),
    )
