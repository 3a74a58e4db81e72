"""Attention Fusion: it learns from scrambled games, and bodies may come in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from topple.iphyre.agents.attention_fusion import AttentionFusion, AttentionFusionAgent
from topple.iphyre.agents.outcome_data import joined, play_examples, sample_examples, widened
from topple.iphyre.games import game_named
from topple.iphyre.phases import Testing, Training
from topple.iphyre.rules import AT_10_HZ

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


def test_the_order_of_bodies_does_not_matter() -> None:
    examples = sample_examples(GAMES, 5)
    network = AttentionFusion(2, 32, 4).eval()
    tables = torch.from_numpy(examples.tables[examples.game])
    times = torch.from_numpy(examples.times)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        straight, shuffled = network(tables, times), network(tables[:, order], times[:, order])
    torch.testing.assert_close(straight, shuffled)


def test_reports_count_the_games_played_and_then_the_updates() -> None:
    agent = AttentionFusionAgent(**{**AttentionFusionAgent.smoke, "scrambled": 60})
    games = [game_named("support")]
    reports = list(agent.learn(Training(games, AT_10_HZ, np.random.default_rng(0))))
    playing = [report for report in reports if report.preparing]
    assert [(report.done, report.planned) for report in playing] == [(1, 62), (51, 62)]
    fitting = reports[len(playing) :]
    assert fitting[-1].done == fitting[-1].planned
    assert all(report.loss is not None and report.loss > 0.0 for report in fitting)


def test_it_learns_and_beats_random_plans() -> None:
    agent = AttentionFusionAgent(**SMALL, n_epochs=30, batch_size=32, candidates=200)
    agent.train(Training(GAMES, AT_10_HZ, np.random.default_rng(0)))
    assert agent.accuracy(sample_examples(GAMES, 20, masked=False)) > 0.75
    playing = Testing(GAMES, AT_10_HZ, np.random.default_rng(1), plays=1)
    agent.act(playing)
    assert [play.score.solved for play in playing.log] == [True, True]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"embed_dim": 30}, "embed_dim is 30; it has to be a multiple of 4 \\(n_heads\\)"),
        ({"scrambled": -1}, "scrambled is -1; it has to be 0 or more"),
        ({"n_layers": 0}, "n_layers is 0; it has to be 1 or more"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AttentionFusionAgent(**settings)  # type: ignore[arg-type]
