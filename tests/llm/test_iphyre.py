"""A model on I-PHYRE: in advance, combined, on the fly, and the paper's preset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.chat_server import ChatServer, calls, says, text_reply
from topple.iphyre.episode import play as play_plan
from topple.iphyre.games import game_named
from topple.iphyre.phases import Testing
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.split import Split
from topple.iphyre.strategy import plan_in_advance
from topple.llm.iphyre import gpt4_preset
from topple.llm.iphyre.agent import IphyreLlm
from topple.llm.messages import text_of
from topple.llm.turns import read_turns

SUPPORT = game_named("support")  # two gray blocks under a ball
BASIC = tuple(game.name for game in Split.BASIC.games)


def play(
    server: ChatServer,
    folder: Path,
    games: tuple[str, ...] = ("support",),
    plays: int = 1,
    concurrency: int = 1,
    **settings: Any,
) -> Testing:
    playing = Testing(map(game_named, games), AT_10_HZ, np.random.default_rng(0), plays)
    link = server.link(folder / "llm", concurrency=concurrency)
    IphyreLlm(**{"model": "heuristic", **settings}, link=link).act(playing)
    return playing


def test_in_advance_all_times_are_asked_for_at_once(tmp_path: Path) -> None:
    with ChatServer(says({"times": [0.5, 1.5]})) as server:
        playing = play(server, tmp_path)
    (made,) = playing.log
    plan = plan_in_advance(SUPPORT, [0.5 / 15, 0.1, 0, 0, 0, 0])
    assert made.plan == plan == Plan((Elimination(5, 0), Elimination(15, 1)))
    assert made.score == play_plan(SUPPORT, plan, AT_10_HZ)
    assert made.score.solved
    assert server.requests == 1


def test_combined_asks_again_after_each_removal(tmp_path: Path) -> None:
    answers = ({"times": [0.5, 9.0]}, {"times": [None, 2.0]})
    with ChatServer(says(*answers)) as server:
        playing = play(server, tmp_path, strategy="combined")
    (made,) = playing.log
    assert made.plan == Plan((Elimination(5, 0), Elimination(20, 1)))
    assert made.score.solved
    assert server.requests == 2
    told = text_of(server.bodies[1]["messages"][1])
    assert "You are 0.6 s into the play" in told
    assert "Removed so far: gray block 1 at 0.5 s." in told
    assert '"name": "gray block 1"' not in told
    assert "The list of times has 2 entries." in told
    assert "velocity" in told


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({"times": [1.0, None]}, "gray block 1 is gone; its entry has to be null"),
        ({"times": [None, 0.2]}, "a time is not from 0.60 to below 15 seconds"),
    ],
)
def test_plans_that_come_too_late_are_sent_back(answer: Any, wrong: str, tmp_path: Path) -> None:
    with ChatServer(says({"times": [0.5, 9.0]}, answer, {"times": [None, 2.0]})) as server:
        playing = play(server, tmp_path, strategy="combined")
    assert playing.log.last.score.solved
    assert read_turns(tmp_path / "llm")["support"][1].failures == (wrong,)


def test_two_blocks_at_once_are_sent_back(tmp_path: Path) -> None:
    with ChatServer(says({"times": [0.5, 0.52]}, {"times": [0.5, 0.6]})) as server:
        playing = play(server, tmp_path)
    assert playing.log.last.plan.order == (0, 1)
    assert "same step" in server.bodies[1]["messages"][-1]["content"]


def test_on_the_fly_blocks_go_when_asked(tmp_path: Path) -> None:
    answers = ({"remove": None}, {"remove": 1}, {"remove": 1}, {"remove": 2})
    with ChatServer(says(*answers)) as server:
        playing = play(server, tmp_path, strategy="on_the_fly", every=0.7)
    (made,) = playing.log
    assert made.plan == Plan((Elimination(7, 0), Elimination(14, 1)))
    assert made.score.solved
    assert server.requests == 4  # one of them for the block that was gone; then nothing is left
    turns = read_turns(tmp_path / "llm")["support"]
    assert [turn.result.split(";")[0] for turn in turns] == ["0.0 s", "0.7 s", "1.4 s"]
    assert turns[2].failures == ("gray block 1 is gone already",)


def test_a_block_may_go_before_the_first_tick(tmp_path: Path) -> None:
    with ChatServer(says({"remove": 1}, {"remove": 2})) as server:
        playing = play(server, tmp_path, strategy="on_the_fly")
    assert playing.log.last.plan.eliminations[0] == Elimination(0, 0)


@pytest.mark.parametrize(
    ("strategy", "requests"), [("in_advance", 2), ("combined", 2), ("on_the_fly", 4)]
)
def test_no_answer_is_doing_nothing(strategy: str, requests: int, tmp_path: Path) -> None:
    with ChatServer(says("I would rather not.")) as server:
        playing = play(server, tmp_path, strategy=strategy, reasks=1, patience=2)
    (made,) = playing.log
    assert made.plan == Plan()
    assert made.score.reward == -15.0
    assert server.requests == requests
    turns = read_turns(tmp_path / "llm")["support"]
    assert turns[-1].result.endswith("passed, no usable answer; play 1: reward -15.0")


def test_later_plays_know_of_earlier_ones(tmp_path: Path) -> None:
    answers = (
        {"times": [0.5, None], "note": "one is enough"},
        {"times": [None, 0.5]},
        {"times": [0.5, 1.5]},
    )
    with ChatServer(says(*answers)) as server:
        playing = play(server, tmp_path, plays=5)
    assert [made.score.solved for made in playing.log] == [False, False, True]
    told = text_of(server.bodies[2]["messages"][1])
    assert "This is play 3 of 5" in told
    assert "ball 1 came no lower than y = 476, at 1.7 s" in told
    assert "1.7 s: ball 1 meets gray block 2" in told
    assert 'Your note: "one is enough"' in told


def test_pictures_go_along(tmp_path: Path) -> None:
    with ChatServer(says({"times": [0.5, None]})) as server:
        play(server, tmp_path, plays=2, images=True, keyframes=2)
    counts = [
        sum(part["type"] == "image_url" for part in body["messages"][1]["content"])
        for body in server.bodies
    ]
    assert counts == [1, 3]


@pytest.mark.parametrize("strategy", ["in_advance", "combined", "on_the_fly"])
def test_the_record_does_not_depend_on_the_order_of_answers(strategy: str, tmp_path: Path) -> None:
    logs = []
    for concurrency in (1, 4):
        with ChatServer() as server:
            playing = play(
                server,
                tmp_path / str(concurrency),
                BASIC,
                concurrency=concurrency,
                strategy=strategy,
                model="random",
            )
        logs.append(list(playing.log))
    assert logs[0] == logs[1]
    assert [made.game for made in logs[0]] == list(BASIC)


def test_the_rule_of_thumb_beats_chance(tmp_path: Path) -> None:
    rewards = {}
    for model in ("random", "heuristic"):
        with ChatServer() as server:
            playing = play(server, tmp_path / model, BASIC, model=model)
        rewards[model] = sum(made.score.reward for made in playing.log)
    assert rewards["heuristic"] > rewards["random"] + 2000


def test_tools_are_called_and_counted(tmp_path: Path) -> None:
    steps = [
        ("inspect", {"play": 0}),
        ("simulate", {"times": [0.5, None]}),
        ("simulate", {"times": [0.5, 1.5]}),
        ("simulate", {"times": [0.5, 1.5]}),
        ("propose", {"times": [0.5, 1.5]}),
    ]
    with ChatServer(calls(*steps)) as server:
        playing = play(server, tmp_path, tools=True, simulations=2)
    assert playing.log.last.score.solved
    assert playing.simulator_calls == 2
    assert playing.privileged
    (turn,) = read_turns(tmp_path / "llm")["support"]
    assert turn.calls == {"inspect": 1, "simulate": 3, "propose": 1}
    results = [message["content"] for message in server.bodies[4]["messages"][3::2]]
    assert '"name": "gray block 2"' in results[0]
    assert results[1].startswith("Not solved; 1 removed")
    assert results[2].startswith("Solved after")
    assert "all 2 simulations of this game are used" in results[3]


def ask_paper(tmp_path: Path, *texts: str, game: str = "support") -> Testing:
    with ChatServer(lambda number, body: text_reply(body, *texts)) as server:
        playing = play(server, tmp_path, (game,), preset="iphyre-gpt4", model="random")
    (body,) = server.bodies
    assert (body["temperature"], body["max_tokens"], body["n"]) == (0.5, 512, 2)
    return playing


def test_the_papers_preset_uses_the_second_completion(tmp_path: Path) -> None:
    good = 'Sure:\n[\n{"time": 0, "index": 0},\n{"time": 1.5, "index": 1}\n]'
    playing = ask_paper(tmp_path, "[]", good)
    made = playing.log.last
    assert made.plan == Plan((Elimination(0, 0), Elimination(15, 1)))  # a time of 0 is carried out
    assert made.score.solved
    assert made.score.reward == pytest.approx(1000 - 20 - made.score.ticks / 10)


def test_the_papers_preset_takes_one_completion_if_there_is_no_other(tmp_path: Path) -> None:
    assert ask_paper(tmp_path, '[{"time": 1, "index": 0}]').log.last.plan.order == (0,)


def test_the_papers_preset_does_nothing_without_a_list(tmp_path: Path) -> None:
    made = ask_paper(tmp_path, "no", "I cannot tell.").log.last
    assert made.plan == Plan()
    assert made.score.ticks == 151
    assert made.score.reward == pytest.approx(-15.1)


def test_the_papers_prompt_is_the_table_upside_down() -> None:
    (_, question) = gpt4_preset.prompt(SUPPORT)
    assert "y from 0 at the bottom to 600 at the top" in question
    rows = question.split("The array of this game:\n")[1].split("]\n")
    assert rows[0].split() == ["[[200.", "400.", "300.", "400.", "10.", "1.", "0.", "0.", "0."]
    assert len(rows) == 12 + 1  # and what comes after it
    assert "..." not in question


def test_the_papers_list_keeps_its_own_order() -> None:
    lines = gpt4_preset.entries(
        SUPPORT, [{"time": 2.0, "index": 1}, {"time": 0.5, "index": 0}, {"time": 0, "index": 9}]
    )
    assert [line.body for line in lines] == [1, 0, None]  # 9 means 5, where there is no block
    made = gpt4_preset.play_entries(SUPPORT, lines)
    assert made.plan == Plan((Elimination(20, 1), Elimination(21, 0)))


def test_the_papers_loop_pays_twice_for_a_success_it_does_not_look_at() -> None:
    plain = [gpt4_preset.Entry(0.0, 0), gpt4_preset.Entry(0.1, 1)]
    first = gpt4_preset.play_entries(SUPPORT, plain)
    out = first.score.ticks - 1  # the step that ends it
    late = [*plain, gpt4_preset.Entry(out / 10 - 0.01, None)]
    second = gpt4_preset.play_entries(SUPPORT, late)
    assert second.score.ticks == first.score.ticks + 1
    assert second.score.reward == pytest.approx(first.score.reward + 1000 - 0.1)
    assert Rules(hz=10, builds=3) == gpt4_preset.RULES


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"strategy": "later"}, "one of in_advance, on_the_fly, combined"),
        ({"every": 0.0}, "0.1 to 15"),
        ({"preset": "gpt5"}, "there is topple, deepphy, deepphy-wm, iphyre-gpt4"),
        ({"preset": "iphyre-gpt4", "tools": True}, "leave tools out"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IphyreLlm(**settings)
