from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from topple.phyre import (
    SceneBuilder,
    Setup,
    TaskId,
    TaskSet,
    Tier,
    UnknownTaskError,
    enumerate_tasks,
    find_template,
    load_fold,
    load_task,
    template,
    template_task_ids,
    tier_task_ids,
)
from topple.phyre.scene import Scene


@template("mine", Tier.TWO_BALLS, x=(0.1, 0.2))
def mine(s: SceneBuilder, x: float) -> None:
    """Drop it."""
    s.goal(s.dynamic.ball(x, center_x=128, bottom=100), s.static.bar(0.5, bottom=0))


SCENE = next(enumerate_tasks(mine)).scene
FOLD = load_fold(Setup.TWO_BALLS_CROSS_TEMPLATE, 3)


@pytest.mark.parametrize(
    ("tasks", "names", "tier"),
    [
        ("two_balls", tier_task_ids(Tier.TWO_BALLS), Tier.TWO_BALLS),
        (Tier.BALL, tier_task_ids(Tier.BALL), Tier.BALL),
        ("00107", template_task_ids("00107"), Tier.TWO_BALLS),
        (find_template("00003"), template_task_ids("00003"), Tier.BALL),
        (TaskId("00000", 1), ["00000:001"], Tier.BALL),
        (load_task("00100:007"), ["00100:007"], Tier.TWO_BALLS),
        (FOLD.dev, FOLD.dev, Tier.TWO_BALLS),
        (["00000:001", "00001"], ["00000:001", *template_task_ids("00001")], Tier.BALL),
        (mine, ["mine:000", "mine:001"], Tier.TWO_BALLS),
        (SCENE, ["mine:000"], Tier.BALL),
        ([SCENE._replace(name=""), SCENE], ["scene 0", "mine:000"], Tier.BALL),
    ],
)
def test_ways_to_choose(tasks: Any, names: Any, tier: Tier) -> None:
    chosen = TaskSet(tasks)
    assert chosen.names == tuple(map(str, names))
    assert chosen.tier is tier
    assert chosen.scene(len(chosen) - 1).name == chosen.names[-1]


def test_the_tier_can_be_chosen() -> None:
    assert TaskSet("00000:001", "TWO_BALLS").tier is Tier.TWO_BALLS
    assert TaskSet(["00000:001", "00100:007"], Tier.BALL).tier is Tier.BALL
    with pytest.raises(ValueError, match="of both tiers; choose one with tier="):
        TaskSet(["00000:001", "00100:007"])


def test_finding() -> None:
    chosen = TaskSet([*template_task_ids("00000"), SCENE], Tier.BALL)
    last = len(chosen) - 1
    for key in (last, np.int64(last), "mine:000", SCENE, next(enumerate_tasks(mine))):
        assert chosen.find(key) == last
    assert chosen.find(TaskId.parse(chosen.names[4])) == 4
    assert chosen.find_all(["mine:000", 0]).tolist() == [last, 0]
    assert chosen.find_all("mine:000").tolist() == [last]
    assert len(chosen.find_all(None)) == len(chosen) == len(chosen.packed)


@pytest.mark.parametrize(
    ("tasks", "error", "message"),
    [
        ([], ValueError, "there are no tasks; give at least one"),
        ("bal", ValueError, "'bal' names no tasks; use a task id like"),
        ("00000:1", ValueError, "did you mean '00000:001'"),
        (["00025:001"], LookupError, "no published template '00025'"),
        (7, TypeError, "7 names no tasks; give a tier"),
        ([SCENE, SCENE._replace(bodies=SCENE.bodies[:4])], ValueError, "are named 'mine:000'"),
    ],
)
def test_bad_choices(tasks: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TaskSet(tasks)


def test_bad_keys() -> None:
    chosen = TaskSet("00000")
    with pytest.raises(IndexError, match="task 100: there are tasks 0 to 99"):
        chosen.find(100)
    with pytest.raises(IndexError, match="task -1"):
        chosen.find(-1)
    with pytest.raises(LookupError, match="'00001:001' is not among the 100 of this set"):
        chosen.find("00001:001")
    with pytest.raises(UnknownTaskError, match="00000:999"):
        _ = TaskSet("00000:999").packed


def test_the_same_task_twice() -> None:
    chosen = TaskSet(["00000:001", "00000:001"])
    assert len(chosen) == 2
    assert chosen.find("00000:001") == 0
    assert isinstance(chosen.scene(1), Scene)
