from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from topple.phyre import (
    SceneBuilder,
    Template,
    TemplateError,
    Tier,
    enumerate_tasks,
    lin,
    load_template,
    multiples,
    template,
)

HEADER = "from topple.phyre import SceneBuilder, Tier, template\n"


def toy(s: SceneBuilder, x: float) -> None:
    """Roll."""
    s.skip_if(x > 2)
    s.goal(s.dynamic.ball(0.1, left=x), s.static.bar(1.0))


def make(id: str = "toy", /, **grid: Sequence[Any]) -> Template:
    return template(id, Tier.BALL, **grid)(toy)


def test_skipped_tuples_take_no_number() -> None:
    tasks = list(enumerate_tasks(make(x=(0, 1, 2, 3, 4))))
    assert [str(task.id) for task in tasks] == ["toy:000", "toy:001", "toy:002"]
    assert {task.parameters["x"] for task in tasks} == {0, 1, 2}


@pytest.mark.parametrize(
    ("grid", "rule"),
    [
        ({"y": (1,)}, r"template toy: unknown parameter 'y', the function takes \['x'\]"),
        ({}, "template toy: parameter 'x' of the function has no values"),
        ({"x": ()}, "template toy: parameter 'x' has no values"),
    ],
)
def test_grids_have_to_fit_the_function(grid: dict[str, Sequence[Any]], rule: str) -> None:
    with pytest.raises(TemplateError, match=rule):
        make(**grid)


@pytest.mark.parametrize("id", ["", "a b", "a:b", "a/b"])
def test_ids_have_to_fit_task_ids(id: str) -> None:
    with pytest.raises(TemplateError, match="an id is made of letters"):
        make(id, x=(1,))


def test_failing_code_is_named_with_its_values() -> None:
    @template("broken", Tier.BALL, x=(1,))
    def build(s: SceneBuilder, x: float) -> None:
        s.dynamic.ball(0.1 / (x - 1))

    with pytest.raises(TemplateError, match=r"template broken \(x=1\): ZeroDivisionError"):
        list(enumerate_tasks(build))


def test_a_file_holds_one_template(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    with pytest.raises(FileNotFoundError, match=r"no template file at .*mine\.py"):
        load_template(path)
    path.write_text(HEADER)
    with pytest.raises(TemplateError, match=r"mine\.py: a file holds one .* found none"):
        load_template(path)
    path.write_text(HEADER + "@template('mine', Tier.BALL)\ndef one(s): ...\n")
    assert load_template(path).id == "mine"
    path.write_text(HEADER + "@template('a', Tier.BALL)\ndef one(s): ...\ntwo = one\n")
    with pytest.raises(TemplateError, match="found one, two"):
        load_template(path)
    path.rename(tmp_path / "mine.txt")
    with pytest.raises(TemplateError, match=r"ends in \.py"):
        load_template(tmp_path / "mine.txt")


def test_published_ids_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEADER + "@template('00003', Tier.BALL)\ndef one(s): ...\n")
    with pytest.raises(TemplateError, match="template 00003 is published, choose another id"):
        load_template(path)


def test_value_lists() -> None:
    assert lin(0.1, 0.4, 7)[5:] == (0.3500000000000001, 0.4)
    assert lin(3, 9, 1) == (3.0,)
    assert multiples(0.1, 3, 4) == (0.30000000000000004, 0.4)


def test_tasks_of_a_file_can_be_pickled(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        HEADER + "@template('mine', Tier.BALL, x=(0.1, 0.2))\n"
        "def build(s: SceneBuilder, x: float) -> None:\n"
        "    s.goal(s.dynamic.ball(0.1, left=x), s.static.bar(1.0))\n"
    )
    task = next(enumerate_tasks(load_template(path)))
    back = pickle.loads(pickle.dumps(task))
    assert (back.id, back.scene, back.template.id) == (task.id, task.scene, "mine")


def test_a_template_without_a_home_says_so() -> None:
    with pytest.raises(pickle.PicklingError, match="template toy cannot be pickled: "):
        pickle.dumps(make(x=(1,)))
