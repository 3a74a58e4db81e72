"""`topple reproduce tableA1`, from the results kept in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import topple, topple_json, topple_mistake
from topple.iphyre.agents.classifier_accuracy import CLASSIFIERS, ClassifierConfig
from topple.iphyre.published import IPHYRE_TABLE_A1
from topple.runs.registry import create_agent

RESULTS = Path(__file__).resolve().parents[2] / "results" / "iphyre_classifiers"


TABLE_A1 = ("reproduce", "tableA1", "--agents")


@pytest.mark.skipif(not RESULTS.is_dir(), reason="only in a checkout")
@pytest.mark.parametrize("name", ["Global Fusion", "Object Fusion"])
def test_kept_results_are_close_to_the_published_ones(name: str) -> None:
    found = topple_json(*TABLE_A1, CLASSIFIERS[name], "--out", RESULTS)
    assert [each["config"]["seed"] for each in found] == [0, 1, 2]
    for split, published in IPHYRE_TABLE_A1[name].items():
        mean = sum(each["accuracy"][split.value] for each in found) / len(found)
        assert 100 * mean == pytest.approx(published, abs=2.5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fusion"], "no classifier is named 'fusion'; use fusion-global"),
        (["fusion-global", "-s", "layer=1"], "has no setting 'layer'"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str, tmp_path: Path) -> None:
    assert message in topple_mistake(*TABLE_A1, *words, "--out", tmp_path)
    assert not list(tmp_path.iterdir())


def test_damaged_results_are_named(tmp_path: Path) -> None:
    source = next(iter(sorted(RESULTS.glob("fusion-global_0_*.json"))))
    (tmp_path / source.name).write_text("{}")
    said = topple_mistake(*TABLE_A1, "fusion-global", "--seeds", "0", "--out", tmp_path)
    assert "is no result of a classifier" in said


def test_a_short_try_uses_settings_of_the_classifiers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ClassifierConfig] = []

    def stopped(configs: list[ClassifierConfig], *_: object) -> None:
        asked.extend(configs)
        raise KeyboardInterrupt

    monkeypatch.setattr("topple.cli.reproduce_iphyre.sweep_classifiers", stopped)
    topple(*TABLE_A1, "fusion-global", "--seeds", "0", "--smoke", "--out", tmp_path, code=130)
    [config] = asked
    create_agent("iphyre", config.agent, config.settings)  # it has all of these settings
