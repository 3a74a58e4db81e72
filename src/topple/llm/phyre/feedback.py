"""An attempt on PHYRE in words: its outcome, contacts between bodies, and near misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topple.llm.gap import body_gaps
from topple.llm.messages import evenly_spaced
from topple.llm.phyre.scene import body_names, scene_lines
from topple.media.files import Frame
from topple.phyre.engine.balls import with_action
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND, Request
from topple.phyre.engine.result import BatchResult, Outcome
from topple.phyre.frames import draw_states, start_poses
from topple.phyre.scene import Scene
from topple.phyre.task import Task

STRIDE = 15  # steps between the states that are kept: four a second
MAX_CONTACTS = 65_536  # contact events; the part of an attempt beyond them is not examined
#: The parts of an attempt that are needed here.
WATCHED = Request(stride=STRIDE, states=True, max_contacts=MAX_CONTACTS)
SHOWN_CONTACTS = 8  # first meetings that are told
PICTURE = 256  # pixels, of a keyframe


@dataclass(frozen=True)
class Watched:
    """An attempt as it was seen."""

    number: int  # of the attempts on its task, from 1
    action: tuple[float, ...]
    outcome: Outcome
    steps: int
    scene: Scene  # with the balls of the action
    states: npt.NDArray[np.float32]  # [frames, bodies, 6], every STRIDE steps
    contacts: npt.NDArray[np.void]  # [events] of CONTACT_DTYPE

    def at(self, second: float) -> npt.NDArray[np.floating]:
        """[bodies, 3 or more] where the bodies were, at the last state kept before a time."""
        if second <= 0:
            return start_poses(self.scene)
        frame = int(second * STEPS_PER_SECOND) // STRIDE
        pose: npt.NDArray[np.floating] = self.states[min(frame, len(self.states) - 1)]
        return pose


def watched(
    task: Task, number: int, action: Sequence[float], outcome: Outcome, result: BatchResult
) -> Watched:
    """An attempt from the only row of a batch that kept what ``WATCHED`` asks for."""
    assert result.states is not None  # asked for
    assert result.contacts is not None
    assert result.contact_count is not None
    return Watched(
        number,
        tuple(action),
        outcome,
        int(result.steps[0]),
        with_action(task.scene, action),
        result.states[0, : result.frame_count[0]],
        result.contacts[0, : min(int(result.contact_count[0]), MAX_CONTACTS)],
    )


def outcome_words(seen: Watched) -> str:
    """How an attempt ended, and how near it came, in a sentence or two."""
    seconds = seen.steps / STEPS_PER_SECOND
    if seen.outcome.is_solved:
        return f"Solved after {seconds:.1f} s."
    goal = seen.scene.goal
    if goal is None:
        return "Not solved."
    names = body_names(seen.scene)
    pair = f"the {names[goal.first]} and the {names[goal.second]}"
    longest, began = _longest_touch(seen)
    if longest:
        return (
            f"Not solved: {pair} touched for {longest / STEPS_PER_SECOND:.2f} s at most, from "
            f"{began / STEPS_PER_SECOND:.1f} s on; {goal.hold_steps / STEPS_PER_SECOND:g} s are "
            "needed."
        )
    near, when = _nearest(seen)
    return (
        f"Not solved: {pair} never touched; they were nearest at {when:.1f} s, {near:.0f} px apart."
    )


def events(seen: Watched) -> list[str]:
    """First meetings of two bodies in order of time; what touches from the start is no news."""
    names = body_names(seen.scene)
    pairs = np.stack([seen.contacts["body_a"], seen.contacts["body_b"]], axis=1)
    first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)[1]
    told = []
    for place in np.sort(first).tolist():
        step = int(seen.contacts["step"][place])
        if step > 1:
            one, two = sorted(pairs[place].tolist(), key=lambda body: _prominence(seen, body))
            told.append(f"{step / STEPS_PER_SECOND:.2f} s: {names[one]} meets {names[two]}")
    return told[:SHOWN_CONTACTS]


def _prominence(seen: Watched, body: int) -> tuple[bool, int]:
    """Movers come first, and of these the player's balls, which were added last."""
    return not seen.scene.bodies[body].dynamic, -body


def final_lines(seen: Watched) -> str:
    """Where everything that moves was at the end, a line of JSON each."""
    lines = scene_lines(seen.scene, seen.states[-1]).splitlines()
    return "\n".join(line for line in lines if '"moves": true' in line)


def keyframes(seen: Watched, count: int) -> list[tuple[float, Frame]]:
    """Pictures at even distances in time, the last state among them, with their seconds."""
    last = len(seen.states) - 1
    chosen = evenly_spaced(last, count)
    frames = draw_states(seen.scene, seen.states[chosen], PICTURE)
    times = [frame * STRIDE / STEPS_PER_SECOND for frame in chosen]
    return list(zip(times, frames, strict=True))


def _longest_touch(seen: Watched) -> tuple[int, int]:
    """The longest run of steps in which the goal's bodies touch, and its first step."""
    goal = seen.scene.goal
    assert goal is not None
    pair = np.sort([goal.first, goal.second])
    both = np.sort(np.stack([seen.contacts["body_a"], seen.contacts["body_b"]]), axis=0)
    steps = np.unique(seen.contacts["step"][(both == pair[:, None]).all(axis=0)])
    if not len(steps):
        return 0, 0
    runs = np.split(steps, np.flatnonzero(np.diff(steps) > 1) + 1)
    longest = max(runs, key=len)
    return len(longest), int(longest[0])


def _nearest(seen: Watched) -> tuple[float, float]:
    """The least gap between the goal's bodies among the states kept, and its second."""
    goal = seen.scene.goal
    assert goal is not None
    one, two = seen.scene.bodies[goal.first], seen.scene.bodies[goal.second]
    states = seen.states.astype(np.float64)
    gaps = body_gaps(one, states[:, goal.first], two, states[:, goal.second])
    frame = int(np.argmin(gaps))
    return float(gaps[frame]), min(frame * STRIDE, MAX_STEPS) / STEPS_PER_SECOND
