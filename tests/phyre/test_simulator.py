from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topple
from support.narrowing import not_none
from support.shared_data import TIERS, arrays, bits, needs_phyre_data
from topple.phyre import Simulator, Tier, discrete_actions, enumerate_tasks, template
from topple.phyre.engine.result import CONTACT_DTYPE, Outcome
from topple.phyre.scene import Scene

TASK = "00002:017"


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator("00002")


@pytest.fixture(scope="module")
def solution(simulator: Simulator) -> Any:
    return simulator.solutions(TASK)[0]


def test_what_it_says_of_itself(simulator: Simulator) -> None:
    assert len(simulator) == len(simulator.names) == 100
    assert simulator.tier is Tier.BALL
    assert simulator.action_size == 3
    assert simulator.goals.shape == (100, 3)
    assert (simulator.goals[:, 2] == 180).all()


def test_one_attempt_with_everything(simulator: Simulator, solution: Any) -> None:
    result = simulator.attempt(
        TASK,
        solution,
        images=True,
        objects=True,
        states=True,
        final_state=True,
        contacts=True,
        stride=20,
    )
    assert result.outcome is Outcome.SOLVED
    frames = result.steps // 20 + 1
    bodies = len(topple.load_task(TASK).scene.bodies) + 1
    images, contacts = not_none(result.images), not_none(result.contacts)
    assert images.shape == (frames, 256, 256)
    assert not_none(result.objects).shape == (frames, bodies - 4, 14)
    assert not_none(result.states).shape == (frames, bodies, 6)
    assert not_none(result.final_state).shape == (bodies, 6)
    assert contacts.dtype == CONTACT_DTYPE
    assert contacts["step"].max() == result.steps
    assert (images[0] == 1).any()  # the red ball
    assert result.balls.shape == (1, 3)


def test_contacts_get_the_buffer_they_need(
    simulator: Simulator, solution: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = simulator.attempt(TASK, solution, contacts=True).contacts
    monkeypatch.setattr("topple.phyre.simulator.FIRST_CONTACT_BUFFER", 1)
    found = simulator.attempt(TASK, solution, contacts=True).contacts
    assert len(not_none(expected)) > 1
    np.testing.assert_array_equal(found, not_none(expected))


def test_nothing_is_kept_unasked(simulator: Simulator) -> None:
    result = simulator.attempt(TASK, [0.9, 0.9, 0.1])
    kept = ("images", "objects", "states", "final_state", "contacts")
    assert all(getattr(result, name) is None for name in kept)


def test_invalid_actions(simulator: Simulator) -> None:
    result = simulator.attempt(TASK, [0.0, 0.5, 0.5], images=True)
    assert result.outcome is Outcome.INVALID
    assert len(not_none(result.images)) == 0
    assert not result.balls.any()
    assert not simulator.valid(TASK, [[0.0, 0.5, 0.5]])[0]


def test_nothing_placed(simulator: Simulator) -> None:
    result = simulator.rollout(TASK, images=True)
    assert result.outcome is Outcome.NOT_SOLVED
    assert not (not_none(result.images) == 1).any()
    assert result.balls.shape == (0, 3)


def test_a_batch_equals_its_attempts(simulator: Simulator) -> None:
    actions = discrete_actions(Tier.BALL, 12)
    tasks = list(simulator.names[::9])
    batch = simulator.attempts(tasks, actions, stable=True, images=True, stride=100)
    for k, (task, action) in enumerate(zip(tasks, actions, strict=True)):
        single = simulator.attempt(task, action, stable=True, images=True, stride=100)
        assert single.outcome == batch.outcome[k]
        assert single.steps == batch.steps[k]
        frames = not_none(batch.images)[k, : batch.frame_count[k]]
        np.testing.assert_array_equal(not_none(single.images), frames)
    valid = simulator.valid(tasks, actions)
    np.testing.assert_array_equal(valid, batch.outcome != Outcome.INVALID)
    assert (simulator.balls(tasks, actions)[valid] > 0).all()


def test_every_action_on_every_task(simulator: Simulator) -> None:
    actions = discrete_actions(Tier.BALL, 7)
    table = simulator.outcomes(actions, [3, 5])
    assert table.shape == (2, 7)
    np.testing.assert_array_equal(table[1], simulator.attempts(5, actions).outcome)
    np.testing.assert_array_equal(table[:, 2], simulator.attempts([3, 5], actions[2]).outcome)


def test_solutions(simulator: Simulator) -> None:
    found = simulator.solutions(TASK, 3, budget=2500, stable=True)
    assert found.shape == (3, 3)
    assert (simulator.attempts(TASK, found, stable=True).outcome == Outcome.STABLY_SOLVED).all()
    listed = discrete_actions(Tier.BALL, 2500)
    places = [int(np.flatnonzero((listed == action).all(axis=1))[0]) for action in found]
    assert places == sorted(places)
    assert simulator.solutions(TASK, budget=1).shape == (0, 3)
    assert len(simulator.solutions(TASK, 5, actions=found)) == 3
    with pytest.raises(ValueError, match="count is 0 and budget 10000; both are at least 1"):
        simulator.solutions(TASK, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.attempt(TASK, [0.5] * 6), r"shape \(6,\); in tier 'ball' it is a vector of 3"),
        (lambda s: s.attempts(TASK, [[0.5] * 4]), r"shape \(1, 4\); in tier 'ball' .* 3 columns"),
        (lambda s: s.attempts([0, 1], [[0.5] * 3] * 3), "there are 2 tasks and 3 actions"),
        (lambda s: s.attempt(TASK, [0.5] * 3, stride=0), "stride is 0"),
        (lambda s: s.attempt(TASK, [0.5, 0.5, np.nan]), "have to be finite"),
        (lambda s: s.attempts([100], [[0.5] * 3]), "there are tasks 0 to 99"),
    ],
)
def test_errors_name_the_value(simulator: Simulator, call: Any, message: str) -> None:
    with pytest.raises((ValueError, LookupError), match=message):
        call(simulator)


def test_no_attempts_at_all(simulator: Simulator) -> None:
    assert len(simulator.attempts([], np.zeros((0, 3)))) == 0
    assert simulator.outcomes(np.zeros((0, 3))).shape == (100, 0)


def test_simulators_go_to_other_processes(simulator: Simulator, solution: Any) -> None:
    copy = pickle.loads(pickle.dumps(simulator))
    assert copy.attempt(TASK, solution).outcome is Outcome.SOLVED
    assert copy.names == simulator.names


def test_scenes_and_templates_of_your_own() -> None:
    @template("mine", Tier.BALL, x=(0.1, 0.2))
    def mine(s: Any, x: float) -> None:
        """Let it fall."""
        s.goal(s.dynamic.ball(x, center_x=128, bottom=100), s.static.bar(0.5, bottom=0, left=64))

    tasks = list(enumerate_tasks(mine))
    by_template = Simulator(mine).rollout("mine:001")
    by_scene = Simulator(tasks[1].scene).rollout(tasks[1].scene)
    assert by_template.outcome is by_scene.outcome is Outcome.SOLVED
    assert by_template.steps == by_scene.steps
    bare = Simulator(Scene(tasks[0].scene.bodies))
    assert bare.goals.tolist() == [[-1, -1, 0]]
    assert bare.attempt("scene 0", [0.2, 0.8, 0.1]).outcome is Outcome.NOT_SOLVED


@cache
def pearls() -> Simulator:
    return Simulator("00012")


@given(st.integers(0, 99), st.lists(st.floats(-0.2, 1.2), min_size=3, max_size=3))
def test_validity_is_known_before_simulating(place: int, action: list[float]) -> None:
    simulator = pearls()
    outcome = simulator.attempts(place, [action], max_steps=1).outcome[0]
    assert simulator.valid(place, [action])[0] == (outcome != Outcome.INVALID)


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, topple; print('numpy' in sys.modules, 'Simulator' in dir(topple))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    for name in topple.__all__:
        assert getattr(topple, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Simulater'"):
        _ = topple.Simulater


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_initial_observations_of_the_original(tier: str) -> None:
    golden = arrays("golden_observations.npz")
    simulator = Simulator([str(task) for task in golden[f"{tier}_ids"]])
    np.testing.assert_array_equal(simulator.initial_images(), golden[f"{tier}_initial"])
    features = [simulator.initial_features(task) for task in simulator.names]
    np.testing.assert_array_equal(
        bits(np.concatenate(features)), bits(golden[f"{tier}_init_features"])
    )
