"""What a simulation is asked for, with PHYRE's published settings as defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from topple.threads import check_count

PIXELS_PER_METRE = 6.0
STEPS_PER_SECOND = 60
MAX_STEPS = 1000  # of an attempt
DEFAULT_STRIDE = 60  # one frame a second
SCENE_SIZE = 256  # pixels, both ways
MAX_COORDINATE = 128.0  # metres from the origin, of what a scene or an edit puts there
MAX_MOTION = 1000.0  # metres per second, radians, radians per second
MAX_IMPULSE = 1e6  # newton seconds
LONGEST_RUN = 100_000  # steps; attempts are not interrupted, so none may take long


class Keep(TypedDict, total=False):
    """The fields of Request that a caller may choose, as keywords."""

    max_steps: int
    stride: int
    stable: bool
    images: bool
    objects: bool
    states: bool
    final_state: bool
    max_contacts: int


@dataclass(frozen=True, slots=True)
class Request:
    """What to simulate and what to keep of it.

    Frames are kept after steps 0, ``stride``, ``2 * stride`` and so on, so the first one
    shows the world after one step.
    """

    max_steps: int = MAX_STEPS
    stride: int = DEFAULT_STRIDE
    stable: bool = False  # also try the eight half-pixel neighbours of a solution
    images: bool = False
    objects: bool = False
    states: bool = False
    final_state: bool = False
    max_contacts: int = 0  # contact events kept per attempt; 0: none
    shortcuts: bool = True  # leave out work that cannot change a bit of the result

    def __post_init__(self) -> None:
        check_count("max_steps", self.max_steps, 1, LONGEST_RUN)
        check_count("stride", self.stride, 1)
        check_count("max_contacts", self.max_contacts, 0)

    @property
    def keeps_frames(self) -> bool:
        """Whether anything is wanted frame by frame."""
        return self.images or self.objects or self.states

    @property
    def frames(self) -> int:
        """Frames of an attempt that runs to its end."""
        return (self.max_steps - 1) // self.stride + 1
