"""Where JSON is found in a reply, and what is wrong with it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ
from topple.llm.answers import AnswerError, check, parse_json, read_answer
from topple.llm.iphyre.prompt import choice_schema, plan_schema
from topple.llm.phyre.prompt import action_schema, answer_action
from topple.phyre.grid import Grid
from topple.phyre.tier import Tier

BALL = action_schema(Tier.BALL, None)
GOOD = {"balls": [{"x": 0.5, "y": 0.75, "r": 0.1}]}
TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"I think it should fall.\n```\n{TEXT}\n```\nThat is all.",
        f'First I thought of\n```json\n{{"x": 1}}\n```\nbut now\n```json\n{TEXT}\n```',
        f"<think>{{maybe}} this</think>\n{TEXT}",
    ],
)
def test_the_object_is_found(text: str) -> None:
    assert read_answer(text, BALL) == GOOD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("I cannot help with that.", "no JSON object"),
        (f"The answer is {TEXT}", "no JSON object"),
        ("{'balls': []}", "not JSON"),
        ('{"balls": [{"x": NaN, "y": 0, "r": 0}]}', "NaN is not JSON"),
        ('{"balls": [{"x": 1e999, "y": 0, "r": 0}]}', "too large"),
        ('{"balls": [], "balls": []}', "stands twice"),
        (f"{TEXT} {TEXT}", "not JSON"),
        ("[" * 100_000, "too deep"),
        ("9" * 10_000, "no JSON object"),
        ('{"balls": [{"x": ' + "9" * 10_000 + ', "y": 0, "r": 0}]}', "too long a number|from 0"),
        ("[1]", "has to be of type object"),
        ('{"note": "no balls"}', 'has no "balls"'),
        ('{"balls": []}', "has 0 items"),
        ('{"balls": [{"x": 1, "y": 1}]}', 'has no "r"'),
        ('{"balls": [{"x": true, "y": 1, "r": 1}]}', "type number, not true"),
        ('{"balls": [{"x": 1.01, "y": 1, "r": 1}]}', '"x" has to be from 0 to 1, not 1.01'),
        ('{"balls": [{"x": "0.5", "y": 1, "r": 1}]}', 'type number, not "0.5"'),
        ('{"balls": [{"x": 0, "y": 1, "r": 1}], "why": 1}', "which nothing here is called"),
        ('{"balls": [{"x": 0, "y": 1, "r": 1}], "note": "' + "n" * 501 + '"}', "longer than 500"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        read_answer(text, BALL)


@given(st.text())
def test_any_text_is_an_answer_or_an_error(text: str) -> None:
    with suppress(AnswerError):
        read_answer(text, BALL)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_any_value_is_checked(value: Any) -> None:
    for schema in (BALL, choice_schema(game_named("support"))):
        try:
            check(value, schema)
        except AnswerError:
            continue
        assert isinstance(value, dict)


def test_grids_take_whole_cells() -> None:
    grid = Grid(5, 4, 3)
    schema = action_schema(Tier.TWO_BALLS, grid)
    cells = [{"x": 4, "y": 0, "r": 2}, {"x": 0, "y": 3, "r": 0}]
    answer = read_answer(json.dumps({"balls": cells}), schema)
    assert answer_action(answer, grid) == pytest.approx([0.9, 0.125, 5 / 6, 0.1, 0.875, 1 / 6])
    for wrong in ({"x": 5, "y": 0, "r": 0}, {"x": 0.5, "y": 0, "r": 0}):
        with pytest.raises(AnswerError):
            check({"balls": [wrong, cells[1]]}, schema)


def test_plans_have_a_time_for_each_block() -> None:
    schema = plan_schema(game_named("support"), AT_10_HZ)
    check({"times": [0.1, None]}, schema)
    for wrong in ([0.1], [0.0, 1.0], [0.1, 15.0], [0.1, "never"]):
        with pytest.raises(AnswerError):
            check({"times": wrong}, schema)


def test_json_is_read_by_the_book() -> None:
    assert parse_json('{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}
    with pytest.raises(AnswerError):
        parse_json("Infinity")
