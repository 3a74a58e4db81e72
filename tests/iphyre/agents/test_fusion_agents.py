"""Classifiers of plans: they learn, go on where they were stopped, and rank plans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.phases import game_training, play_games
from support.training import same_weights, stop_after
from topple.iphyre.agents.classifier_accuracy import ClassifierConfig, sweep_classifiers
from topple.iphyre.agents.fusion import Fusion
from topple.iphyre.agents.outcome_data import Examples, held_out, sample_examples
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.sampling import sample
from topple.runs.agent import TrainingOptions
from topple.runs.checkpoint import CheckpointError
from topple.runs.registry import create_agent

GAMES = (game_named("support"), game_named("hinder"))


@pytest.fixture(scope="module")
def examples() -> Examples:
    return sample_examples(GAMES, 20)


def fitted(examples: Examples, **settings: object) -> Fusion:
    agent = Fusion(**settings)  # type: ignore[arg-type]
    list(agent.fit(examples, seed=0))
    return agent


def test_examples_are_the_sampled_plans(examples: Examples) -> None:
    assert examples.size == 80
    assert examples.solved.sum() == 40
    draws, _ = sample(GAMES[0], 20, 20)
    blocks = list(GAMES[0].eliminable)
    for row, draw in zip(examples.times[:40], draws, strict=True):
        end = draw.score.ticks / AT_60_HZ.hz
        wanted = [time if time <= end else 0.0 for time in draw.times]
        assert row[blocks].tolist() == pytest.approx(wanted)
        assert not np.delete(row, blocks).any()


def test_unmasked_times_are_those_drawn() -> None:
    games = [game_named("direction")]
    examples, raw = (sample_examples(games, 20, masked=masked) for masked in (True, False))
    assert (raw.times >= examples.times).all()
    assert (raw.times != examples.times).any()
    failed = ~examples.solved
    assert (raw.times[failed] == examples.times[failed]).all()


def test_a_share_of_each_game_is_held_out(examples: Examples) -> None:
    kept = held_out(examples, 0.25, seed=3)
    assert np.bincount(examples.game[kept]).tolist() == [10, 10]
    assert examples.part(kept).size == 20


@pytest.mark.parametrize("kind", ["global", "object", "vision"])
def test_classifiers_learn_two_games(kind: str, examples: Examples) -> None:
    agent = fitted(examples, kind=kind, n_epochs=30, n_layers=1)
    assert agent.accuracy(examples) > 0.75  # a guess is right in half of all cases


def test_resumed_fitting_equals_uninterrupted(examples: Examples, tmp_path: Path) -> None:
    whole = fitted(examples, n_epochs=6)
    path = tmp_path / "fit.pt"
    stop_after(3, Fusion(n_epochs=6).fit(examples, 0, TrainingOptions(path)))
    resumed = Fusion(n_epochs=6)
    reports = list(resumed.fit(examples, 0, TrainingOptions(path)))
    assert len(reports) == 3
    assert same_weights(resumed.network, whole.network)
    loaded = Fusion()
    loaded.load(path)
    assert loaded.n_epochs == 6
    assert (loaded.predict(examples) == whole.predict(examples)).all()


def test_a_checkpoint_is_for_its_own_training(examples: Examples, tmp_path: Path) -> None:
    path = tmp_path / "fit.pt"
    stop_after(1, Fusion(n_epochs=3).fit(examples, 0, TrainingOptions(path)))
    with pytest.raises(CheckpointError, match="1 of 3 epochs"):
        Fusion().load(path)
    with pytest.raises(CheckpointError, match="trained with batch_size = 16, not 8"):
        next(Fusion(n_epochs=3, batch_size=8).fit(examples, 0, TrainingOptions(path)))
    with pytest.raises(CheckpointError, match="trained with data"):
        next(Fusion(n_epochs=3).fit(examples.part(examples.solved), 0, TrainingOptions(path)))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        Fusion().load(tmp_path / "none.pt")


def test_ranked_plans_beat_random_ones() -> None:
    agent = Fusion(n_layers=1, n_epochs=40, candidates=300, samples_per_class=30)
    agent.train(game_training(GAMES))
    playing = play_games(agent, GAMES, plays=2, seed=1)
    assert playing.simulator_calls == 0
    solved = {play.game for play in playing.log if play.score.solved}
    # A random plan solves the one in a third, the other in a tenth of all cases.
    assert solved == {game.name for game in GAMES}


def test_results_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Two:
        games = GAMES

    monkeypatch.setattr("topple.iphyre.agents.classifier_accuracy.Split", _Splits(Two()))
    config = ClassifierConfig(
        "fusion-object", {"n_epochs": 1, "samples_per_class": 5}, held_out=0.2
    )
    (first,) = sweep_classifiers([config], tmp_path)
    assert set(first["accuracy"]) == {"basic", "basic_held_out"}
    assert set(first["games"]["basic"]) == {game.name for game in GAMES}
    (again,) = sweep_classifiers([config], tmp_path)
    assert again == first
    assert len(list(tmp_path.iterdir())) == 1


class _Splits:
    """In place of the splits, whose hard games take minutes to sample."""

    def __init__(self, basic: object) -> None:
        self.BASIC = basic
        basic.value = "basic"  # type: ignore[attr-defined]

    def __iter__(self) -> object:
        return iter([self.BASIC])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "local"}, "kind is 'local'; use one of global, object, vision"),
        ({"n_epochs": 0}, "n_epochs is 0; it has to be 1 or more"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; it has to be above 0"),
        ({"n_layers": -1}, "n_layers is -1"),
        ({"epoch": 3}, "has no setting 'epoch'"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_agent("iphyre", "fusion-global", settings)


def test_a_missing_vision_transformer_is_named(examples: Examples, tmp_path: Path) -> None:
    agent = Fusion(kind="vision", vit=str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match=r"nothing.*use vit=small"):
        next(agent.fit(examples, 0))


def test_no_weights_no_play() -> None:
    with pytest.raises(ValueError, match="no weights"):
        play_games(Fusion(), GAMES)


def test_a_trained_vision_transformer_comes_from_a_folder(
    examples: Examples, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="an optional extra")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.ViTConfig(**sizes, intermediate_size=64, patch_size=32)
    transformers.ViTModel(config).save_pretrained(tmp_path)
    agent = fitted(examples, kind="vision", n_epochs=1, vit=str(tmp_path))
    assert agent.predict(examples).shape == (80,)
    assert agent.settings["vit"] == str(tmp_path)
