from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre import (
    TaskId,
    Tier,
    UnknownTaskError,
    enumerate_tasks,
    find_template,
    load_task,
    template_task_ids,
    template_tasks,
    tier_task_ids,
    tier_tasks,
)
from topple.phyre.templates import MODULES

TASK_ID = st.builds(TaskId, st.from_regex(r"[A-Za-z0-9_-]+", fullmatch=True), st.integers(0, 10**6))
PUBLISHED_ID = st.builds(TaskId, st.sampled_from(list(MODULES)), st.integers(0, 999))


@given(TASK_ID)
def test_ids_survive_writing_and_reading(task_id: TaskId) -> None:
    assert TaskId.parse(str(task_id)) == task_id


@given(PUBLISHED_ID, PUBLISHED_ID)
def test_ids_sort_like_their_text(one: TaskId, other: TaskId) -> None:
    assert (one < other) == (str(one) < str(other))


@pytest.mark.parametrize(
    "text", ["", "00001", "00001:", ":042", "00001-042", "00001:042 ", "a b:001"]
)
def test_bad_ids_are_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="is no task id: write template:number") as caught:
        TaskId.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("00001:42", "00001:042"), ("00001:0042", "00001:042"), ("2:7", "00002:007")],
)
def test_almost_right_ids_come_with_the_right_one(text: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"{text!r} is no task id: did you mean {meant!r}"):
        TaskId.parse(text)


def test_a_task_says_what_it_is() -> None:
    task = load_task("00000:050")
    assert str(task.id) == task.scene.name == "00000:050"
    assert task.tier is Tier.BALL
    assert task.template is find_template("00000")
    assert task.parameters == {
        "ball1_r": 0.06,
        "ball1_x": 0.75,
        "ball2_r": 0.06,
        "ball2_x": 0.95,
        "height": 0.5,
    }
    assert task.description == "Make sure the green ball is touching the blue ball."
    assert task.scene.bodies[4].position == (192.0, 135.5)


def test_a_task_is_built_once() -> None:
    assert load_task("00105:111") is load_task(TaskId("00105", 111))
    assert load_task("00105:111") is template_tasks("00105")[-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("00042:000", "unknown task '00042:000': no published template '00042'"),
        ("00000:150", "unknown task '00000:150': .* the nearest is '00000:099'"),
        ("00002:001", "unknown task '00002:001': .* the nearest is '00002:00"),
    ],
)
def test_unknown_tasks_are_named_with_a_way_out(text: str, message: str) -> None:
    with pytest.raises(UnknownTaskError, match=message):
        load_task(text)


def test_unknown_templates_are_named() -> None:
    with pytest.raises(LookupError, match="no published template '7': PHYRE has 00000 to 00024"):
        template_tasks("7")


@pytest.mark.parametrize("tier", Tier)
def test_a_tier_has_2500_tasks_in_order(tier: Tier) -> None:
    tasks = tier_tasks(tier)
    ids = tier_task_ids(tier)
    assert tuple(task.id for task in tasks) == ids == tuple(sorted(set(ids)))
    assert len(ids) == 2500
    assert {task.tier for task in tasks} == {tier}
    assert ids[:100] == template_task_ids(tier.template_ids[0])


def test_unpublished_tasks_can_be_enumerated() -> None:
    tasks = list(enumerate_tasks(find_template("00000"), 120))
    assert [task.id.number for task in tasks] == list(range(120))
    assert tasks[99] == load_task("00000:099")


def test_tiers_are_parsed_at_the_edge() -> None:
    assert Tier.parse("two_balls") is Tier.parse("TWO_BALLS") is Tier.TWO_BALLS
    assert (Tier.BALL.balls, Tier.BALL.action_size) == (1, 3)
    assert (Tier.TWO_BALLS.balls, Tier.TWO_BALLS.action_size) == (2, 6)
    with pytest.raises(ValueError, match="unknown tier 'TWO_BALS': use 'ball' or 'two_balls'"):
        Tier.parse("TWO_BALS")


def test_importing_is_cheap() -> None:
    code = (
        "import sys, topple.phyre; "
        "print([m for m in sys.modules if m == 'numpy' or '.templates.ball.' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_is_fast() -> None:
    """In processor time: 5,000 tasks in three seconds, a template in a tenth of one."""
    code = (
        "from time import process_time as now; from topple.phyre import *; a = now(); "
        "template_tasks('00010'); b = now(); [tier_tasks(t) for t in Tier]; print(b - a, now() - a)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    one, everything = map(float, done.stdout.split())
    assert one < 0.1
    assert everything < 3.0


def test_tasks_can_be_pickled() -> None:
    for task in (load_task("00001:042"), load_task("00104:001")):
        assert pickle.loads(pickle.dumps(task)) == task
        assert copy.deepcopy(task) == task
