"""Watched attempts: where bodies go and how long the goal holds, to learn dynamics from.

These auxiliary targets cost one more simulation of a few attempts on each scene; the engine gives
states and contacts along with the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.agents.scene_tokens import MOST_BODIES
from topple.phyre.agents.transformer_network import MOTION, TIMES
from topple.phyre.builder import WALL_BODIES
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import SCENE_SIZE, STEPS_PER_SECOND, Request
from topple.phyre.engine.result import BatchResult, Outcome
from topple.phyre.scene import Scene

_CONTACTS = 8192  # events kept of an attempt; where there are more, the touch is not known
_TOGETHER = 128  # attempts simulated at once, for their states and contacts take memory
_WALLS = len(WALL_BODIES)


class Watched(NamedTuple):
    """Attempts with all that is asked of the network."""

    scene: npt.NDArray[np.int64]  # [attempts] place of the scene
    action: npt.NDArray[np.float32]  # [attempts, action_size]
    solved: npt.NDArray[np.float32]  # [attempts]
    touch: npt.NDArray[np.float32]  # [attempts] 0 to 1; not a number where it is not known
    motion: npt.NDArray[np.float16]  # [attempts, balls + MOST_BODIES, MOTION]; NaN if not known


def pick(
    outcomes: Outcomes, count: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Some attempts of each scene, solutions and failures in turn.

    Returns:
        [attempts] their scenes and their columns.
    """
    luck = rng.random(outcomes.shape)
    order = np.concatenate(
        [
            np.argsort(np.where(outcomes == wanted, luck, 2.0), axis=1)[:, : -(-count // 2)]
            for wanted in (Outcome.SOLVED, Outcome.NOT_SOLVED)
        ],
        axis=1,
    )
    half = order.shape[1] // 2
    wanted = np.repeat([Outcome.SOLVED, Outcome.NOT_SOLVED], half)
    good = np.take_along_axis(outcomes, order, axis=1) == wanted
    scene, place = np.nonzero(good)
    return scene, order[scene, place]


def watch(
    scenes: Sequence[Scene],
    place: npt.NDArray[np.int64],
    actions: npt.NDArray[np.float64],
    threads: int | None = None,
) -> Watched:
    """Simulate attempts once more and keep what there is to learn from them.

    Args:
        scenes: the scenes.
        place: [attempts] the scene of each.
        actions: [attempts, action_size] valid actions.
        threads: at most this many; all cores by default.
    """
    balls = actions.shape[1] // 3
    touch = np.empty(len(place), np.float32)
    solved = np.empty(len(place), np.float32)
    motion = np.full((len(place), balls + MOST_BODIES, MOTION), np.nan, np.float16)
    packed = SceneSet(scenes)
    request = Request(
        stride=STEPS_PER_SECOND, states=True, final_state=True, max_contacts=_CONTACTS
    )
    for start in range(0, len(place), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        result = simulate_batch(packed, place[part], actions[part], request, threads=threads)
        solved[part] = result.outcome > 0
        for row, scene in enumerate(place[part].tolist()):
            touch[start + row] = _touch(result, row, scenes[scene])
            _write_motion(result, row, scenes[scene], motion[start + row])
    return Watched(place, actions.astype(np.float32), solved, touch, motion)


def _touch(result: BatchResult, row: int, scene: Scene) -> float:
    """For which share of the needed time the goal bodies touched, all in all."""
    assert result.contacts is not None
    assert result.contact_count is not None
    assert scene.goal is not None
    if result.outcome[row] > 0:
        return 1.0
    if result.contact_count[row] > _CONTACTS:
        return float("nan")
    events = result.contacts_of(row)
    ends = np.sort(np.stack([events["body_a"], events["body_b"]], axis=1), axis=1)
    together = (ends == sorted(scene.goal[:2])).all(axis=1)
    return min(1.0, len(np.unique(events["step"][together])) / scene.goal.hold_steps)


def _write_motion(
    result: BatchResult, row: int, scene: Scene, out: npt.NDArray[np.float16]
) -> None:
    """Write how far each body that moves has come, balls first."""
    assert result.states is not None
    assert result.final_state is not None
    placed = result.balls[row]
    count = len(scene.bodies)
    bodies = list(enumerate(scene.bodies))[_WALLS : _WALLS + MOST_BODIES]
    number = [*range(count, count + len(placed)), *(n for n, body in bodies if body.dynamic)]
    token = [*range(len(placed)), *(len(placed) + n - _WALLS for n, b in bodies if b.dynamic)]
    start = np.array(
        [(x, y, 0.0) for x, y, _ in placed.tolist()]
        + [(*body.position, body.angle) for _, body in bodies if body.dynamic]
    )
    frames = int(result.frame_count[row])
    for k, time in enumerate(TIMES):
        if time < frames:
            moved = result.states[row, time][number, :2] - start[:, :2]
            out[token, 2 * k : 2 * k + 2] = moved / SCENE_SIZE
    last = result.final_state[row][number]
    turn = last[:, 2] - start[:, 2]
    end = [(last[:, :2] - start[:, :2]) / SCENE_SIZE, np.sin(turn)[:, None], np.cos(turn)[:, None]]
    out[token, 2 * len(TIMES) :] = np.concatenate(end, axis=1)
