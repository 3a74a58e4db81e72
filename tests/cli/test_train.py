"""`topple train`, and `topple evaluate` with what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command_line import topple, topple_json, topple_mistake
from topple.iphyre.games import ALL
from topple.runs.record import find_records

TINY = "actions=8 tasks=60 width=8 image_size=64 action_hidden_size=8 batch_size=8 updates=4"
SMALL = [word for setting in (*TINY.split(), "rank_size=8") for word in ("-s", setting)]
ROOT = Path(__file__).resolve().parents[2]
CONFIGS, RESULTS = ROOT / "configs", ROOT / "results"
CONFIG = CONFIGS / "phyre" / "dqn-o.toml"


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


@pytest.mark.parametrize("agent", ["fusion-attention", "fusion-attention-felt.toml"])
def test_an_included_checkpoint_plays_without_training(agent: str, tmp_path: Path) -> None:
    """It is the one of the committed records with seed 0, play by play."""
    games = [
        game.name for game in ALL[:6]
    ]  # as they begin there, since the plans of a game depend on its place
    name = str(CONFIGS / "iphyre_models" / agent) if agent.endswith(".toml") else agent
    included = ("--checkpoint", "included", "--games", ",".join(games), "--attempts", "5")
    topple("evaluate", "--agent", name, *included)
    [record] = find_records(tmp_path / "runs")
    assert record.config.seed == 0
    variant = record.config.variant
    [published] = [
        each
        for each in find_records(RESULTS / "iphyre")
        if (each.config.agent, each.config.variant) == ("fusion-attention", variant)
        and (each.config.seed, each.config.attempts) == (0, 5)
    ]
    own = [play for play in published.results.plays if play.game in games]
    assert list(record.results.plays) == own
    assert len(own) > len(games)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "evaluate --agent ppo-i --checkpoint included --games all",
            "no checkpoint of 'ppo-i' is included for iphyre (the package includes "
            "fusion-attention); train one with `topple train`",
        ),
        (
            "evaluate --agent dqn --checkpoint included",
            "no checkpoint of 'dqn' is included for phyre (none is included)",
        ),
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
