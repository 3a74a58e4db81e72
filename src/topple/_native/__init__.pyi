"""The compiled engine; see native/bindings/module.cpp."""

import numpy as np
import numpy.typing as npt

MAX_BODIES: int
MAX_FIXTURES: int
MAX_CONTACTS: int
MAX_VERTICES: int
MAX_BALLS: int
MAX_COORDINATE: float
MAX_ANGLE: float
MIN_RADIUS: float

class Scenes:
    def __init__(
        self,
        body_start: npt.NDArray[np.int32],
        fixture_start: npt.NDArray[np.int32],
        vertex_start: npt.NDArray[np.int32],
        goals: npt.NDArray[np.int32],
        dynamic: npt.NDArray[np.uint8],
        color: npt.NDArray[np.uint8],
        kind: npt.NDArray[np.uint8],
        diameter: npt.NDArray[np.float32],
        feature_offset: npt.NDArray[np.float64],
        pose_px: npt.NDArray[np.float64],
        pose_m: npt.NDArray[np.float32],
        velocity: npt.NDArray[np.float32],
        radius_px: npt.NDArray[np.float64],
        radius_m: npt.NDArray[np.float32],
        vertices_px: npt.NDArray[np.float64],
        vertices_m: npt.NDArray[np.float32],
    ) -> None: ...
    def fault(self) -> tuple[int, int, int] | None: ...

def simulate(
    scenes: Scenes,
    scene_index: npt.NDArray[np.int32],
    actions: npt.NDArray[np.float64],
    max_steps: int,
    stride: int,
    stable: bool,
    shortcuts: bool,
    threads: int,
    status: npt.NDArray[np.int8],
    steps: npt.NDArray[np.int32],
    images: npt.NDArray[np.uint8] | None,
    objects: npt.NDArray[np.float32] | None,
    states: npt.NDArray[np.float32] | None,
    final_state: npt.NDArray[np.float32] | None,
    frame_count: npt.NDArray[np.int32] | None,
    contacts: npt.NDArray[np.int32] | None,
    contact_count: npt.NDArray[np.int64] | None,
    progress: npt.NDArray[np.int64] | None,
    origin: Simulation | None,
    edit_start: npt.NDArray[np.int32] | None,
    edits: npt.NDArray[np.int32] | None,
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
