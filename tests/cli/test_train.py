"""`topple train`, and `topple evaluate` with what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command_line import topple, topple_json, topple_mistake
from topple.runs.record import find_records

TINY = "actions=8 tasks=60 width=8 image_size=64 action_hidden_size=8 batch_size=8 updates=4"
SMALL = [word for setting in (*TINY.split(), "rank_size=8") for word in ("-s", setting)]
CONFIG = Path(__file__).resolve().parents[2] / "configs" / "phyre" / "dqn-o.toml"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOPPLE_RUNS", str(tmp_path / "runs"))


def test_training_leaves_weights_that_evaluate_scores(tmp_path: Path) -> None:
    words = ("train", "--agent", "dqn", "--setup", "ball_cross", *SMALL)
    found = topple_json(*words, "--dev-scores", "1")
    assert found["config"]["settings"]["updates"] == 4
    assert 0 <= found["dev_score"] <= 1
    checkpoint = Path(found["checkpoint"])
    assert checkpoint.parent.parent == tmp_path / "runs" / "training"
    lines = (checkpoint.parent / "progress.csv").read_text().splitlines()
    assert lines[0].startswith("done,planned,rate,loss")
    assert lines[-1].startswith("4,4,")

    # The same command finds nothing left to do and changes nothing.
    before = checkpoint.read_bytes()
    assert topple_json(*words)["checkpoint"] == str(checkpoint)
    assert checkpoint.read_bytes() == before
    scoring = ("evaluate", "--checkpoint", checkpoint, "--tasks", "5", "--attempts", "3")
    topple(*scoring, "--agent", "dqn", "--json")
    topple(*scoring, "--agent", CONFIG, "-s", "rank_size=8")
    records = {record.config.label: record for record in find_records(tmp_path / "runs")}
    assert set(records) == {"dqn", "DQN-O"}
    for record in records.values():
        # What was learned from comes from the checkpoint, also where a file says otherwise.
        assert record.config.settings["actions"] == 8
        assert record.protocol["simulator_calls_in_training"] == 8 * 60
        assert record.protocol["candidates"] == 8
        assert str(tmp_path) not in json.dumps(record.config.to_data())
    assert records["DQN-O"].protocol["learning"] == "online"
    assert records["DQN-O"].config.settings["online_updates"] == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train --agent mem --setup ball_cross", "'mem' needs no training beforehand"),
        ("train --agent dqn --setup ball", "unknown setup 'ball'"),
        ("train --agent no.toml --setup ball_cross", "no.toml: No such file"),
        (
            "train --agent dqn --setup ball_cross -s updates=x",
            "setting 'updates' of agent 'dqn' is 'x'; it has to be a whole number",
        ),
        ("evaluate --agent dqn --checkpoint no.pt", "there is no checkpoint no.pt"),
        ("evaluate --agent dqn --checkpoint no.pt --setup ball_cross", "leave out --setup"),
    ],
)
def test_mistakes_are_one_line(words: str, message: str) -> None:
    assert message in topple_mistake(*words.split())
