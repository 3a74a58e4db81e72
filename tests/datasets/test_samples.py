"""What samples hold is what the engine gives, drawn as the spec says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.dataset_specs import expected_samples, iphyre_spec, phyre_spec
from support.narrowing import not_none
from topple.datasets import build, check
from topple.datasets.phyre_source import PhyreSource
from topple.datasets.plan import Plan, open_source
from topple.datasets.sample import Sample, differences
from topple.datasets.spec import Actions, Keep, Spec, SpecError, Tasks, spec_from_data
from topple.iphyre import AT_60_HZ, game_named, watch
from topple.iphyre.plan import row_plan
from topple.phyre import Simulator
from topple.phyre.palette import to_rgb
from topple.phyre.puzzle_file import read_scenes


@pytest.fixture(scope="module")
def phyre_samples() -> list[Sample]:
    return expected_samples(phyre_spec())


def test_attempts_are_those_of_the_simulator(phyre_samples: list[Sample]) -> None:
    assert len(phyre_samples) == 15
    assert Counter(sample["split"] for sample in phyre_samples) == {"train": 10, "test": 5}
    simulator = Simulator(["00000:000", "00001:000", "00002:017"])
    seen = set()
    for sample in phyre_samples:
        keep: Any = {"stride": 250, "states": True, "objects": True, "images": True}
        if len(sample["action"]):
            alone = simulator.attempt(sample["task"], sample["action"], contacts=True, **keep)
        else:
            alone = simulator.rollout(sample["task"], contacts=True, **keep)
        seen.add((sample["draw"], int(alone.outcome)))
        assert (alone.outcome, alone.steps) == (sample["outcome"], sample["steps"])
        if not alone.outcome.is_valid:
            assert sample["states"].shape == (0, 0, 6)
            continue
        assert np.array_equal(not_none(alone.states), sample["states"])
        assert np.array_equal(not_none(alone.objects), sample["features"])
        assert np.array_equal(not_none(alone.images)[:, ::-1], sample["codes"])
        assert np.array_equal(not_none(alone.contacts)["x"], sample["contact_x"])
    assert ("solutions", 1) in seen
    assert ("near_misses", -1) in seen
    assert not {("near_misses", 1), ("solutions", -1)} & seen


def test_masks_number_the_bodies_that_codes_colour() -> None:
    spec = phyre_spec(
        tasks=Tasks(train=("00101:000",)),
        actions=Actions(per_task=2),
        keep=Keep(stride=40, codes=True, masks=256, rgb=256),
    )
    source = open_source(spec)
    plan = Plan(spec, source)
    for sample in source.samples(plan.rows(plan.shards()[0])):
        scene = Simulator("00101:000").tasks.scene(0)
        colors = np.array([0, *(body.color for body in scene.bodies), 1, 1], np.uint8)
        assert np.array_equal(colors[sample["masks"]], sample["codes"])
        assert sample["masks"].max() == len(scene.bodies) + 2  # the second ball of the player
        assert np.array_equal(sample["rgb"], to_rgb(sample["codes"]))


def test_near_misses_lie_beside_solutions() -> None:
    spec = phyre_spec(
        tasks=Tasks(train=("00002:017",)),
        actions=Actions(per_task=40, shares={"near_misses": 0.5, "failures": 0.5}),
    )
    source = open_source(spec)
    draws = source.draw("00002:017")
    solutions = np.array(
        [d.action for d in open_source(_only(spec, "solutions")).draw("00002:017")]
    )

    def distance(kind: str) -> float:
        found = [np.array(draw.action) for draw in draws if draw.kind == kind]
        return float(
            np.mean([np.linalg.norm(solutions - action, axis=1).min() for action in found])
        )

    assert distance("near_misses") < distance("failures") / 4


def _only(spec: Spec, kind: str) -> Spec:
    data = spec.to_data()
    data["actions"] |= {"shares": {kind: 1.0}, "per_task": 10_000}
    return spec_from_data(data)


def test_episodes_are_those_that_are_watched() -> None:
    solved: Counter[tuple[str, bool]] = Counter()
    for sample in expected_samples(iphyre_spec()):
        game = game_named(sample["task"])
        trace = watch(game, row_plan(game, sample["action"], AT_60_HZ))
        solved[sample["draw"], bool(sample["solved"])] += 1
        assert trace.solved == sample["solved"]
        assert len(trace.poses) == sample["ticks"] + 1
        assert np.array_equal(trace.poses[::90], sample["states"][:, :, :3])
        assert np.array_equal(trace.velocities[::90], sample["states"][:, :, 3:])
        here = sample["present"]
        table = sample["features"][:, : game.bodies]
        assert np.array_equal(table.any(axis=2), here)
        balls = slice(len(game.blocks), game.bodies)
        assert np.allclose(table[:, balls, :2], sample["states"][:, balls, :2])
        shown = [set(np.unique(mask)) - {0} for mask in sample["masks"]]
        assert shown[0] == set(range(1, game.bodies + 1))
    assert solved["solutions", True]
    assert solved["near_misses", False]
    assert not solved["near_misses", True]


def test_films_go_on_after_the_goal_if_asked() -> None:
    action = Actions(per_task=1, shares={"solutions": 1.0})
    short, long = (
        expected_samples(
            phyre_spec(
                tasks=Tasks(train=("00002:017",)),
                actions=action,
                keep=Keep(stride=50, states=True, after_solved=after),
            )
        )[0]
        for after in (False, True)
    )
    assert differences(short, long) == ["states"]
    assert len(long["states"]) == 20 > len(short["states"])
    assert np.array_equal(long["states"][: len(short["states"])], short["states"])


def test_scrambled_tasks_are_for_training_and_kept_with_the_data(tmp_path: Path) -> None:
    tasks = Tasks(train=("00002",), test=("00003:000",), limit=3, scrambled=2)
    spec = phyre_spec(tasks=tasks, keep=Keep(stride=250, states=True))
    manifest = build(spec, tmp_path)
    assert manifest["splits"]["train"]["tasks"] == 5
    assert manifest["splits"]["test"]["tasks"] == 1
    kept = read_scenes(tmp_path / "sources" / "scrambled.json")[1]
    source = PhyreSource(spec)
    assert [scene.name for scene in kept] == source.splits["train"][-2:]
    assert [source.scene(scene.name) for scene in kept] == kept
    assert check(tmp_path, samples=100).faults == []


def test_variants_and_scrambled_games_are_for_training() -> None:
    spec = iphyre_spec(tasks=Tasks(train=("seesaw",), test=("hole",), variants=2, scrambled=1))
    splits = open_source(spec).splits
    assert splits["train"] == ["seesaw", "seesaw_variant_0", "seesaw_variant_1", "scrambled_0"]
    assert splits["test"] == ["hole"]
    assert len(expected_samples(spec)) >= 12


def test_combinations_hold_four_kinds_apart() -> None:
    spec = phyre_spec(
        tasks=Tasks(train=("combinations:3",), test=("combinations:60",), limit=3),
        actions=Actions(per_task=1),
        keep=Keep(),
    )
    source = open_source(spec)
    assert source.splits["train"][0] == "combination-03:000"
    assert all(sample["steps"] > 0 for sample in expected_samples(spec))


WRONG = [
    ({"tasks": {"setup": "ball_within", "train": ["00001"]}}, "not both"),
    ({"tasks": {"train": ["00001"], "test": ["00001:000"]}}, "is in train and in test"),
    ({"actions": {"shares": {"solution": 1.0}}}, "did you mean 'solutions'"),
    ({"actions": {"shares": {"random": 0.5}}}, "add up to 0.5"),
    ({"actions": {"shares": {"agent": 1.0}}}, "needs actions.agent"),
    ({"keep": {"stride": 0}}, "keep.stride is 0"),
    ({"keep": {"rbg": 64}}, "did you mean 'rgb'"),
    ({"keep": {"rgb": "64"}}, "has to be a whole number"),
    ({"format": "csv"}, "use one of parquet"),
    ({"benchmark": "iphyre", "tasks": {"setup": "ball_within"}}, "has no setups"),
    ({"benchmark": "chess"}, "unknown benchmark"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_wrong_specs_say_what_is_wrong(data: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        open_source(spec_from_data(data))


def test_shares_become_whole_numbers() -> None:
    thirds = Actions(per_task=10, shares={"random": 1 / 3, "listed": 1 / 3, "nothing": 1 / 3})
    assert thirds.counts() == {"random": 4, "listed": 3, "nothing": 3}


def test_a_spec_is_its_plain_values() -> None:
    spec = phyre_spec()
    assert spec_from_data(spec.to_data()) == spec
    assert spec.with_values({"keep.rgb": 128, "seed": 3}).keep.rgb == 128
    with pytest.raises(SpecError, match="no field"):
        spec.with_values({"keep.colour": 1})
