"""Physics that are imagined: PHYRE's bits by default, and other worlds where asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.narrowing import not_none
from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, simulate_batch, valid_actions
from topple.phyre.engine.physics import COARSE, Physics
from topple.phyre.engine.request import MAX_STEPS, Request
from topple.phyre.engine.result import BatchResult, Outcome
from topple.phyre.scene import Body, Circle, Polygon, Scene
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

FLOOR = Body((Polygon(((-128, -5), (128, -5), (128, 5), (-128, 5))),), False, (128.0, 5.0))


def ball(x: float, y: float, vx: float = 0.0) -> Body:
    return Body((Circle(10.0),), True, (x, y), velocity=(vx, 0.0))


def fall(physics: Physics, body: Body, seconds: float = 2.0) -> BatchResult:
    request = Request(
        max_steps=round(seconds / physics.time_step), stride=1, states=True, final_state=True
    )
    scenes = SceneSet([Scene((FLOOR, body))])
    return simulate_batch(scenes, [0], np.zeros((1, 0)), request, physics=physics)


def attempts(physics: Physics | None, tier: Tier, threads: int | None = None) -> BatchResult:
    """Valid attempts on a task of each template."""
    tasks = [load_task(template_task_ids(template)[3]) for template in tier.template_ids]
    scenes = SceneSet([task.scene for task in tasks])
    actions = discrete_actions(tier, 30)
    place, number = np.nonzero(valid_actions(scenes, actions))
    steps = MAX_STEPS if physics is None else physics.steps(MAX_STEPS)
    request = Request(max_steps=steps, final_state=True)
    return simulate_batch(scenes, place, actions[number], request, threads=threads, physics=physics)


@pytest.mark.parametrize("tier", Tier)
def test_the_defaults_have_the_bits_of_the_engine(tier: Tier) -> None:
    real, imagined = attempts(None, tier), attempts(Physics(), tier)
    assert len(real) > 150
    np.testing.assert_array_equal(imagined.outcome, real.outcome)
    np.testing.assert_array_equal(imagined.steps, real.steps)
    assert not_none(imagined.final_state).tobytes() == not_none(real.final_state).tobytes()


def test_coarse_physics_mostly_agree() -> None:
    real, coarse = attempts(None, Tier.BALL), attempts(COARSE, Tier.BALL)
    truth, guess = real.outcome == Outcome.SOLVED, coarse.outcome == Outcome.SOLVED
    assert truth.sum() > 4
    assert (truth & guess).sum() / truth.sum() > 0.6
    assert (truth == guess).mean() > 0.97
    assert (not_none(coarse.final_state) != not_none(real.final_state)).any()


def test_a_goal_takes_as_long_with_any_time_step() -> None:
    slow, fast = Physics(), Physics(time_step=1 / 30)
    assert (slow.steps(180), fast.steps(180), COARSE.steps(180)) == (180, 90, 120)
    real, other = attempts(slow, Tier.BALL), attempts(fast, Tier.BALL)
    both = (real.outcome == Outcome.SOLVED) & (other.outcome == Outcome.SOLVED)
    ratio = np.median(other.steps[both] / real.steps[both])
    assert ratio == pytest.approx(0.5, abs=0.05)


def test_gravity() -> None:
    for gravity in (0.0, -4.9, -9.8):
        states = not_none(fall(Physics(gravity=gravity), ball(128.0, 200.0), 1.0).states)
        metres = (200.0 - states[0, -1, 1, 1]) / 6.0
        assert metres == pytest.approx(-gravity / 2, rel=0.03)


def test_restitution() -> None:
    heights = []
    for restitution in (0.0, 0.2, 0.8):
        result = fall(Physics(restitution=restitution), ball(128.0, 120.0), 6.0)
        y = not_none(result.states)[0, :, 1, 1]
        landed = int(np.argmax(y < 21.0))
        heights.append(float(y[landed:].max()))
    assert heights[0] < heights[1] < heights[2]


def test_friction() -> None:
    spins = []
    for friction in (0.0, 0.5):
        states = not_none(fall(Physics(friction=friction), ball(60.0, 20.0, 40.0), 1.0).states)
        spins.append(abs(float(states[0, -1, 1, 5])))
    assert spins[0] == 0.0
    assert spins[1] > 0.5


def test_without_continuous_collision_fast_bodies_pass_through() -> None:
    thin = Body((Polygon(((-128, -0.5), (128, -0.5), (128, 0.5), (-128, 0.5))),), False, (128, 100))
    falling = Body((Circle(2.0),), True, (128.0, 250.0), velocity=(0.0, -700.0))
    ends = []
    for continuous in (True, False):
        physics = Physics(continuous=continuous)
        scenes = SceneSet([Scene((thin, falling))])
        request = Request(max_steps=60, final_state=True)
        result = simulate_batch(scenes, [0], np.zeros((1, 0)), request, physics=physics)
        ends.append(float(not_none(result.final_state)[0, 1, 1]))
    assert ends[0] > 100 > ends[1]


def test_noise_comes_from_its_seed_alone() -> None:
    def final(seed: int, threads: int = 1) -> bytes:
        result = attempts(replace(COARSE, noise=0.2, seed=seed), Tier.BALL, threads)
        return not_none(result.final_state).tobytes()

    assert final(1) == final(1, threads=2)
    assert final(1) != final(2)


def test_noise_grows_with_its_setting() -> None:
    def spread(noise: float) -> float:
        ends = [
            fall(Physics(noise=noise, seed=seed, gravity=0.0), ball(60.0, 120.0, 60.0), 1.0)
            for seed in range(200)
        ]
        return float(np.std([not_none(end.final_state)[0, 1, 0] for end in ends]))

    # The speed wanders by a share of sqrt(t) after t seconds: the distance by sqrt(1/3) of it.
    assert spread(0.0) == pytest.approx(0.0, abs=1e-3)
    assert spread(0.1) == pytest.approx(60.0 * 0.1 / np.sqrt(3), rel=0.2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_step": 0.0},
        {"time_step": 1.0},
        {"friction": -0.1},
        {"restitution": float("nan")},
        {"velocity_passes": 0},
        {"position_passes": 0},
        {"noise": -1.0},
        {"gravity": float("inf")},
    ],
)
def test_bad_physics_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Physics(**wrong)
