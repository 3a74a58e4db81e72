"""`topple reproduce tableA1`, from the results kept in the repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from topple.cli.main import app
from topple.iphyre.agents.classifier_accuracy import CLASSIFIERS, ClassifierConfig
from topple.iphyre.published import IPHYRE_TABLE_A1
from topple.runs.registry import create_agent

RESULTS = Path(__file__).resolve().parents[2] / "results" / "iphyre_classifiers"


def table_a1(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["reproduce", "tableA1", *map(str, words)])


@pytest.mark.skipif(not RESULTS.is_dir(), reason="only in a checkout")
@pytest.mark.parametrize("name", ["Global Fusion", "Object Fusion"])
def test_kept_results_are_close_to_the_published_ones(name: str) -> None:
    result = table_a1("--agents", CLASSIFIERS[name], "--out", RESULTS, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [each["config"]["seed"] for each in found] == [0, 1, 2]
    for split, published in IPHYRE_TABLE_A1[name].items():
        mean = sum(each["accuracy"][split.value] for each in found) / len(found)
        assert 100 * mean == pytest.approx(published, abs=2.5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agents", "fusion"], "no classifier is named 'fusion'; use fusion-global"),
        (["--agents", "fusion-global", "-s", "layer=1"], "has no setting 'layer'"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str, tmp_path: Path) -> None:
    result = table_a1(*words, "--out", tmp_path)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_damaged_results_are_named(tmp_path: Path) -> None:
    source = next(iter(sorted(RESULTS.glob("fusion-global_0_*.json"))))
    (tmp_path / source.name).write_text("{}")
    result = table_a1("--agents", "fusion-global", "--seeds", "0", "--out", tmp_path)
    assert result.exit_code == 2
    assert "is no result of a classifier" in result.stderr


def test_a_short_try_uses_settings_of_the_classifiers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ClassifierConfig] = []

    def sweep(configs: list[ClassifierConfig], *_: object) -> Iterator[object]:
        asked.extend(configs)
        return iter(())

    monkeypatch.setattr("topple.cli.reproduce_iphyre.sweep_classifiers", sweep)
    table_a1("--agents", "fusion-global", "--seeds", "0", "--smoke", "--out", tmp_path)
    [config] = asked
    create_agent("iphyre", config.agent, config.settings)  # it has all of these settings
