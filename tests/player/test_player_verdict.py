"""When the goal bodies touch, and when the outcome of an attempt is certain."""

from __future__ import annotations

import numpy as np
import pytest

from topple.phyre.action import sample_actions
from topple.phyre.engine.native import SceneSet, Simulation
from topple.phyre.engine.request import MAX_STEPS
from topple.phyre.tier import Tier
from topple.player.geometry import goal_intervals
from topple.player.puzzles import PhyreTask, published_task

FEW = ("00000:032", "00002:055", "00012:198", "00015:485", "00102:049", "00114:126")


def _check(task: PhyreTask, attempts: int) -> int:
    """Compare random attempts with the engine's own judgement after every step."""
    rng = np.random.RandomState(0)
    actions = sample_actions(task.tier, 40 * attempts, rng)
    outcomes = task.simulator.outcomes(actions)[0]
    chosen = [*np.flatnonzero(outcomes > 0)[:attempts], *np.flatnonzero(outcomes < 0)[:attempts]]
    assert len(chosen) >= attempts
    for row in chosen:
        result = task.attempt(actions[row].tolist())
        simulation = Simulation(SceneSet([task.scene]), 0, result.balls)
        holds = []
        for _ in range(result.steps + 1 if outcomes[row] > 0 else MAX_STEPS):
            simulation.step()
            holds.append(simulation.holds_goal())
        found = np.zeros(len(holds), bool)
        for first, last in goal_intervals(task.scene, result):
            found[first : last + 1] = True
        np.testing.assert_array_equal(found, holds, err_msg=f"{task.name} {actions[row]}")
    return len(chosen)


@pytest.mark.parametrize("name", FEW)
def test_touching_is_what_the_engine_judges(name: str) -> None:
    assert _check(published_task(name), 4) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("template", [t for tier in Tier for t in tier.template_ids])
def test_touching_is_what_the_engine_judges_in_every_template(template: str) -> None:
    from topple.player.puzzles import task_names

    for name in task_names(template)[:3]:
        _check(published_task(name), 5)
