"""`topple train --games`, `topple sweep`, and Table A4 from what they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import topple, topple_json, topple_mistake

pytest.importorskip("stable_baselines3")

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "iphyre"
TINY = "total_timesteps=400 n_envs=4 n_steps=10 batch_size=20 hidden_size=8"
SMALL = [word for setting in TINY.split() for word in ("-s", setting)]


@pytest.fixture(autouse=True)
def _own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_RUNS", str(tmp_path / "runs"))


def test_training_leaves_weights_that_evaluate_scores(tmp_path: Path) -> None:
    agent = str(CONFIGS / "ppo-i-tuned.toml")
    words = ("train", "--agent", agent, "--games", "basic", *SMALL)
    found = topple_json(*words)
    assert found["training"]["done"] == 400
    assert found["config"]["settings"]["learning_rate"] == 5e-4
    checkpoint = Path(found["checkpoint"])
    assert checkpoint.parent.parent == tmp_path / "runs" / "training"

    # The same command finds nothing left to do and changes nothing.
    before = checkpoint.read_bytes()
    assert topple_json(*words)["training"]["reward"] == found["training"]["reward"]
    assert checkpoint.read_bytes() == before
    scoring = ("evaluate", "--agent", agent, "--checkpoint", checkpoint, "--games", "noisy")
    [scores] = topple_json(*scoring)
    assert scores["agent"] == "PPO-I (tuned)"
    assert set(scores["splits"]) == {"noisy"}
    [drawn] = topple_json(*scoring, "-s", "stochastic=true")
    assert drawn["scores"] != scores["scores"]
    [fast] = topple_json(*scoring, "--hz", "60")
    assert fast["agent"] == "PPO-I (tuned, 60 Hz)"


def test_a_sweep_fills_table_a4(tmp_path: Path) -> None:
    runs = ("--runs", tmp_path / "records")
    topple("sweep", "ppo-i", "--seeds", "0,1", *SMALL, *runs)
    text = topple("reproduce", "tableA4", *runs).stdout
    assert "| ppo-i (sampled) | 2 " in text
    assert "Table A2" in text
    data = topple_json("reproduce", "tableA4", *runs, "--agents", "ppo-i")
    assert [agent["seeds"] for agent in data["agents"]] == [[0, 1], [0, 1]]
    assert data["agents"][0]["published"]["solved"] == 0.575
    assert len(data["agents"][0]["games"]) == 40

    out = tmp_path / "figures"
    oracle = Path(__file__).resolve().parents[2] / "results" / "iphyre" / "oracle.json"
    topple("reproduce", "iphyre-figures", "--out", out, "--oracle", oracle, *runs)
    assert {path.name for path in out.iterdir()} == {"figure2.svg", "figure3.svg", "figureA7.svg"}


def test_a_sweep_takes_agents_without_a_policy() -> None:
    small = ("-s", "n_epochs=1", "-s", "samples_per_class=2", "-s", "candidates=5")
    records = topple_json("sweep", "fusion-global", "fusion-object", *small)
    assert [record["agent"] for record in records] == ["fusion-global", "fusion-object"]
    assert all(len(record["scores"]) == 50 for record in records)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train --agent ppo-i", "give either --setup, for PHYRE, or --games"),
        ("train --agent ppo-i --games hard", "no split is named 'hard'"),
        ("train --agent random --games basic", "needs no training beforehand"),
        ("train --agent no.toml --games basic", "no.toml: No such file"),
        ("sweep dqn-oo", "unknown agent 'dqn-oo': did you mean 'dqn-o'"),
        ("sweep ppo-i --seeds a", "'a' is not a list of seeds"),
        ("evaluate --agent ppo-i --checkpoint no.pt --games all", "there is no checkpoint no.pt"),
        ("reproduce tableA4 --runs nowhere", "nowhere does not exist"),
    ],
)
def test_mistakes_are_one_line(words: str, message: str) -> None:
    assert message in topple_mistake(*words.split())
