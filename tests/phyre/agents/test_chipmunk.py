"""Chipmunk as the engine of an imagining agent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from topple.phyre.action import listed_actions
from topple.phyre.engine.result import Outcome
from topple.phyre.scene import Body, Circle, Color, Goal, Polygon, Scene
from topple.phyre.simulator import Simulator
from topple.phyre.tier import Tier
from topple.pymunk_memory import Floats

pytest.importorskip("pymunk")
from topple.phyre.agents import chipmunk
from topple.phyre.agents.chipmunk import ChipmunkMind, Constants, Imagined, _Space
from topple.phyre.agents.outlines import SEEN
from topple.phyre.engine.native import ChipmunkPace

FLOOR = Body(
    (Polygon(((128.0, 5.0), (-128.0, 5.0), (-128.0, -5.0), (128.0, -5.0))),), False, (128, 5)
)
WALL = Body((Polygon(((5.0, 50.0), (-5.0, 50.0), (-5.0, -50.0), (5.0, -50.0))),), False, (40, 60))


def falling(x: float, hold_steps: int = 180) -> Scene:
    """A ball that falls beside, or onto, a ball at rest in a corner."""
    balls = [Body((Circle(10.0),), True, place, color=Color.GREEN) for place in ((55, 20), (x, 90))]
    return Scene((FLOOR, WALL, *balls), Goal(2, 3, hold_steps), name="falling")


COLUMNS = SEEN.stop - SEEN.start  # of a path
FAR = [[[0.9, 0.9, 0.1]]]  # an action that disturbs nothing


def same(a: Imagined, b: Imagined) -> bool:
    """Whether two results are equal to the last bit."""
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in a._fields)


def test_free_fall_is_that_of_the_exact_engine() -> None:
    scene = falling(150.0)
    exact = Simulator([scene], Tier.BALL).attempt(0, FAR[0][0], final_state=True, max_steps=50)
    imagined = ChipmunkMind(max_steps=50).imagine(scene, FAR)
    assert exact.final_state is not None
    assert imagined.final[0, 3, :2] == pytest.approx(exact.final_state[3, :2], abs=0.01)
    assert imagined.outcome.tolist() == [Outcome.NOT_SOLVED]
    assert imagined.steps.tolist() == [50]
    assert imagined.touch.tolist() == [0]
    # The distance is the one at the end, when the falling ball is lowest.
    expected = np.hypot(*(imagined.final[0, 3, :2] - imagined.final[0, 2, :2])) - 20
    assert imagined.distance[0] == pytest.approx(expected)


def test_a_touch_that_lasts_solves() -> None:
    imagined = ChipmunkMind().imagine(falling(150.0, 30), [[[0.9, 0.9, 0.1]], [[0.9, 0.0, 0.1]]])
    assert imagined.outcome.tolist() == [Outcome.NOT_SOLVED, Outcome.INVALID]
    wedged = ChipmunkMind().imagine(falling(51.0, 30), FAR)
    assert wedged.outcome.tolist() == [Outcome.SOLVED]
    assert wedged.touch[0] >= 30
    assert wedged.distance.tolist() == [0.0]
    assert 30 < wedged.steps[0] < 200


def test_batches_do_not_depend_on_their_order_and_noise_on_its_seed() -> None:
    scene = Simulator("00014:006").tasks.scene(0)
    actions = listed_actions(Tier.BALL, 40).reshape(-1, 1, 3)
    mind = ChipmunkMind()
    there = mind.imagine(scene, actions)
    back = mind.imagine(scene, actions[::-1])
    flipped = {name: getattr(back, name)[::-1] for name in back._fields}
    assert same(there, back._replace(**flipped))
    noisy = ChipmunkMind(Constants(motion_noise=0.1))
    first, again, other = (noisy.imagine(scene, actions[:5], seed) for seed in (1, 1, 2))
    assert same(first, again)
    assert not same(first, other)
    assert not np.array_equal(there.final[:5], first.final)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_attempts_that_are_watched_go_as_those_that_are_not(noise: float) -> None:
    scene = Simulator("00014:006").tasks.scene(0)
    actions = listed_actions(Tier.BALL, 20).reshape(-1, 1, 3)
    mind = ChipmunkMind(Constants(motion_noise=noise))
    frames: list[Floats] = []
    watched = mind.imagine(scene, actions, frames=frames)
    assert same(watched, mind.imagine(scene, actions))
    last = np.flatnonzero(watched.outcome)[-1]
    assert np.array_equal(frames[-1], watched.final[last])
    assert len(frames) > 10 * (watched.outcome != Outcome.INVALID).sum()


@pytest.mark.parametrize(("drop", "rebound"), [(0.2, 0.0), (30.0, 30.0)])
def test_only_fast_bodies_bounce(drop: float, rebound: float) -> None:
    """PHYRE's threshold of 1 m/s, which a fall of 0.3 pixels reaches."""
    ball = Body((Circle(10.0),), True, (150.0, 20.0 + drop), color=Color.GREEN)
    other = Body((Circle(10.0),), True, (220.0, 20.0), color=Color.BLUE)
    frames: list[Floats] = []
    mind = ChipmunkMind(Constants(restitution=1.0, stride=1), 240)
    mind.imagine(Scene((FLOOR, ball, other), Goal(1, 2)), FAR, frames=frames)
    height = np.array([frame[1, 1] for frame in frames]) - 20.0
    met = int(height.argmin())
    assert height[met:].max() == pytest.approx(rebound, abs=0.05 + 0.1 * rebound)


@pytest.mark.parametrize("task", ["00002:017", "00005:006", "00013:011", "00101:003"])
def test_bodies_far_apart_are_told_without_looking_closely(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator = Simulator(task)
    scene, tier = simulator.tasks.scene(0), simulator.tier
    actions = listed_actions(tier, 40).reshape(40, -1, 3)
    quick = ChipmunkMind().imagine(scene, actions)
    monkeypatch.setattr(chipmunk, "_CLOSE", math.inf)
    assert same(ChipmunkMind().imagine(scene, actions), quick)


def test_it_foresees_most_outcomes() -> None:
    hits = false_alarms = misses = 0
    for tier, task in (
        (Tier.BALL, "00002:017"),
        (Tier.BALL, "00003:057"),
        (Tier.TWO_BALLS, "00100:015"),
    ):
        simulator = Simulator(task)
        listed = listed_actions(tier, 400)
        real = simulator.outcomes(listed)[0]
        chosen = np.concatenate([np.flatnonzero(real == 1)[:20], np.flatnonzero(real < 1)[:60]])
        balls = listed[chosen].reshape(len(chosen), -1, 3)
        imagined = ChipmunkMind().imagine(simulator.tasks.scene(0), balls)
        real = real[chosen]
        assert np.array_equal(imagined.outcome == 0, real == 0)
        hits += int(((imagined.outcome == 1) & (real == 1)).sum())
        false_alarms += int(((imagined.outcome == 1) & (real != 1)).sum())
        misses += int(((imagined.outcome != 1) & (real == 1)).sum())
    assert hits > 15
    assert hits / (hits + false_alarms) > 0.7
    assert hits / (hits + misses) > 0.7


def test_wrong_constants_change_what_is_imagined() -> None:
    scene = falling(51.0)
    usual = ChipmunkMind(max_steps=200).imagine(scene, FAR)
    for wrong in (Constants(friction=0.0), Constants(restitution=0.9), Constants(gravity=0.3)):
        assert not np.array_equal(ChipmunkMind(wrong, 200).imagine(scene, FAR).final, usual.final)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"friction": -0.1}, "friction is -0.1"),
        ({"gravity": float("nan")}, "gravity is nan"),
        ({"stride": 0}, "stride is 0"),
        ({"bias": 1.0}, "bias is 1.0"),
    ],
)
def test_wrong_values_are_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Constants(**wrong)  # type: ignore[arg-type]


def test_a_scene_needs_a_goal_and_balls_their_shape() -> None:
    with pytest.raises(ValueError, match="falling has no goal"):
        ChipmunkMind().imagine(falling(51.0)._replace(goal=None), FAR)
    with pytest.raises(ValueError, match=r"balls have shape \(1, 3\)"):
        ChipmunkMind().imagine(falling(51.0), FAR[0])


def test_another_declaration_of_a_function_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(chipmunk._FUNCTIONS, "cpSpaceStep", "void(*)(struct cpSpace *, float)")
    with pytest.raises(ImportError, match="declares functions of Chipmunk in an unknown way"):
        chipmunk._library()


@pytest.mark.parametrize(
    ("path", "noise", "message"),
    [
        ((4, 1, COLUMNS), None, "the path has another shape"),
        ((4, 2, 3), None, "the path has another shape"),
        ((4, 2, COLUMNS), (4, 2, 3), "the noise has another shape"),
    ],
)
def test_arrays_of_another_shape_are_refused(
    path: tuple[int, ...], noise: tuple[int, ...] | None, message: str
) -> None:
    space = _Space(falling(150.0), 1, Constants())
    pace = ChipmunkPace(max_steps=20, stride=5, dt=1 / 60, damping=1.0)
    factors = None if noise is None else np.ones(noise)
    with pytest.raises(ValueError, match=message):
        space.attempts.advance(np.zeros(4, np.int64), np.zeros(path), factors, 4, pace)


def test_an_attempt_ends_with_its_path() -> None:
    """A path that is too short for all looks is filled and never overrun."""
    space = _Space(falling(150.0), 1, Constants())
    pace = ChipmunkPace(max_steps=1000, stride=5, dt=1 / 60, damping=1.0)
    whole = np.full((5, 2, COLUMNS), np.nan)
    progress = np.zeros(4, np.int64)
    assert space.attempts.advance(progress, whole[:3], None, 1000, pace)
    assert progress.tolist() == [15, 0, 0, 3]
    assert np.isfinite(whole[:3]).all()
    assert np.isnan(whole[3:]).all()
