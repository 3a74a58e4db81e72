"""`topple evaluate`, for both benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.command_line import topple_json, topple_mistake
from topple.cli.options import parse_settings
from topple.runs.record import SUFFIX


def evaluate(folder: Path, words: str) -> Any:
    folders = ("--runs", folder / "runs", "--cache", folder / "cache")
    return topple_json("evaluate", *words.split(), *folders)


def test_phyre_runs_are_scored_and_kept(tmp_path: Path) -> None:
    words = "--agent mem --setup ball_within --fold 0,1 --tasks 4 --attempts 10 -s actions=20"
    rows = evaluate(tmp_path, words)
    assert [row["fold"] for row in rows] == [0, 1]
    assert all(row["tasks"] == 4 and row["setup"] == "ball_within_template" for row in rows)
    kept = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert sum(name.endswith(SUFFIX) for name in kept) == 2
    assert evaluate(tmp_path, words) == rows
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == kept


def test_games_are_scored_and_kept(tmp_path: Path) -> None:
    (run,) = evaluate(tmp_path, "--agent random --games basic,support")
    assert run["games"] == 10
    assert run["reward"] == pytest.approx(360.33, abs=0.005)
    assert len(list((tmp_path / "runs").iterdir())) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "either --setup"),
        ("--setup ball_within --games basic", "either --setup"),
        ("--setup ball", "unknown setup 'ball'"),
        ("--games basic --hz 30", "60 or at 10"),
        ("--games basic -s seed", "is not a setting"),
        ("--games basic -s sed=1", "has no setting 'sed'"),
        ("--games bsic", "no game is named 'bsic'"),
    ],
)
def test_bad_input_is_named(words: str, message: str) -> None:
    assert message in topple_mistake("evaluate", "--agent", "random", *words.split())


@pytest.mark.parametrize(
    ("text", "value"),
    [("a=1", 1), ("a=1e-3", 1e-3), ("a=true", True), ("a=None", None), ("a=b=c", "b=c")],
)
def test_settings_take_the_type_they_look_like(text: str, value: object) -> None:
    parsed = parse_settings([text])
    assert parsed == {"a": value}
    assert type(parsed["a"]) is type(value)
