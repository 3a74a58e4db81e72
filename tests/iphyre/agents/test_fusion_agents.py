"""Classifiers of plans: they learn, go on where they were stopped, and rank plans."""

from __future__ import annotations

import hashlib
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from support.phases import game_training, play_games
from support.training import same_weights, stop_after
from topple.iphyre.agents.attention_fusion import AttentionFusionAgent
from topple.iphyre.agents.classifier_accuracy import ClassifierConfig, sweep_classifiers
from topple.iphyre.agents.decision_transformer import DecisionTransformer
from topple.iphyre.agents.fitting import FittedAgent, Fitting, Schedule, seeded
from topple.iphyre.agents.fusion import Fusion
from topple.iphyre.agents.outcome_data import (
    Examples,
    held_out,
    joined,
    play_examples,
    sample_examples,
)
from topple.iphyre.agents.sequence_data import collect_sequences
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


def test_examples_are_joined_without_their_games() -> None:
    names = ("support", "hinder", "direction")
    single = [play_examples(game_named(name), 64, 8, 0, watched=True) for name in names]
    whole = joined(single)
    sizes = [part.size for part in single]
    assert np.bincount(whole.game).tolist() == sizes
    bare = [joined(single[:2])._replace(games=()), single[2]._replace(games=())]
    again = joined(bare)
    assert again.games == ()
    assert again.game.tolist() == np.repeat(np.arange(3), sizes).tolist()
    for name in ("tables", "game", "times", "solved", "motion"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
    assert again.digest == whole.digest
    kept = held_out(again, 0.25, seed=3)
    assert np.bincount(again.game[kept]).tolist() == [round(size / 4) for size in sizes]
    assert (kept == held_out(whole, 0.25, seed=3)).all()
    some = joined([bare[0], bare[1]._replace(motion=None)])
    assert some.motion is None
    assert some.digest != again.digest


def test_digests_identify_examples(examples: Examples) -> None:
    parts = (examples.tables, examples.game, examples.times, examples.solved)
    content = b"".join(part.tobytes() for part in parts)
    # Checkpoints hold such digests, so they may not change.
    assert examples.digest == hashlib.blake2b(content, digest_size=8).hexdigest()
    turned = examples._replace(tables=np.asfortranarray(examples.tables))
    assert turned.digest == examples.digest
    assert examples._replace(solved=~examples.solved).digest != examples.digest


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


@pytest.mark.parametrize(
    "settings", [{}, {"t_max": 30}, {"constant": True}], ids=["falls", "t_max", "constant"]
)
def test_the_learning_rate_rises_first(settings: dict[str, Any]) -> None:
    plain, warm = (
        [Schedule(5, 16, 1e-3, warm_up=warm_up, **settings).rate(k, 100) for k in range(100)]
        for warm_up in (0, 10)
    )
    assert warm[9:] == plain[9:]
    assert np.divide(warm[:10], plain[:10]) == pytest.approx(np.arange(1, 11) / 10)
    assert Fusion(warm_up=10).schedule.warm_up == 10


LEARNERS = [
    Fusion(n_epochs=3, n_layers=1),
    AttentionFusionAgent(n_epochs=3, n_layers=1, embed_dim=16, batch_size=32, parts=2),
    DecisionTransformer(n_epochs=3, n_layers=1, embed_dim=16, n_heads=2, batch_size=8),
]


@pytest.mark.parametrize("agent", LEARNERS, ids=lambda agent: type(agent).__name__)
def test_measuring_leaves_no_trace(agent: FittedAgent, examples: Examples) -> None:
    learns_steps = isinstance(agent, DecisionTransformer)  # with dropout
    data = collect_sequences(GAMES, 2) if learns_steps else examples

    def fitting() -> Fitting:
        network = seeded(0, agent.new_network)
        loss, parts = agent.loss(network, data), agent.batch_parts
        return Fitting(network, loss, data.size, agent.schedule, 0, key={}, parts=parts)

    plain, measured = fitting(), fitting()
    before = torch.random.get_rng_state()
    assert measured.epochs_within(0.0) == 1
    assert measured.epochs_within(3600.0) > 1
    assert torch.equal(torch.random.get_rng_state(), before)
    assert same_weights(measured.network, plain.network)
    wanted, found = ([report.loss for report in each.epochs()] for each in (plain, measured))
    assert found == wanted
    assert same_weights(measured.network, plain.network)


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of trainings that a second passes on whenever it is looked at."""
    clock = SimpleNamespace(monotonic=count().__next__)
    monkeypatch.setattr("topple.iphyre.agents.fitting.time", clock)


@pytest.mark.usefixtures("slow_clock")
def test_as_many_epochs_as_fit_into_the_time(examples: Examples, tmp_path: Path) -> None:
    path = tmp_path / "fit.pt"
    agent = Fusion(n_epochs=100)
    # 60 updates are measured to take a second, and an epoch has 5.
    options = TrainingOptions(path, minutes=0.51 / 60)
    stop_after(2, agent.fit(examples, 0, options))
    assert agent.n_epochs == 6
    resumed = Fusion(n_epochs=100)
    reports = list(resumed.fit(examples, 0, options._replace(minutes=10.0)))
    assert [(report.done, report.planned) for report in reports] == [
        (5 * epoch, 30) for epoch in range(3, 7)
    ]
    assert resumed.n_epochs == 6
    assert same_weights(resumed.network, fitted(examples, n_epochs=6).network)
    loaded = Fusion()
    loaded.load(path)
    assert loaded.settings == resumed.settings
    with pytest.raises(CheckpointError, match="trained with n_epochs = 6, not 100"):
        next(Fusion(n_epochs=100).fit(examples, 0, TrainingOptions(path)))


@pytest.mark.usefixtures("slow_clock")
def test_the_time_that_plays_take_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=count(step=10).__next__)
    monkeypatch.setattr("topple.iphyre.agents.attention_fusion.time", clock)
    planned = []
    for minutes in (0.0, 0.5, 1.0):
        agent = AttentionFusionAgent(**{**AttentionFusionAgent.smoke, "batch_size": 100})
        reports = agent.fit_games(GAMES, 0, TrainingOptions(minutes=minutes))
        planned.append(next(report.planned for report in reports if not report.preparing))
    # There is a single chunk, so the clock is looked at twice after the start, which makes 20 s;
    # an epoch has 2 updates, of which 60 are measured to take a second.
    assert planned == [2, 60 * 10, 60 * 40]


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
