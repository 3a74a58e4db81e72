"""`topple train --games`, `topple sweep`, and Table A4 from what they leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("stable_baselines3")

from topple.cli.main import app

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "iphyre"
TINY = "total_timesteps=400 n_envs=4 n_steps=10 batch_size=20 hidden_size=8"
SMALL = [word for setting in TINY.split() for word in ("-s", setting)]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("TOPPLE_RUNS", str(tmp_path / "runs"))
    return CliRunner()


def test_training_leaves_weights_that_evaluate_scores(run: CliRunner, tmp_path: Path) -> None:
    agent = str(CONFIGS / "ppo-i-tuned.toml")
    words = ["train", "--agent", agent, "--games", "basic", *SMALL, "--json"]
    made = run.invoke(app, words)
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert found["training"]["done"] == 400
    assert found["config"]["settings"]["learning_rate"] == 5e-4
    checkpoint = Path(found["checkpoint"])
    assert checkpoint.parent.parent == tmp_path / "runs" / "training"

    # The same command finds nothing left to do and changes nothing.
    before = checkpoint.read_bytes()
    again = run.invoke(app, words)
    assert json.loads(again.stdout)["training"]["reward"] == found["training"]["reward"]
    assert checkpoint.read_bytes() == before

    scoring = ["evaluate", "--agent", agent, "--checkpoint", str(checkpoint), "--json"]
    best = run.invoke(app, [*scoring, "--games", "noisy"])
    assert best.exit_code == 0, best.output
    [scores] = json.loads(best.stdout)
    assert scores["agent"] == "PPO-I (tuned)"
    assert set(scores["splits"]) == {"noisy"}
    drawn = run.invoke(app, [*scoring, "--games", "noisy", "-s", "stochastic=true"])
    assert json.loads(drawn.stdout)[0]["scores"] != scores["scores"]


def test_a_sweep_fills_table_a4(run: CliRunner, tmp_path: Path) -> None:
    words = ["sweep", "ppo-i", "--seeds", "0,1", *SMALL, "--runs", str(tmp_path / "records")]
    made = run.invoke(app, words)
    assert made.exit_code == 0, made.output
    table = ["reproduce", "tableA4", "--runs", str(tmp_path / "records")]
    text = run.invoke(app, table).stdout
    assert "| ppo-i (sampled) | 2 " in text
    assert "Table A2" in text
    data = json.loads(run.invoke(app, [*table, "--agents", "ppo-i", "--json"]).stdout)
    assert [agent["seeds"] for agent in data["agents"]] == [[0, 1], [0, 1]]
    assert data["agents"][0]["published"]["solved"] == 0.575
    assert len(data["agents"][0]["games"]) == 40

    out = tmp_path / "figures"
    oracle = Path(__file__).resolve().parents[2] / "results" / "iphyre" / "oracle.json"
    drawn = ["reproduce", "iphyre-figures", "--out", str(out), "--oracle", str(oracle), *table[2:]]
    result = run.invoke(app, drawn)
    assert result.exit_code == 0, result.output
    assert {path.name for path in out.iterdir()} == {"figure2.svg", "figure3.svg", "figureA7.svg"}


def test_a_sweep_takes_agents_without_a_policy(run: CliRunner) -> None:
    small = ["-s", "n_epochs=1", "-s", "samples_per_class=2", "-s", "candidates=5"]
    made = run.invoke(app, ["sweep", "fusion-global", "fusion-object", *small, "--json"])
    assert made.exit_code == 0, made.output
    records = json.loads(made.stdout)
    assert [record["agent"] for record in records] == ["fusion-global", "fusion-object"]
    assert all(len(record["scores"]) == 50 for record in records)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "--agent", "ppo-i"], "give either --setup, for PHYRE, or --games"),
        (["train", "--agent", "ppo-i", "--games", "hard"], "no split is named 'hard'"),
        (["train", "--agent", "random", "--games", "basic"], "needs no training beforehand"),
        (["train", "--agent", "no.toml", "--games", "basic"], "no.toml: No such file"),
        (["sweep", "dqn-oo"], "unknown agent 'dqn-oo': did you mean 'dqn-o'"),
        (["sweep", "ppo-i", "--seeds", "a"], "'a' is not a list of seeds"),
        (
            ["evaluate", "--agent", "ppo-i", "--checkpoint", "no.pt", "--games", "all"],
            "there is no checkpoint no.pt",
        ),
        (["reproduce", "tableA4", "--runs", "nowhere"], "nowhere does not exist"),
    ],
)
def test_mistakes_are_one_line(run: CliRunner, words: list[str], message: str) -> None:
    result = run.invoke(app, words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
