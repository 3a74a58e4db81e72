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

MUNK_MAX_BODIES: int
MUNK_MAX_JOINTS: int

class MunkScenes:
    def __init__(
        self,
        body_start: npt.NDArray[np.int32],
        joint_start: npt.NDArray[np.int32],
        ends: npt.NDArray[np.float64],
        velocity: npt.NDArray[np.float64],
        radius: npt.NDArray[np.float64],
        m_inv: npt.NDArray[np.float64],
        i_inv: npt.NDArray[np.float64],
        is_ball: npt.NDArray[np.uint8],
        joined: npt.NDArray[np.int32],
        is_spring: npt.NDArray[np.uint8],
        spring: npt.NDArray[np.float64],
        gravity: float,
        bounce: float,
        friction: float,
        dt: float,
        bias: float,
    ) -> None: ...
    def __len__(self) -> int: ...

class MunkSimulation:
    def __init__(self, scenes: MunkScenes, scene: int, builds: int) -> None: ...
    def copy(self) -> MunkSimulation: ...
    def reset(self, builds: int) -> None: ...
    def tick(self) -> int: ...
    def step(self, count: int) -> None: ...
    def run(self, count: int, y: float, low: float, high: float) -> int: ...
    def is_out(self, y: float, low: float, high: float) -> bool: ...
    def remove(self, body: int) -> None: ...
    def edit(self, edits: npt.NDArray[np.int64]) -> None: ...
    def extend(self, scenes: MunkScenes, scene: int) -> None: ...
    def state(self) -> npt.NDArray[np.float64]: ...
    def ends(self) -> npt.NDArray[np.float64]: ...
    def present(self) -> list[bool]: ...
    def holds(self) -> list[bool]: ...
    def arbiters(self) -> list[tuple[object, ...]]: ...

def munk_simulate(
    scenes: MunkScenes,
    scene_index: npt.NDArray[np.int32],
    removals: npt.NDArray[np.int32],
    builds: npt.NDArray[np.int64],
    limits: npt.NDArray[np.int32],
    y: float,
    low: float,
    high: float,
    threads: int,
    solved: npt.NDArray[np.uint8],
    ticks: npt.NDArray[np.int32],
    removed: npt.NDArray[np.int32],
    stride: int,
    states: npt.NDArray[np.float64] | None,
    frame_count: npt.NDArray[np.int32] | None,
    final_state: npt.NDArray[np.float64] | None,
    progress: npt.NDArray[np.int64] | None,
    origin: MunkSimulation | None,
    edit_start: npt.NDArray[np.int32] | None,
    edits: npt.NDArray[np.int64] | None,
) -> None: ...

class MunkVector:
    def __init__(
        self,
        scenes: MunkScenes,
        slots: int,
        strategy: int,
        blocks: npt.NDArray[np.int32],
        candidates: npt.NDArray[np.float32],
        y: float,
        low: float,
        high: float,
        hz: int,
        builds: int,
        zero_is_never: bool,
        ties_are_lost: bool,
        seconds: float,
        time_reward: float,
        block_reward: float,
        goal_reward: float,
        last_tick: npt.NDArray[np.int32],
    ) -> None: ...
    def start(
        self,
        slots: npt.NDArray[np.int64],
        games: npt.NDArray[np.int32],
        observations: npt.NDArray[np.float32],
    ) -> None: ...
    def step(
        self,
        choices: npt.NDArray[np.int64] | None,
        times: npt.NDArray[np.float32] | None,
        restart: npt.NDArray[np.int32],
        observations: npt.NDArray[np.float32],
        rewards: npt.NDArray[np.float64],
        terminated: npt.NDArray[np.bool_],
        truncated: npt.NDArray[np.bool_],
        threads: int,
    ) -> int: ...
    def status(self, rows: npt.NDArray[np.int32]) -> None: ...
    def slot(self, slot: int) -> tuple[int, int, int, bool]: ...
    def world(self, slot: int) -> MunkSimulation: ...
