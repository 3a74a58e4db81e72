"""A simulated study: participants who imagine with a known noise, which the fit recovers."""

from __future__ import annotations

import numpy as np
import pytest

from topple.phyre.action import discrete_actions
from topple.phyre.agents.minds import Perception
from topple.phyre.analysis.people import task_candidates, tried_tasks
from topple.phyre.attempt import AttemptLog
from topple.phyre.results import PhyreRecord, TaskResults
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.simulator import Simulator
from topple.phyre.task import TaskId, load_task
from topple.reports.noise import NoiseFit, puzzle_likelihoods
from topple.runs.agent import HUMAN
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord

LEVELS = (0.5, 4.0, 32.0)
TASKS = ("00000:046", "00002:017", "00003:057", "00013:179", "00015:014", "00017:007")


def participant(noise: float) -> PhyreRecord:
    """Somebody who takes the action that works in most of eight glances, once on each task."""
    tasks = [TaskId.parse(name) for name in TASKS]
    log = AttemptLog(tasks)
    for number, name in enumerate(tasks):
        task, rng = load_task(name), np.random.default_rng((number, int(noise)))
        here = Simulator([task])
        actions = discrete_actions(task.tier, 200, seed=number)
        actions = actions[here.valid([0], actions)]
        eye = Perception(noise, noise, noise)
        looks = [eye.look(task.scene, rng)._replace(name=str(k)) for k in range(8)]
        works = Simulator(looks, task.tier).outcomes(actions) == 1
        best = actions[works.mean(axis=0).argmax()]
        log.append(name, best, here.attempt(0, best).outcome)
    selection = TaskSelection(None, None, Part.STUDY, TASKS, "study")
    config = RunConfig(HUMAN, selection, variant=f"P-{noise:g}")
    return RunRecord(config, {}, {}, TaskResults.of(log))


@pytest.mark.slow
def test_the_noise_of_simulated_participants_is_recovered() -> None:
    records = [participant(noise) for noise in (0.5, 32.0)]
    puzzles = list(task_candidates(records, percepts=8, candidates=60, seed=0))
    assert [puzzle.name for puzzle in puzzles] == list(map(str, tried_tasks(records)))
    fit = NoiseFit.of(LEVELS, [puzzle_likelihoods(puzzle, LEVELS) for puzzle in puzzles])
    assert fit.best("P-0.5") == 0.5
    assert fit.best("P-32") == 32.0
