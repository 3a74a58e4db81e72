"""What an imagining agent had in its head before the attempts of a recorded run.

The agent does the same whenever it has the same settings, seed and task. So a record keeps nothing
of what was imagined: the agent is run again on the one task that somebody watches.
"""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from topple.paths import cache_folder
from topple.phyre.agents.imagine import Imagine, Thought
from topple.phyre.attempt import Attempt, AttemptLog
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.phases import Testing
from topple.phyre.task import UnknownTaskError, load_task
from topple.player.errors import NotFoundError
from topple.player.geometry import trajectory
from topple.player.models.replays import Imagination, ImaginedAttempt
from topple.player.runs import run_record
from topple.runs.runner import agent_of

SHOWN = 5  # imagined attempts before a real one
THINK_SECONDS = 20.0  # after which the agent makes no further attempt
_STEPS_PER_PIXEL = 8  # motion is rounded to these, which makes it smaller


class Rerun(NamedTuple):
    """What the agent did on a task, and what it had imagined before each attempt."""

    attempts: tuple[Attempt, ...]
    thoughts: tuple[Thought, ...]


@lru_cache(maxsize=16)
def run_again(path: Path, name: str) -> Rerun:
    """Run the agent of a record again on one of its tasks.

    Raises:
        NotFoundError: the run has no such task, or the agent does something else by now.
    """
    record = run_record(path)
    solved = dict(zip(map(str, record.results.tasks), record.results.first_solved, strict=True))
    try:
        task = load_task(name)
    except (UnknownTaskError, ValueError) as error:
        raise NotFoundError(str(error)) from None
    agent = agent_of(record.config)
    if not isinstance(agent, Imagine) or name not in solved:
        raise NotFoundError(f"this run has imagined nothing about {name}")
    cache = ActionCache(cache_folder() / ACTION_CACHE, task.tier)
    log = AttemptLog([task.id], record.config.attempts)
    testing = Testing([task], cache, log, record.config.generators()[1])
    end = time.monotonic() + THINK_SECONDS
    thoughts = []
    for thought in agent.think(testing, SHOWN):
        if time.monotonic() > end:
            break
        thoughts.append(thought)
    else:
        if log.first_solved()[0] != solved[name]:
            raise NotFoundError("this run was made by another version of the agent; run it again")
    return Rerun(tuple(log), tuple(thoughts[: len(log)]))


def imagination(path: Path, name: str, attempt: int) -> Imagination:
    """What was imagined before an attempt, counted from 1.

    Raises:
        NotFoundError: there is no such attempt.
    """
    thoughts = run_again(path, name).thoughts
    if not 1 <= attempt <= len(thoughts):
        raise NotFoundError(f"the agent is known to have made {len(thoughts)} attempts at {name}")
    thought = thoughts[attempt - 1]
    scene = load_task(name).scene
    assert scene.goal is not None
    moving = [body for body in sorted(scene.goal[:2]) if scene.bodies[body].dynamic]
    shown = []
    for action in thought.best:
        motion = thought.mind.motion(action, 0)
        if motion is not None:
            bodies = [*moving, *range(len(scene.bodies), len(scene.bodies) + len(motion.balls))]
            poses = np.round(motion.poses * _STEPS_PER_PIXEL) / _STEPS_PER_PIXEL
            shown.append(
                ImaginedAttempt(
                    action=action.tolist(),
                    solved=motion.solved,
                    trajectory=trajectory(poses, bodies, motion.fps, motion.balls),
                )
            )
    return Imagination(
        attempt=attempt, imagined=thought.imagined, solutions=thought.solutions, attempts=shown
    )
