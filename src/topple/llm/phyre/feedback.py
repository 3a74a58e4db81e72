"""An attempt on PHYRE in words: its outcome, what happened, contacts, and near misses.

Everything is measured at each step of the attempt, sixty times a second, before it is reduced to
what is told: the first contact of each pair of bodies, the longest touch and the closest approach
of the goal bodies, and how far bodies fell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.llm.gap import body_gaps
from topple.llm.messages import evenly_spaced
from topple.llm.phyre.scene import body_names
from topple.phyre.engine.balls import with_balls
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND, Request
from topple.phyre.engine.result import AttemptResult, Outcome
from topple.phyre.frames import start_poses
from topple.phyre.scene import Body, Circle, Scene
from topple.phyre.task import Task, TaskId

STRIDE = 15  # steps between the states that are kept for pictures and tools: four a second
MAX_CONTACTS = 65_536  # contact events; the part of an attempt beyond them is not examined
#: The parts of an attempt that are needed here; attempts with more contacts are run again.
WATCHED = Request(stride=1, states=True, max_contacts=4096)
BATCH = 64  # attempts simulated at once, whose states need about 0.5 MB each
SHOWN_CONTACTS = 8  # first meetings that are told
LISTED_CONTACTS = 60  # that the tool lists
FALL = 3.0  # px that a body has to come down to have fallen


class Touch(NamedTuple):
    """The longest touch of the goal bodies."""

    steps: int  # 0: they never touched
    start: int  # its first step


class Approach(NamedTuple):
    """The closest approach of the goal bodies."""

    gap: float  # px
    step: int


@dataclass(frozen=True)
class Watched:
    """An attempt as it was seen."""

    number: int  # of the attempts on its task, from 1
    action: tuple[float, ...]
    outcome: Outcome
    steps: int
    scene: Scene  # with the balls of the action
    balls: int  # number of these balls, which come last
    states: npt.NDArray[np.float32]  # [frames, bodies, 6], every STRIDE steps and the last
    begins: npt.NDArray[np.void]  # [events] of CONTACT_DTYPE: the first ones of each touch
    touch: Touch
    approach: Approach
    falls: dict[int, float]  # px that each body came down that did, the player's balls aside

    def frame(self, second: float) -> int:
        """The last state that was kept before a time; the last one of all at the end."""
        step = int(second * STEPS_PER_SECOND)
        return len(self.states) - 1 if step >= min(self.steps, MAX_STEPS) else step // STRIDE

    def at(self, second: float) -> npt.NDArray[np.floating]:
        """[bodies, 3 or more] where the bodies were, at the last state kept before a time."""
        if second <= 0:
            return start_poses(self.scene)
        pose: npt.NDArray[np.floating] = self.states[self.frame(second)]
        return pose

    @property
    def progress(self) -> float:
        """How near it came, from 0 to 1: half for approaching the goal, half for holding it."""
        goal = self.scene.goal
        if goal is None or self.outcome.is_solved:
            return float(self.outcome.is_solved)
        near = max(0.0, 1.0 - self.approach.gap / self.scene.width)
        return 0.5 * near + 0.5 * min(self.touch.steps / goal.hold_steps, 1.0)


class Attempts:
    """Attempts on some tasks, simulated many at a time and watched.

    Threads may share one.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._scenes = SceneSet([task.scene for task in tasks])
        self._place = {task.id: place for place, task in enumerate(tasks)}

    def fits(self, task: Task, action: Sequence[float]) -> bool:
        """Whether an action fits a task."""
        return bool(map_actions(self._scenes, [self._place[task.id]], [list(action)])[0][0])

    def run(self, wanted: Sequence[tuple[TaskId, Sequence[float]]]) -> list[AttemptResult]:
        """Simulate actions on tasks."""
        found: list[AttemptResult] = []
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            places = np.array([self._place[task] for task, _ in part], np.int32)
            actions = np.array([action for _, action in part], np.float64)
            batch = simulate_batch(self._scenes, places, actions, WATCHED)
            assert batch.contact_count is not None  # asked for
            needed = batch.contact_count.tolist()
            for row, count in enumerate(needed):
                if count <= WATCHED.max_contacts:
                    found.append(batch.attempt(row))
                    continue
                more = replace(WATCHED, max_contacts=min(count, MAX_CONTACTS))
                single = simulate_batch(self._scenes, places[[row]], actions[[row]], more)
                cut = np.array([min(count, MAX_CONTACTS)])
                found.append(replace(single, contact_count=cut).attempt(0))
        return found


def watched(task: Task, number: int, action: Sequence[float], result: AttemptResult) -> Watched:
    """An attempt from a result with what ``WATCHED`` asks for; it keeps no part of the batch."""
    assert result.states is not None  # asked for
    assert result.contacts is not None
    scene = with_balls(task.scene, result.balls)
    balls = len(scene.bodies) - len(task.scene.bodies)
    states = result.states[:, : len(scene.bodies)]
    kept = np.append(states[::STRIDE], states[-1:], axis=0)  # a copy
    return Watched(
        number,
        tuple(action),
        result.outcome,
        result.steps,
        scene,
        balls,
        kept,
        result.contacts[_first_of_touch(result.contacts)],
        _longest_touch(scene, result.contacts),
        _closest_approach(scene, states),
        _falls(scene, balls, states),
    )


def _pairs(contacts: npt.NDArray[np.void]) -> npt.NDArray[np.int32]:
    """[events, 2] the bodies of contacts, the smaller number first."""
    pairs: npt.NDArray[np.int32] = np.sort(
        np.stack([contacts["body_a"], contacts["body_b"]], axis=1), axis=1
    )
    return pairs


def _first_of_touch(contacts: npt.NDArray[np.void]) -> npt.NDArray[np.int64]:
    """Places of the first contact of each touch: the pair had no contact at the step before."""
    if not len(contacts):
        return np.zeros(0, np.int64)
    pairs, steps = _pairs(contacts), contacts["step"]
    order = np.lexsort((np.arange(len(contacts)), steps, pairs[:, 1], pairs[:, 0]))
    same = (np.diff(pairs[order], axis=0) == 0).all(axis=1)
    fresh = np.append([True], ~same | (np.diff(steps[order]) > 1))
    return np.sort(order[fresh])


def _longest_touch(scene: Scene, contacts: npt.NDArray[np.void]) -> Touch:
    """The longest run of steps in which the goal's bodies touch."""
    if scene.goal is None:
        return Touch(0, 0)
    pair = np.sort([scene.goal.first, scene.goal.second])
    steps = np.unique(contacts["step"][(_pairs(contacts) == pair).all(axis=1)])
    if not len(steps):
        return Touch(0, 0)
    runs = np.split(steps, np.flatnonzero(np.diff(steps) > 1) + 1)
    longest = max(runs, key=len)
    return Touch(len(longest), int(longest[0]))


def _closest_approach(scene: Scene, states: npt.NDArray[np.float32]) -> Approach:
    """The least gap between the goal's bodies, and its first step."""
    if scene.goal is None:
        return Approach(0.0, 0)
    pair = scene.goal.first, scene.goal.second
    one, two = (scene.bodies[body] for body in pair)
    first, second = (states[:, body].astype(np.float64) for body in pair)
    # Centres that are farther apart than some gap and both reaches need no closer look.
    apart = np.hypot(*(first - second)[:, :2].T) - _reach(one) - _reach(two)
    near = np.argmin(apart, keepdims=True)
    # Neither do steps at which both rest.
    poses = np.hstack([first[:, :3], second[:, :3]])
    moved = np.append(True, (poses[1:] != poses[:-1]).any(axis=1))
    close = np.flatnonzero(moved & (apart <= body_gaps(one, first[near], two, second[near])))
    gaps = body_gaps(one, first[close], two, second[close])
    place = int(np.argmin(gaps))
    return Approach(float(gaps[place]), int(close[place]))


def _reach(body: Body) -> float:
    """The distance from a body's centre to its farthest point."""
    return max(
        shape.radius
        if isinstance(shape, Circle)
        else max(math.hypot(*vertex) for vertex in shape.vertices)
        for shape in body.shapes
    )


def _falls(scene: Scene, balls: int, states: npt.NDArray[np.float32]) -> dict[int, float]:
    """How far each body came down, most first."""
    drops = start_poses(scene)[:, 1] - states[:, :, 1].min(axis=0)
    fallen = {
        body: float(drops[body])
        for body in range(len(scene.bodies) - balls)
        if scene.bodies[body].dynamic and drops[body] >= FALL
    }
    return dict(sorted(fallen.items(), key=lambda item: -item[1]))


def outcome_words(seen: Watched) -> str:
    """How an attempt ended, and how near it came, in a sentence or two."""
    if seen.outcome.is_solved:
        return f"Solved after {seen.steps / STEPS_PER_SECOND:.1f} s."
    goal = seen.scene.goal
    if goal is None:
        return "Not solved."
    names = body_names(seen.scene)
    pair = f"the {names[goal.first]} and the {names[goal.second]}"
    if seen.touch.steps:
        return (
            f"Not solved: {pair} touched for {seen.touch.steps / STEPS_PER_SECOND:.2f} s at most, "
            f"from {seen.touch.start / STEPS_PER_SECOND:.1f} s on; "
            f"{goal.hold_steps / STEPS_PER_SECOND:g} s are needed."
        )
    when = min(seen.approach.step, MAX_STEPS) / STEPS_PER_SECOND
    return (
        f"Not solved: {pair} never touched; they were nearest at {when:.1f} s, "
        f"{seen.approach.gap:.0f} px apart."
    )


def happened_words(seen: Watched) -> str:
    """The first contact of each of the player's balls, and what fell."""
    names = body_names(seen.scene)
    parts = []
    for ball in range(len(seen.scene.bodies) - seen.balls, len(seen.scene.bodies)):
        mine = [event for event in seen.begins if ball in (event["body_a"], event["body_b"])]
        if not mine:
            parts.append(f"The {names[ball]} touched nothing.")
            continue
        step = int(mine[0]["step"])
        met = {
            int(event["body_a"] + event["body_b"]) - ball
            for event in mine[:4]
            if event["step"] == step
        }
        others = " and ".join(f"the {names[body]}" for body in sorted(met))
        when = f"{step / STEPS_PER_SECOND:.2f} s"
        parts.append(f"The {names[ball]} first touched {others}, at {when}.")
    fallen = ", ".join(f"the {names[body]} by {drop:.0f} px" for body, drop in seen.falls.items())
    parts.append(f"Fell: {fallen}." if fallen else "Nothing else fell.")
    return " ".join(parts)


def feedback(seen: Watched, level: str) -> list[str]:
    """What a model is told of an attempt, line by line."""
    if level == "outcome":
        return [outcome_words(seen) if seen.outcome.is_solved else "Not solved."]
    lines = [outcome_words(seen), happened_words(seen)]
    return lines if level == "what_happened" else [*lines, *events(seen)]


def events(seen: Watched) -> list[str]:
    """First meetings of two bodies in order of time; what touches from the start is no news."""
    return _told(seen, _first_meetings(seen))[:SHOWN_CONTACTS]


def contact_lines(seen: Watched) -> list[str]:
    """All touches in order of time, those from the start included."""
    lines = _told(seen, seen.begins)
    more = len(lines) - LISTED_CONTACTS
    return lines[:LISTED_CONTACTS] + ([f"... and {more} more"] if more > 0 else [])


def _first_meetings(seen: Watched) -> npt.NDArray[np.void]:
    first = np.unique(_pairs(seen.begins), axis=0, return_index=True)[1]
    met = seen.begins[np.sort(first)]
    later: npt.NDArray[np.void] = met[met["step"] > 1]
    return later


def _told(seen: Watched, contacts: npt.NDArray[np.void]) -> list[str]:
    names, bodies = body_names(seen.scene), seen.scene.bodies
    lines = []
    for event in contacts:
        pair = int(event["body_a"]), int(event["body_b"])
        # Movers come first, and of these the player's balls, which were added last.
        one, two = sorted(pair, key=lambda body: (not bodies[body].dynamic, -body))
        second = event["step"] / STEPS_PER_SECOND
        lines.append(f"{second:.2f} s: {names[one]} meets {names[two]}")
    return lines


def keyframe_times(seen: Watched, count: int, by: str = "time") -> list[float]:
    """Seconds of keyframes: evenly spaced, or first contacts of the balls and goal bodies.

    The end of the attempt is always among them.
    """
    last = len(seen.states) - 1
    if by == "contacts":
        goal = seen.scene.goal
        watched_bodies = set(range(len(seen.scene.bodies) - seen.balls, len(seen.scene.bodies)))
        watched_bodies |= {goal.first, goal.second} if goal else set()
        frames = [
            seen.frame(event["step"] / STEPS_PER_SECOND)
            for event in _first_meetings(seen)
            if watched_bodies & {int(event["body_a"]), int(event["body_b"])}
        ]
        chosen = sorted({*list(dict.fromkeys(frames))[: count - 1], last})
    else:
        chosen = evenly_spaced(last, count)
    end = min(seen.steps, MAX_STEPS) / STEPS_PER_SECOND
    return [min(frame * STRIDE / STEPS_PER_SECOND, end) for frame in chosen]
