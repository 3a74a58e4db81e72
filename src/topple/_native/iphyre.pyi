"""The I-PHYRE engine; see native/bindings/iphyre.cpp."""

from enum import Enum, IntEnum

import numpy as np
import numpy.typing as npt

MAX_BODIES: int
MAX_JOINTS: int
MAX_BLOCKS: int
TABLE_ROWS: int
TABLE_COLUMNS: int
NEVER: int

class EditKind(IntEnum):
    REMOVE = ...
    MOVE = ...
    SET_VELOCITY = ...
    IMPULSE = ...

class Strategy(Enum):
    IN_ADVANCE = ...
    ON_THE_FLY = ...
    COMBINED = ...

class Exit:
    def __init__(self, *, y: float, low: float, high: float) -> None: ...

class Rules:
    def __init__(
        self,
        *,
        out: Exit,
        hz: int,
        seconds: int,
        zero_is_never: bool,
        ties_are_lost: bool,
        extra_tick: bool,
        time_reward: float,
        block_reward: float,
        goal_reward: float,
    ) -> None: ...
    def last_tick(self, tick: int) -> int: ...
    def action_ticks(self, action: npt.NDArray[np.float32]) -> list[int]: ...
    def planned_removals(
        self, blocks: npt.NDArray[np.int32], action: npt.NDArray[np.float32]
    ) -> list[tuple[int, int]]: ...

class Scenes:
    def __init__(
        self,
        arrays: dict[str, npt.NDArray[np.generic]],
        *,
        gravity: float,
        bounce: float,
        friction: float,
        dt: float,
        bias: float,
    ) -> None: ...
    def __len__(self) -> int: ...

class Episode:
    solved: bool
    def __init__(self, scenes: Scenes, scene: int, builds: int) -> None: ...
    def copy(self) -> Episode: ...
    def reset(self, builds: int) -> None: ...
    @property
    def tick(self) -> int: ...
    @property
    def removed(self) -> int: ...
    def removals(self) -> list[tuple[int, int]]: ...
    def step(self, count: int) -> None: ...
    def run(self, count: int, out: Exit) -> bool: ...
    def is_out(self, out: Exit) -> bool: ...
    def remove(self, body: int) -> bool: ...
    def act(
        self,
        strategy: Strategy,
        rules: Rules,
        blocks: npt.NDArray[np.int32],
        *,
        choice: int = 0,
        times: npt.NDArray[np.float32] | None = None,
    ) -> bool: ...
    def observe(
        self, strategy: Strategy, blocks: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float32]: ...
    def edit(self, edits: npt.NDArray[np.int64]) -> None: ...
    def extend(self, scenes: Scenes, scene: int) -> None: ...
    def state(self) -> npt.NDArray[np.float64]: ...
    def ends(self) -> npt.NDArray[np.float64]: ...
    def present(self) -> list[bool]: ...
    def holds(self) -> list[bool]: ...
    def arbiters(self) -> list[tuple[object, ...]]: ...

def simulate(
    scenes: Scenes,
    *,
    scene_index: npt.NDArray[np.int32],
    removals: npt.NDArray[np.int32],
    builds: npt.NDArray[np.int64],
    limits: npt.NDArray[np.int32],
    out: Exit,
    threads: int,
    solved: npt.NDArray[np.uint8],
    ticks: npt.NDArray[np.int32],
    removed: npt.NDArray[np.int32],
    stride: int,
    states: npt.NDArray[np.float64] | None,
    frame_count: npt.NDArray[np.int32] | None,
    final_state: npt.NDArray[np.float64] | None,
    progress: npt.NDArray[np.int64] | None,
    origin: Episode | None,
    edit_start: npt.NDArray[np.int32] | None,
    edits: npt.NDArray[np.int64] | None,
) -> None: ...

class Vector:
    def __init__(
        self,
        scenes: Scenes,
        *,
        builds: int,
        rules: Rules,
        strategy: Strategy,
        blocks: npt.NDArray[np.int32],
        slots: int,
    ) -> None: ...
    def start(
        self,
        slots: npt.NDArray[np.int64],
        games: npt.NDArray[np.int32],
        observations: npt.NDArray[np.float32],
    ) -> None: ...
    def step(
        self,
        *,
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
    def snapshot(self, slot: int) -> tuple[int, int, bool, int, list[tuple[int, int]]]: ...
    def restore(
        self,
        slot: int,
        game: int,
        tick: int,
        solved: bool,
        used: int,
        removals: list[tuple[int, int]],
    ) -> None: ...
    def episode(self, slot: int) -> Episode: ...
