"""What a simulation is asked for, with PHYRE's published settings as defaults."""

from __future__ import annotations

from dataclasses import dataclass

PIXELS_PER_METRE = 6.0
STEPS_PER_SECOND = 60
MAX_STEPS = 1000  # of an attempt
DEFAULT_STRIDE = 60  # one frame a second
SCENE_SIZE = 256  # pixels, both ways


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
        if self.max_steps < 1:
            raise ValueError(f"max_steps is {self.max_steps}; it has to be at least 1")
        if self.stride < 1:
            raise ValueError(f"stride is {self.stride}; it has to be at least 1")
        if self.max_contacts < 0:
            raise ValueError(f"max_contacts is {self.max_contacts}; it has to be 0 or more")

    @property
    def keeps_frames(self) -> bool:
        """Whether anything is wanted frame by frame."""
        return self.images or self.objects or self.states

    @property
    def frames(self) -> int:
        """Frames of an attempt that runs to its end."""
        return (self.max_steps - 1) // self.stride + 1
