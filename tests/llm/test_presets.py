"""Protocols of other papers: what is asked, what an answer means, what is spent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.chat_server import ChatServer, calls, says
from support.phases import task_testing
from topple.iphyre.games import game_named
from topple.iphyre.phases import Testing as GameTesting
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.rules import AT_10_HZ
from topple.llm.answers import AnswerError
from topple.llm.iphyre import deepphy as games_deepphy
from topple.llm.iphyre.agent import IphyreLlm
from topple.llm.messages import text_of
from topple.llm.phyre import deepphy
from topple.llm.phyre.agent import PhyreLlm
from topple.llm.presets import preset_attempts
from topple.llm.turns import read_turns
from topple.phyre.cache import ActionCache
from topple.phyre.grid import Grid
from topple.phyre.phases import Testing
from topple.phyre.task import load_task

TASK = load_task("00000:000")
MISS = {"balls": [{"x": 0.9, "y": 0.9, "r": 0.0}]}


def work(server: ChatServer, folder: Path, attempts: int, **settings: Any) -> Testing:
    testing = task_testing([TASK], ActionCache(folder, TASK.tier), attempts)
    PhyreLlm(model="random", link=server.link(folder / "llm"), **settings).act(testing)
    return testing


def pictures(body: Mapping[str, Any], message: int = 1) -> int:
    content = body["messages"][message]["content"]
    return sum(part["type"] == "image_url" for part in content)


def test_deepphy_cells_count_from_the_top_left() -> None:
    grid = Grid.parse("deepphy-8x8x8")
    choice = deepphy.read_choice("Cell: 1, Radius: 1", grid)
    assert deepphy.action_of(choice, grid) == pytest.approx([1 / 16, 15 / 16, 1 / 16])
    last = deepphy.read_choice("prediction: x\nAction: cell = 64 radius 8", grid)
    assert deepphy.action_of(last, grid) == pytest.approx([15 / 16, 1 / 16, 1.0])
    middle = Grid.parse("deepphy-5x5x5").action((2, 2, 2))
    assert middle == pytest.approx([0.5, 0.5, 0.53125])
    for wrong in ("Cell: 65, Radius: 1", "Cell: 1, Radius: 0", "I cannot tell."):
        with pytest.raises(AnswerError):
            deepphy.read_choice(wrong, grid)


def test_deepphy_spends_an_attempt_on_an_invalid_action(tmp_path: Path) -> None:
    assert preset_attempts("phyre", "deepphy-5x5x5") == 10
    replies = ("Cell: 5, Radius: 1", "no", "Cell: 1, Radius: 5", "Cell: 10, Radius: 1")
    with ChatServer(says(*replies)) as server:
        testing = work(server, tmp_path, 4, preset="deepphy-5x5x5-wm")
    assert server.requests == 4
    assert len(testing.log) == 2  # those that fit
    assert testing.log.invalid == 1
    bodies = server.bodies
    assert [pictures(body) for body in bodies] == [2, 2 + 5, 2 + 5, 2 + 5]
    told = text_of(bodies[3]["messages"][1])
    assert "Attempt 1: cell 5, radius 1: failed. You predicted: nothing" in told
    assert "Attempt 2: nothing that can be read: invalid action." in told
    assert "Attempt 3: cell 1, radius 5: invalid action." in told
    assert "Cell: a cell of the grid, from 1 to 25" in text_of(bodies[0]["messages"][0])
    assert "position" not in told
    turns = read_turns(tmp_path / "llm")[str(TASK.id)]
    assert [turn.answer and turn.answer["cell"] for turn in turns] == [5, None, None, 10]


def test_deepphy_plays_games_by_its_clock(tmp_path: Path) -> None:
    game = game_named("support")
    plan = games_deepphy.plan_of(game, [{"time": 0, "index": 9}, {"time": 0.05, "index": 0}])
    assert plan == Plan((Elimination(1, 1), Elimination(2, 0)))  # one each tick; 9 is the last
    replies = (
        'Sure:\n```json\n[{"time": 0.5, "index": 0}]\n```',
        "no",
        '[{"time": 0.5, "index": 0}, {"time": 1.5, "index": 1}]',
    )
    testing = GameTesting([game], AT_10_HZ, np.random.default_rng(0), 10)
    with ChatServer(says(*replies)) as server:
        link = server.link(tmp_path / "llm")
        IphyreLlm(model="random", preset="deepphy", link=link).act(testing)
    assert [play.score.solved for play in testing.log] == [False, False, True]
    assert [pictures(body) for body in server.bodies] == [1, 1 + 5, 1 + 5 + 5]
    told = text_of(server.bodies[2]["messages"][1])
    assert 'Attempt 1: [{"time": 0.5, "index": 0}]: failed.' in told
    assert "Attempt 2: nothing that can be read: failed." in told


def test_our_preset_shows_labelled_pictures_and_contacts(tmp_path: Path) -> None:
    with ChatServer(says({"balls": [{"x": 0.35, "y": 0.8, "r": 0.3}]})) as server:
        work(server, tmp_path, 2, preset="topple")
    assert pictures(server.bodies[0]) == 1
    assert 2 <= pictures(server.bodies[1]) <= 5
    told = text_of(server.bodies[1]["messages"][1])
    assert "Attempt 1 after 2.2 s:" in told  # the last state before its ball meets the green one
    assert '"name": "green ball"' in told


def test_a_dialogue_tells_what_is_new(tmp_path: Path) -> None:
    with ChatServer(says(MISS, "no", MISS)) as server:
        testing = work(server, tmp_path, 3, dialogue=True, feedback="what_happened")
    assert len(testing.log) == 3
    last = server.bodies[-1]["messages"]
    assert [each["role"] for each in last] == ["system"] + ["user", "assistant"] * 3 + ["user"]
    assert "This is attempt 2 of 3" in last[3]["content"]
    assert last[3]["content"].startswith('Attempt 1: {"balls"')
    assert "This cannot be used" in last[5]["content"]
    assert "The bodies of the scene" not in "".join(each["content"] for each in last[2:])


def test_a_model_may_ask_for_a_picture(tmp_path: Path) -> None:
    look = ("look", {"attempt": 1, "second": 1.0})
    with ChatServer(calls(("propose", MISS), look, ("propose", MISS))) as server:
        work(server, tmp_path, 2, tools=True, images=True)
    names = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
    assert names == ["inspect", "contacts", "look", "propose"]
    shown = server.bodies[2]["messages"][-1]
    assert shown["role"] == "user"
    assert shown["content"][0]["text"] == "Attempt 1 at 1.0 s:"
    assert shown["content"][1]["type"] == "image_url"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"preset": "deepphy"}, "there is topple, deepphy-5x5x5"),
        ({"preset": "deepphy-5x5x5", "grid": "8x8x8"}, "leave grid out"),
        ({"preset": "deepphy-5x5x5", "tools": True}, "leave tools out"),
        ({"feedback": "all"}, "outcome, what_happened, events"),
        ({"labels": True}, "set images"),
    ],
)
def test_contradictions_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PhyreLlm(**settings)
