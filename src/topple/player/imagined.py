"""What an imagining agent had in its head before the attempts of a recorded run.

The agent does the same whenever it has the same settings, seed and task. So a record keeps nothing
of what was imagined: the agent is run again on the one task that somebody watches. In I-PHYRE it
draws from one generator for all games, so it is run again on the games before, too.
"""

from __future__ import annotations

import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.iphyre.agents.imagine import Imagine as GameImagine
from topple.iphyre.agents.imagine import Thought as GameThought
from topple.iphyre.phases import Testing as GameTesting
from topple.iphyre.results import IPhyreRecord
from topple.paths import cache_folder
from topple.phyre.agents.imagine import Imagine, Thought
from topple.phyre.attempt import Attempt, AttemptLog
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.phases import Testing
from topple.phyre.task import UnknownTaskError, load_task
from topple.player.errors import NotFoundError, raised_as
from topple.player.geometry import trajectory
from topple.player.models.base import Benchmark, Elimination
from topple.player.models.replays import Imagination, ImaginedAttempt
from topple.player.runs import run_record
from topple.runs.runner import agent_of

SHOWN = 5  # imagined attempts before a real one
THINK_SECONDS = 20.0  # after which the agent makes no further attempt
_STEPS_PER_PIXEL = 8  # motion is rounded to these, which makes it smaller
_GAME_FPS = 10  # of imagined plays


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
    with raised_as(NotFoundError, UnknownTaskError, ValueError):
        task = load_task(name)
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
    if run_record(path).config.benchmark == Benchmark.IPHYRE.value:
        return _play_imagination(_games_again(path).thought(name, attempt), attempt)
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
            poses = _rounded(motion.poses)
            shown.append(
                ImaginedAttempt(
                    action=action.tolist(),
                    solved=motion.solved,
                    trajectory=trajectory(poses, bodies, motion.fps, motion.balls),
                )
            )
    return Imagination.from_object(thought, attempt=attempt, attempts=shown)


def _rounded(poses: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.round(poses * _STEPS_PER_PIXEL) / _STEPS_PER_PIXEL)


class _GamesAgain:
    """The games of a run played again, in order, as far as somebody asked."""

    def __init__(self, record: IPhyreRecord) -> None:
        agent = agent_of(record.config)
        assert isinstance(agent, GameImagine)
        selection = record.config.selection
        rng = record.config.generators()[1]
        testing = GameTesting(selection.scored(), selection.rules, rng, record.config.attempts)
        self._rest = agent.think(testing, SHOWN)
        self._thoughts: dict[str, list[GameThought]] = {name: [] for name in selection.games}
        self._plays = [(play.game, play.plan) for play in record.results.plays]
        self._lock = threading.Lock()

    def thought(self, name: str, attempt: int) -> GameThought:
        """What was imagined before a play.

        Raises:
            NotFoundError: there is no such play, the agent does something else by now, or it has
                to think about more games before than it has time for.
        """
        made = [game for game, _ in self._plays]
        if not 1 <= attempt <= made.count(name):
            raise NotFoundError(f"the agent made {made.count(name)} attempts at {name}")
        with self._lock:
            end = time.monotonic() + THINK_SECONDS
            while len(self._thoughts[name]) < attempt:
                if time.monotonic() > end:
                    known = sum(map(bool, self._thoughts.values()))
                    raise NotFoundError(
                        f"the agent has thought again about {known} of the games before this one; "
                        "open it again to let it go on"
                    )
                self._go_on()
            return self._thoughts[name][attempt - 1]

    def _go_on(self) -> None:
        known = sum(map(len, self._thoughts.values()))
        thought = next(self._rest, None)
        if thought is None or (thought.game.name, thought.plan) != self._plays[known]:
            raise NotFoundError("this run was made by another version of the agent; run it again")
        self._thoughts[thought.game.name].append(thought)


@lru_cache(maxsize=16)
def _games_again(path: Path) -> _GamesAgain:
    return _GamesAgain(run_record(path))


def _play_imagination(thought: GameThought, attempt: int) -> Imagination:
    balls = [body for body, ball in enumerate(thought.game.scene.is_ball) if ball]
    shown = []
    for plan in thought.best:
        motion = thought.motion(plan)
        stride = thought.rules.hz // _GAME_FPS
        shown.append(
            ImaginedAttempt(
                plan=[Elimination(tick=tick, body=body) for tick, body in plan.eliminations],
                solved=motion.solved,
                trajectory=trajectory(_rounded(motion.poses[::stride]), balls, _GAME_FPS),
            )
        )
    return Imagination.from_object(thought, attempt=attempt, attempts=shown)
