"""Attention Fusion: it learns from scrambled games, and bodies may come in any order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from support.phases import game_training, play_games
from topple.iphyre.agents.attention_fusion import AttentionFusion, AttentionFusionAgent
from topple.iphyre.agents.outcome_data import (
    Examples,
    joined,
    play_examples,
    sample_examples,
    widened,
)
from topple.iphyre.agents.plan_classifier import plans_beside
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
from topple.iphyre.sampling import INTERVAL, LATEST
from topple.runs.agent import UNSAVED, Report, TrainingOptions

GAMES = (game_named("support"), game_named("hinder"))
SMALL: dict[str, Any] = {
    "embed_dim": 32,
    "n_layers": 2,
    "variants": 2,
    "scrambled": 30,
    "draws": 64,
    "samples_per_class": 20,
}


def test_games_are_widened_and_the_same_for_the_same_seed() -> None:
    games = list(widened(GAMES, 2, 5, seed=0))
    assert games[:2] == list(GAMES)
    assert len(games) == 2 + 2 * 2 + 5
    assert all(game.eliminable for game in games)
    assert games == list(widened(GAMES, 2, 5, seed=0))
    assert games != list(widened(GAMES, 2, 5, seed=1))


def test_examples_are_plans_of_their_games() -> None:
    games = list(widened(GAMES, 0, 10, seed=0))
    examples = joined([play_examples(game, 40, 10, seed) for seed, game in enumerate(games)])
    assert set(examples.game.tolist()) == set(range(len(games)))
    for number, game in enumerate(games):
        own = examples.game == number
        assert examples.solved[own].sum() <= 10
        assert not np.delete(examples.times[own], list(game.eliminable), axis=1).any()


def test_plays_at_another_rate_are_other_examples() -> None:
    game = game_named("seesaw")  # which nothing solves at 10 Hz
    slow, fast = (play_examples(game, 200, 100, 0, rules) for rules in (AT_10_HZ, AT_60_HZ))
    assert not slow.solved.any()
    assert fast.solved.any()


@pytest.mark.parametrize("frequencies", [0, 4])
def test_the_order_of_bodies_does_not_matter(frequencies: int) -> None:
    examples = sample_examples(GAMES, 5)
    network = AttentionFusion(2, 32, 4, frequencies).eval()
    tables = torch.from_numpy(examples.tables[examples.game])
    times = torch.from_numpy(examples.times)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        straight, shuffled = network(tables, times), network(tables[:, order], times[:, order])
    torch.testing.assert_close(straight, shuffled)


def test_reports_count_the_games_played_and_then_the_updates() -> None:
    agent = AttentionFusionAgent(**{**AttentionFusionAgent.smoke, "scrambled": 60})
    games = [game_named("support")]
    reports = list(agent.learn(game_training(games)))
    playing = [report for report in reports if report.preparing]
    assert [(report.done, report.planned) for report in playing] == [
        (25, 62),
        (50, 62),
        (62, 62),
    ]
    fitting = reports[len(playing) :]
    assert fitting[-1].done == fitting[-1].planned
    assert all(report.loss is not None and report.loss > 0.0 for report in fitting)


def test_processes_play_what_one_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = AttentionFusionAgent(**{**AttentionFusionAgent.smoke, "scrambled": 60})
    digests = []

    def fit(data: Examples, *_: object) -> Iterator[Report]:
        digests.append(data.digest)
        return iter(())

    monkeypatch.setattr(agent, "fit", fit)
    for few in (1, 100):
        monkeypatch.setattr("topple.iphyre.agents.attention_fusion._FEW", few)
        list(agent.fit_games(GAMES, 0, UNSAVED))
    assert digests[0] == digests[1]


def test_plans_beside_others_are_plans() -> None:
    rng = np.random.default_rng(0)
    given = np.array([[0.1, 6.9, 0.0], [3.0, 3.1, 3.2]])
    near = plans_beside(np.repeat(given, 200, axis=0), rng)
    assert 200 < len(near) < 400
    assert (near >= 0).all()
    assert (near < LATEST).all()
    np.testing.assert_allclose(near / INTERVAL, (near / INTERVAL).round(), atol=1e-9)
    for row in near.tolist():
        removed = [time for time in row if time]
        assert len(set(removed)) == len(removed)
    assert (near[:, 2] == 0).any()
    assert (near[:, 2] > 0).any()
    unchanged = plans_beside(np.zeros((0, 3)), rng)
    assert unchanged.shape == (0, 3)


class Judge(nn.Module):
    """Likes plans that remove blocks late."""

    def forward(self, tables: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
        return torch.stack([torch.zeros(len(times)), times.sum(dim=1) - 5.0], dim=1)


def total_times(**settings: Any) -> list[float]:
    """The sum of the times of removals, in seconds, in each of five plays."""
    agent = AttentionFusionAgent(**SMALL, candidates=100, **settings)
    agent._network = Judge()
    log = play_games(agent, [game_named("hinder")], plays=5, seed=1).log
    return [sum(each.tick for each in play.plan.eliminations) / 10 for play in log]


def test_failures_count_against_plans_beside_them() -> None:
    best_first = total_times()
    felt = total_times(failure_penalty=20.0, failure_radius=0.1)
    assert felt[0] == best_first[0]
    assert np.std(felt) > np.std(best_first)


def test_refinement_finds_better_plans_by_the_network() -> None:
    assert total_times(refined=300)[0] > total_times()[0]


def test_it_learns_and_beats_random_plans() -> None:
    agent = AttentionFusionAgent(**SMALL, n_epochs=30, batch_size=32, candidates=200)
    agent.train(game_training(GAMES))
    assert agent.accuracy(sample_examples(GAMES, 20, masked=False)) > 0.75
    assert [play.score.solved for play in play_games(agent, GAMES, seed=1).log] == [True, True]


def test_a_finished_checkpoint_in_half_precision_is_small_and_plays_alike(tmp_path: Path) -> None:
    sizes = {}
    for half in (False, True):
        agent = AttentionFusionAgent(**AttentionFusionAgent.smoke, half_precision=half)
        path = tmp_path / f"{half}.pt"
        list(agent.learn(game_training(GAMES), TrainingOptions(path)))
        sizes[half] = path.stat().st_size
        loaded = AttentionFusionAgent()
        loaded.load(path)
        assert loaded.half_precision is half
        examples = sample_examples(GAMES, 5)
        torch.testing.assert_close(loaded.logits(examples), agent.logits(examples), rtol=0, atol=0)
        again = AttentionFusionAgent(**AttentionFusionAgent.smoke, half_precision=half)
        resumed = again.learn(game_training(GAMES), TrainingOptions(path))
        assert all(report.preparing for report in resumed)  # nothing was left to train
    assert sizes[True] < 0.75 * sizes[False]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hz": 30}, "hz is 30; the benchmark is played at 60 or at 10"),
        ({"combined": 2}, "combined is 2; it has to be from 0 to 1"),
        ({"embed_dim": 30}, "embed_dim is 30; it has to be a multiple of 4 \\(n_heads\\)"),
        ({"scrambled": -1}, "scrambled is -1; it has to be 0 or more"),
        ({"n_layers": 0}, "n_layers is 0; it has to be 1 or more"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AttentionFusionAgent(**settings)  # type: ignore[arg-type]
