"""Goals: what has to hold, and for how long."""

from __future__ import annotations

from typing import NamedTuple

PHYRE_HOLD_STEPS = 180  # three seconds at 60 steps a second


class Goal(NamedTuple):
    """Two bodies touch for a number of steps in a row."""

    first: int  # index of a body in the scene
    second: int  # index of another body, at least one of the two dynamic
    hold_steps: int = PHYRE_HOLD_STEPS
