"""Attempts that the page without a server exports: simulated again, and scored like agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.browser_parts import FAILING, SOLVING, TASK, action_of
from support.command_line import topple, topple_mistake
from topple.iphyre.benchmark import IPHYRE
from topple.iphyre.episode import play
from topple.iphyre.games import game_named
from topple.iphyre.plan import plan_from_ticks
from topple.phyre.benchmark import PHYRE
from topple.player.export_records import UNPROVEN, ExportError, export_records
from topple.runs.record import find_records

GAME = "support"
PLAN = plan_from_ticks(game_named(GAME), [30])


def task_attempt(number: int, ball: tuple[int, int, int], outcome: str) -> dict[str, Any]:
    return {
        **{"benchmark": "phyre", "number": number, "counted": True, "shown": False},
        **{"at": f"2030-01-01T00:00:0{number}.000Z", "seconds": 2.5},
        **{"task": TASK, "action": action_of(ball), "outcome": outcome, "steps": 428},
    }


def game_attempt(**changes: Any) -> dict[str, Any]:
    score = play(game_named(GAME), PLAN)
    plan = [elimination._asdict() for elimination in PLAN.eliminations]
    return {
        **{"benchmark": "iphyre", "number": 1, "counted": True, "abandoned": False},
        **{"at": "2030-01-01T00:01:00.000Z", "seconds": 6.0, "game": GAME, "plan": plan},
        **{"solved": score.solved, "ticks": score.ticks, "reward": score.reward},
        **changes,
    }


def export(*attempts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "format": "topple-attempts",
        "version": 1,
        "engine": {"phyre": PHYRE.engine_hash(), "iphyre": IPHYRE.engine_hash()},
        "attempts": list(attempts),
        "puzzles": {},
        **changes,
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "topple-attempts.json"


def records_of(path: Path, *attempts: dict[str, Any], **changes: Any) -> list[Any]:
    path.write_text(json.dumps(export(*attempts, **changes)))
    return export_records(path)


def test_attempts_become_records_like_those_of_agents(path: Path) -> None:
    tries = [task_attempt(1, FAILING, "not_solved"), task_attempt(2, SOLVING, "solved")]
    tasks, games = records_of(path, *tries, game_attempt())
    assert tasks.results.first_solved.tolist() == [2]
    assert tasks.provenance["engine"] == PHYRE.engine_hash()
    [played] = games.results.plays
    assert (played.game, played.plan, played.score) == (GAME, PLAN, play(game_named(GAME), PLAN))


def test_the_clients_word_is_marked(path: Path) -> None:
    [record] = records_of(path, task_attempt(1, SOLVING, "solved"))
    client = record.protocol["client"]
    assert client["unproven"] == list(UNPROVEN)
    assert client["same_engine"] is True
    assert client["differing_outcomes"] == 0
    assert (client["first"], client["seconds"]) == ("2030-01-01T00:00:01.000Z", 2.5)


def test_what_was_simulated_is_scored_not_what_the_file_says(path: Path) -> None:
    tries = [task_attempt(1, FAILING, "solved")]
    tasks, games = records_of(path, *tries, game_attempt(solved=True, ticks=1, reward=1000.0))
    assert tasks.results.first_solved.tolist() == [0]
    assert tasks.protocol["client"]["differing_outcomes"] == 1
    assert games.results.plays[0].score == play(game_named(GAME), PLAN)
    assert games.protocol["client"]["differing_outcomes"] == 1


def test_what_did_not_count_and_own_puzzles_are_left_out(path: Path) -> None:
    shown = {**task_attempt(3, SOLVING, "solved"), "counted": False, "shown": True}
    own = {**task_attempt(1, SOLVING, "solved"), "task": "own:abcdefghjk"}
    [record] = records_of(path, task_attempt(1, FAILING, "not_solved"), shown, own)
    assert record.results.first_solved.tolist() == [0]
    with pytest.raises(ExportError, match="no counted attempt"):
        records_of(path, shown, own)


def test_another_engine_is_told(path: Path) -> None:
    engine = {"phyre": None, "iphyre": "0" * 16}
    [record] = records_of(path, task_attempt(1, SOLVING, "solved"), engine=engine)
    assert record.protocol["client"]["same_engine"] is False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "something"}, "format"),
        ({"version": 2}, "version"),
        ({"attempts": [{**task_attempt(1, SOLVING, "solved"), "action": [2, 0, 0]}]}, "action"),
        ({"attempts": [{**task_attempt(1, SOLVING, "solved"), "task": "99999:000"}]}, "99999"),
        ({"attempts": [{**task_attempt(1, SOLVING, "solved"), "action": [0] * 6}]}, "6 numbers"),
        ({"attempts": [task_attempt(1, (1, 1, 20), "solved")]}, "cannot have been made"),
        ({"attempts": [game_attempt(game="nowhere")]}, "nowhere"),
        ({"attempts": [game_attempt(plan=[{"tick": 1, "body": 2}])]}, "body 2"),
        ({"attempts": [game_attempt(number=n + 1) for n in range(6)]}, "5 plays"),
    ],
)
def test_a_bad_file_is_refused_with_a_reason(
    path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        records_of(path, **changes)


def test_the_command_writes_records(path: Path, tmp_path: Path) -> None:
    path.write_text(json.dumps(export(task_attempt(1, SOLVING, "not_solved"), game_attempt())))
    command = ("evaluate", "--from-export", path, "--runs", tmp_path / "runs")
    assert "1 outcomes in" in topple(*command).stderr
    found = list(find_records(tmp_path / "runs"))
    assert sorted(record.config.benchmark for record in found) == ["iphyre", "phyre"]
    assert "--from-export" in topple_mistake(*command, "--agent", "rand")
