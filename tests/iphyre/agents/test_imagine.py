"""The imagining agent perceives with noise, and learns from failures; without, it is an oracle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from topple.iphyre.agents.imagine import Imagine, Mind
from topple.iphyre.engine.batch import Params
from topple.iphyre.episode import watch
from topple.iphyre.games import game_named
from topple.iphyre.phases import Testing
from topple.iphyre.plan import row_plan
from topple.iphyre.report import game_runs_table
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.selection import GameSelection
from topple.runs.agent import Kind, Setting
from topple.runs.config import RunConfig
from topple.runs.runner import Runner, agent_of

GAMES = ("support", "hinder", "hole")
EXACT: dict[str, Setting] = dict.fromkeys(
    ("place_noise", "angle_noise", "size_noise", "constants_noise"), 0.0
)


def run(settings: Mapping[str, Setting] | None = None, seed: int = 0) -> IPhyreRecord:
    few = {"imagined": 200, "generations": 4, **(settings or {})}
    config = RunConfig("imagine", GameSelection(GAMES), few, attempts=5, seed=seed)
    return Runner(Path("unused")).run(config)


def test_without_noise_it_is_an_oracle_with_search() -> None:
    record = run({**EXACT, "timing_noise": 0.0})
    assert record.kind is Kind.ORACLE
    assert record.results.average.success_rate == 1.0
    assert len(record.results.plays) == len(GAMES)
    assert 0 < record.protocol["simulator_calls_in_testing"] <= 200 * len(GAMES)
    # A hand that shakes does not make what it knows of the game less exact.
    assert run({**EXACT, "timing_noise": 0.1}).kind is Kind.ORACLE


def test_with_noise_it_imagines_and_says_how() -> None:
    record = run()
    assert record.kind is Kind.IMAGINING
    assert record.protocol["simulator_calls_in_testing"] == 0
    assert record.protocol["imagined_plays"] > 0
    knobs = record.protocol["imagination"]
    assert (knobs["place_noise"], knobs["imagined"], knobs["percepts"]) == (4.0, 200, 8)
    assert {row[1] for row in game_runs_table([record]).rows} == {"imagining"}
    assert record.results.plays == run().results.plays
    assert record.results.plays != run(seed=1).results.plays


def test_it_tells_what_it_thinks_and_does_the_same() -> None:
    record = run({"place_noise": 30.0})
    agent = agent_of(record.config)
    assert isinstance(agent, Imagine)
    selection = record.config.selection
    testing = Testing(selection.scored(), selection.rules, record.config.generators()[1], 5)
    thoughts = list(agent.think(testing, shown=3))
    assert tuple(testing.log) == record.results.plays
    assert [each.plan for each in thoughts] == [play.plan for play in record.results.plays]
    for thought in thoughts:
        assert 1 <= len(thought.best) <= 3
        assert len(set(thought.best)) == len(thought.best)
        assert thought.solutions <= thought.imagined <= 200 // 8
        if thought.solutions:
            assert thought.motion(thought.best[0]).poses.shape[1:] == (
                len(thought.game.scene.radii),
                3,
            )


def test_the_more_noise_the_less_it_solves() -> None:
    solved = []
    for noise in (0.5, 60.0):
        blur = {"place_noise": noise, "angle_noise": noise, "size_noise": noise}
        runs = [run(blur, seed) for seed in range(3)]
        solved.append(np.mean([each.results.solved_within(1) for each in runs]))
    assert solved[0] > solved[1] + 0.2


def test_percepts_are_off_by_as_much_as_the_noise() -> None:
    game, rng = game_named("hinder"), np.random.default_rng(0)
    agent = Imagine(place_noise=5.0, angle_noise=3.0, size_noise=2.0, constants_noise=0.1)
    looks = [agent.look(game, Params(), rng) for _ in range(400)]
    real = np.array(game.scene.ends)
    ends = np.array([look.scene.ends for look in looks])
    middles = (ends[..., :2] + ends[..., 2:]) / 2 - (real[:, :2] + real[:, 2:]) / 2
    assert middles.std() == pytest.approx(5.0, rel=0.1)
    halves, real_halves = (each[..., 2:] - each[..., :2] for each in (ends, real))
    block = 0
    lengths = np.hypot(*halves[:, block].T) / np.hypot(*real_halves[block])
    assert lengths.std() == pytest.approx(0.02, rel=0.15)
    turned = np.arctan2(*halves[:, block, ::-1].T) - np.arctan2(*real_halves[block, ::-1])
    angles = np.degrees((turned + np.pi) % (2 * np.pi) - np.pi)
    assert angles.std() == pytest.approx(3.0, rel=0.15)
    radii = np.array([look.scene.radii for look in looks])
    assert (radii[:, block] == game.scene.radii[block]).all()
    assert radii[:, -1].std() / game.scene.radii[-1] == pytest.approx(0.02, rel=0.15)
    gravities = np.log([look.params.gravity / Params().gravity for look in looks])
    assert gravities.std() == pytest.approx(0.1, rel=0.15)


def test_a_failure_speaks_for_the_percepts_that_expected_it() -> None:
    game, rng = game_named("hole"), np.random.default_rng(1)
    mind = Mind(Imagine(place_noise=40.0, percepts=6), game, AT_10_HZ, rng)
    right = mind.percepts[2] = Imagine(**EXACT).look(game, Params(), rng)  # type: ignore[arg-type]
    assert right.scene == game.scene
    row = np.full(len(game.eliminable), -1, np.int32)
    row[0] = 10
    plan = row_plan(game, row, AT_10_HZ)
    before = mind.evaluation()(row[None]).values[0]
    mind.update(row, plan, watch(game, plan, AT_10_HZ))
    assert mind.weights.sum() == pytest.approx(1.0)
    assert mind.weights.argmax() == 2
    assert mind.weights[2] > 1.2 / 6
    assert mind.evaluation()(row[None]).values[0] != before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"place_noise": -1.0}, "place_noise is -1.0"), ({"percepts": 0}, "percepts is 0")],
)
def test_wrong_settings_are_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Imagine(**wrong)  # type: ignore[arg-type]
