"""What an imagining agent would do on the tasks that people tried: see `topple.reports.noise`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions, listed_actions
from topple.phyre.agents.minds import Perception
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.result import Outcome
from topple.phyre.results import PhyreRecord
from topple.phyre.scene import Scene
from topple.phyre.task import TaskId, load_task
from topple.reports.noise import Bools, Candidates, First

_LISTED = 10  # listed actions simulated for each candidate, so that few solutions are missed
_SHARE = 0.5  # of the candidates that are solutions, if there are so many


def tried_tasks(records: Sequence[PhyreRecord]) -> list[TaskId]:
    """The tasks that somebody tried, in order."""
    tried = (attempt.task for record in records for attempt in record.results.attempts)
    return list(dict.fromkeys(tried))


def task_candidates(
    records: Sequence[PhyreRecord], percepts: int, candidates: int, seed: int
) -> Iterator[Candidates]:
    """Listed actions for each task that somebody tried, and what people did first.

    Solutions are rare, so that up to half of the candidates are solutions, each of which then
    stands for fewer actions than the others.

    Args:
        records: those of the participants of a study.
        percepts: of each task, at each level of noise.
        candidates: actions chosen for each task.
        seed: of everything that is drawn.
    """
    for number, name in enumerate(tried_tasks(records)):
        task = load_task(name)
        scene, rng = task.scene, np.random.default_rng((seed, number))
        listed = listed_actions(task.tier, _LISTED * candidates)
        outcome = _outcomes(scene, listed)
        groups = [np.flatnonzero(outcome == each) for each in (Outcome.SOLVED, Outcome.NOT_SOLVED)]
        solved = min(len(groups[0]), round(_SHARE * candidates))
        chosen, weights = [], []
        for group, wanted in zip(groups, (solved, candidates - solved), strict=True):
            drawn = rng.permutation(group)[:wanted]
            chosen.append(drawn)
            weights.append(np.full(len(drawn), len(group) / max(len(drawn), 1)))
        places = np.concatenate(chosen)
        actions, firsts = [listed[places]], []
        for record in records:
            tries = [each for each in record.results.attempts if each.task == name]
            if tries:
                won = [k for k, each in enumerate(tries, 1) if each.outcome.is_solved]
                who = record.config.variant
                firsts.append(First(who, len(tries), won[0] if won else 0))
                actions.append(np.array([tries[0].action]))
        every = np.concatenate(actions)

        def imagine(
            level: float, scene: Scene = scene, every: Actions = every, number: int = number
        ) -> Bools:
            draws = np.random.default_rng((seed, number, 1))
            eye = Perception(level, level, level)
            looks = [eye.look(scene, draws) for _ in range(percepts)]
            return np.array([_outcomes(look, every) == Outcome.SOLVED for look in looks])

        real = outcome[places] == Outcome.SOLVED
        yield Candidates(str(name), real, np.concatenate(weights), firsts, imagine)


def _outcomes(scene: Scene, actions: Actions) -> npt.NDArray[np.int8]:
    return simulate_batch(SceneSet([scene]), np.zeros(len(actions), np.int32), actions).outcome
