"""The compiled PHYRE engine; see native/bindings/phyre.cpp."""

from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_BODIES: int
MAX_FIXTURES: int
MAX_CONTACTS: int
MAX_VERTICES: int
MAX_BALLS: int
MAX_COORDINATE: float
MAX_MOTION: float
MAX_ANGLE: float
MIN_RADIUS: float
SCENE_SIZE: int
PIXELS_PER_METRE: float
FEATURE_SIZE: int
STATE_SIZE: int
SCENE_ARRAYS: tuple[str, ...]
OUTPUTS: tuple[str, ...]

class Outcome(IntEnum):
    NOT_SOLVED = -1
    INVALID = 0
    SOLVED = 1
    UNSTABLY_SOLVED = 2
    STABLY_SOLVED = 3
    OUT_OF_CONTACTS = 4

class EditKind(IntEnum):
    REMOVE = 0
    MOVE = 1
    SET_VELOCITY = 2
    IMPULSE = 3

class Color(IntEnum):
    WHITE = 0
    RED = 1
    GREEN = 2
    BLUE = 3
    PURPLE = 4
    GRAY = 5
    BLACK = 6

class Kind(IntEnum):
    UNDEFINED = 0
    BALL = 1
    BAR = 2
    JAR = 3
    STANDING_STICKS = 4

class Scenes:
    def __init__(self, **arrays: npt.NDArray[Any]) -> None: ...  # by SCENE_ARRAYS
    def fault(self) -> tuple[int, int, str] | None: ...

class Physics:
    def __init__(
        self,
        *,
        time_step: float,
        gravity: float,
        friction: float,
        restitution: float,
        noise: float,
        seed: int,
        velocity_passes: int,
        position_passes: int,
        continuous: bool,
    ) -> None: ...

class Rules:
    def __init__(self, *, max_steps: int, stride: int, stable: bool, shortcuts: bool) -> None: ...

def simulate(
    scenes: Scenes,
    scene_index: npt.NDArray[np.int32],
    actions: npt.NDArray[np.float64],
    rules: Rules,
    *,
    threads: int,
    progress: npt.NDArray[np.int64] | None = None,
    physics: Physics | None = None,
    origin: Simulation | None = None,
    edit_start: npt.NDArray[np.int32] | None = None,
    edits: npt.NDArray[np.int32] | None = None,
    **outputs: npt.NDArray[Any],  # by OUTPUTS
) -> None: ...
def map_actions(
    scenes: Scenes,
    scene_index: npt.NDArray[np.int32],
    actions: npt.NDArray[np.float64],
    valid: npt.NDArray[np.uint8],
    balls: npt.NDArray[np.float64],
) -> None: ...
def valid_actions(
    scenes: Scenes, first: int, actions: npt.NDArray[np.float64], valid: npt.NDArray[np.uint8]
) -> None: ...
def place_bodies(
    fixture_start: npt.NDArray[np.int32],
    vertex_start: npt.NDArray[np.int32],
    radius: npt.NDArray[np.float64],
    vertices: npt.NDArray[np.float64],
    body_start: npt.NDArray[np.int32],
    outline: npt.NDArray[np.int32],
    pose: npt.NDArray[np.float64],
    dynamic: npt.NDArray[np.uint8],
    *,
    limit: int,
    statics_overlap: bool,
    threads: int,
    chosen: npt.NDArray[np.int8],
) -> None: ...
def observe(
    scenes: Scenes,
    scene_index: npt.NDArray[np.int32],
    balls: npt.NDArray[np.float64],
    images: npt.NDArray[np.uint8] | None,
    objects: npt.NDArray[np.float32] | None,
) -> None: ...
def rotations(
    angles: npt.NDArray[np.float32],
    sine: npt.NDArray[np.float32],
    cosine: npt.NDArray[np.float32],
) -> None: ...

class Simulation:
    def __init__(self, scenes: Scenes, scene: int, balls: npt.NDArray[np.float64]) -> None: ...
    def copy(self) -> Simulation: ...
    def progress(self) -> tuple[int, int]: ...
    def step(self, shortcuts: bool) -> None: ...
    def step_recorded(
        self, shortcuts: bool
    ) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]: ...
    def holds_goal(self) -> bool: ...
    def sleeps(self) -> bool: ...
    def bodies(self) -> npt.NDArray[np.float32]: ...
    def masses(self) -> npt.NDArray[np.float32]: ...
    def fixtures(self) -> npt.NDArray[np.float32]: ...
    def polygon(self, fixture: int) -> npt.NDArray[np.float32]: ...
    def contacts(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...

class ChipmunkLibrary:
    soften: int  # address of a cpCollisionBeginFunc, which takes `data` as its user data
    data: int
    def __init__(self, addresses: dict[str, int], bounce_speed: float) -> None: ...

class ChipmunkPace:
    def __init__(self, *, max_steps: int, stride: int, dt: float, damping: float) -> None: ...

class ChipmunkSpace:
    def __init__(
        self,
        library: ChipmunkLibrary,
        space: int,  # its address
        rows: npt.NDArray[np.float64],  # [moving bodies, columns]
        *,
        centre: int,  # column of x; y follows
        motion: npt.NDArray[np.int64],  # [3] columns of the velocity and the spin
        seen: npt.NDArray[np.int64],  # [2] first column and end of what is recorded
        goal_rows: npt.NDArray[np.int64],  # [2], -1 of a static body
        places: npt.NDArray[np.float64],  # [2, 2] of static goal bodies
        reach: float,
        bounds: npt.NDArray[np.float64],  # [4] left, low, right, high
        shapes: npt.NDArray[np.uint64],  # [pairs, 2] addresses
        hold_steps: int,
    ) -> None: ...
    def advance(
        self,
        progress: npt.NDArray[np.int64],  # [4] steps, of this touch, of the longest touch; looks
        path: npt.NDArray[np.float64],  # [looks, moving goal bodies, columns seen]
        noise: npt.NDArray[np.float64] | None,  # [looks, moving bodies, 3] factors
        looks: int,
        pace: ChipmunkPace,
    ) -> bool: ...  # whether the attempt is over
