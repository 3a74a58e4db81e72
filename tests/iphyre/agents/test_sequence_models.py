"""MDRNN, Decision Transformer, world models and the planner in a learned model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from support.phases import play_games
from support.training import same_weights, stop_after
from topple.iphyre.agents.decision_transformer import DecisionTransformer, Gpt, action_loss
from topple.iphyre.agents.mdrnn import Mdrnn, prediction_loss
from topple.iphyre.agents.sequence_data import STEPS, Sequences, collect_sequences, windows
from topple.iphyre.games import game_named
from topple.iphyre.phases import Training
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.sampling import sample
from topple.runs.agent import TrainingOptions
from topple.runs.checkpoint import CheckpointError
from topple.runs.registry import create_agent

GAMES = (game_named("support"), game_named("hinder"))
SMALL = {"embed_dim": 32, "n_layers": 1, "n_heads": 2, "dropout": 0.0, "learning_rate": 3e-3}


@pytest.fixture(scope="module")
def sequences() -> Sequences:
    return collect_sequences(GAMES, 4)


def test_sequences_say_what_happened(sequences: Sequences) -> None:
    assert sequences.states.shape == (16, STEPS, 108)
    for number, game in enumerate(GAMES):
        draws, _ = sample(game, 4, 4)
        for k, draw in enumerate(draws, start=8 * number):
            assert sequences.lengths[k] == -(-draw.score.ticks // 6)
            assert sequences.solved[k] == draw.score.solved
            assert sequences.returns[k, 0] == pytest.approx(draw.score.reward)
            steps = np.flatnonzero(sequences.actions[k])
            # A block is gone from the table of the step after its removal.
            done = {
                body: min(tick + 5, 899) // 6 - 1
                for tick, body in draw.plan.eliminations
                if tick + 6 < draw.score.ticks
            }
            chosen = {game.eliminable[sequences.actions[k, step] - 1]: step for step in steps}
            assert chosen.items() >= done.items()
            assert {body: step for step, body in np.argwhere(sequences.removed[k])} == chosen
            # What is left to earn at a step is less by what was paid before.
            paid = draw.score.reward - sequences.returns[k, sequences.lengths[k] - 1]
            cost = -0.1 * (sequences.lengths[k] - 1) - 10.0 * len(steps)
            assert paid == pytest.approx(cost, abs=10.01)


def test_windows_cover_episodes_once() -> None:
    parts = windows(np.array([150, 64, 3]), 64)
    assert parts.tolist() == [[0, 0], [0, 64], [0, 128], [1, 0], [2, 0]]


def test_mdrnn_overfits_tiny_data(sequences: Sequences) -> None:
    model = Mdrnn(hidden_size=32, n_mixtures=2, n_epochs=40, batch_size=8, learning_rate=3e-3)
    first, *_, last = (report.loss or 0.0 for report in model.fit(sequences, 0))
    assert last < first - 2
    # What moves is foretold better than by saying that it stays where it is.
    before, after = sequences.states[:, :-1], sequences.states[:, 1:]
    removed = torch.from_numpy(sequences.removed[:, :-1].astype(np.float32))
    with torch.no_grad():
        expected = model.network(torch.from_numpy(before), removed)[0].likeliest().numpy()
    inside = np.arange(STEPS - 1) < sequences.lengths[:, None] - 1
    there = (after != 0) & (before != 0)
    moving = inside[..., None] & there & (np.abs(after - before) > 0.01)
    assert moving.sum() > 100
    wrong = np.abs(expected - after)[moving].mean()
    assert wrong < 0.85 * np.abs(before - after)[moving].mean()


def test_mdrnn_losses_look_at_real_steps_only(sequences: Sequences) -> None:
    model = Mdrnn(hidden_size=8, n_mixtures=2)
    parts = windows(sequences.lengths, 64)
    padded = sequences._replace(states=sequences.states.copy())
    for k, length in enumerate(sequences.lengths):
        padded.states[k, length:] = 0.5
    losses = [
        float(prediction_loss(model.network, data, parts, 64).detach())
        for data in (sequences, padded)
    ]
    assert losses[0] == losses[1]


def test_the_transformer_does_not_see_the_future() -> None:
    torch.manual_seed(0)
    gpt = Gpt(16, 2, 2, 0.0).eval()
    tokens = torch.randn(1, 6, 16)
    other = tokens.clone()
    other[:, 4:] = 0
    with torch.no_grad():
        assert torch.equal(gpt(tokens)[:, :4], gpt(other)[:, :4])
        assert not torch.equal(gpt(tokens)[:, 4:], gpt(other)[:, 4:])


def test_a_step_does_not_see_its_own_choice(sequences: Sequences) -> None:
    agent = DecisionTransformer(**SMALL)  # type: ignore[arg-type]
    network = agent.new_network().eval()
    returns, states = torch.zeros(1, 5), torch.randn(1, 5, 122)
    choices, steps = torch.zeros(1, 5, dtype=torch.int64), torch.arange(5)[None]
    changed = choices.clone()
    changed[0, 3] = 2
    with torch.no_grad():
        before, after = (network(returns, states, each, steps) for each in (choices, changed))
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.equal(before[:, 4], after[:, 4])


def test_decision_transformer_overfits_and_plays() -> None:
    sequences = collect_sequences(GAMES, 6)
    agent = DecisionTransformer(n_epochs=150, batch_size=24, removal_weight=3.0, **SMALL)  # type: ignore[arg-type]
    losses = [report.loss or 0.0 for report in agent.fit(sequences, 0)]
    assert losses[-1] < 0.35 * losses[0]
    playing = play_games(agent, GAMES, plays=5)
    solved = {play.game for play in playing.log if play.score.solved}
    assert solved == {game.name for game in GAMES}
    assert playing.simulator_calls == 0


def test_decision_transformer_plays_at_sixty_hertz_too() -> None:
    agent = DecisionTransformer(n_epochs=1, samples_per_class=1, **SMALL)  # type: ignore[arg-type]
    agent.train(Training(GAMES[:1], AT_60_HZ, np.random.default_rng(0)))
    log = play_games(agent, GAMES[:1], rules=AT_60_HZ).log
    assert all(tick % 6 == 0 for play in log for tick, _ in play.plan.eliminations)


def test_losses_weigh_removals(sequences: Sequences) -> None:
    agent = DecisionTransformer(**SMALL)  # type: ignore[arg-type]
    network = agent.new_network().eval()
    with torch.no_grad():  # always nothing: wrong at removals alone
        network.head.weight.zero_()
        network.head.bias.copy_(torch.tensor([9.0, *[0.0] * 6]))
    first = np.zeros(sequences.size, np.int64)
    light, heavy = (
        action_loss(network, sequences, np.arange(sequences.size), first, 150, weight)
        .detach()
        .item()
        for weight in (1.0, 20.0)
    )
    assert heavy > 3 * light


def test_resumed_transformer_equals_uninterrupted(sequences: Sequences, tmp_path: Path) -> None:
    path = tmp_path / "dt.pt"
    options = {**SMALL, "dropout": 0.1, "n_epochs": 4, "batch_size": 8}
    whole, resumed = (DecisionTransformer(**options) for _ in range(2))  # type: ignore[arg-type]
    list(whole.fit(sequences, 1))
    part = DecisionTransformer(**options).fit(sequences, 1, TrainingOptions(path))  # type: ignore[arg-type]
    stop_after(2, part)
    assert len(list(resumed.fit(sequences, 1, TrainingOptions(path)))) == 2
    assert same_weights(resumed.network, whole.network)
    loaded = DecisionTransformer()
    loaded.load(path)
    assert (loaded.embed_dim, loaded.n_epochs, loaded.target_return) == (32, 4, 1000.0)


def test_a_transformer_of_another_size_is_refused(sequences: Sequences, tmp_path: Path) -> None:
    saved = TrainingOptions(tmp_path / "dt.pt")
    list(DecisionTransformer(**{**SMALL, "n_epochs": 1}).fit(sequences, 0, saved))  # type: ignore[arg-type]
    other = {**SMALL, "n_epochs": 1, "embed_dim": 64}
    with pytest.raises(CheckpointError, match="trained with embed_dim = 32, not 64"):
        next(DecisionTransformer(**other).fit(sequences, 0, saved))  # type: ignore[arg-type]
    with pytest.raises(CheckpointError, match="trained with n_epochs = 1, not 2"):
        next(DecisionTransformer(**{**SMALL, "n_epochs": 2}).fit(sequences, 0, saved))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agent", "settings", "message"),
    [
        ("decision-transformer", {"n_heads": 3}, "embed_dim is 128; it has to be a multiple of 3"),
        ("decision-transformer", {"dropout": 1.0}, "dropout is 1.0; it has to be from 0 to less"),
        (
            "decision-transformer",
            {"context_length": 0},
            "context_length is 0; it has to be 1 or more",
        ),
        ("world-model-ppo", {"lstm_hidden_size": 0}, "lstm_hidden_size is 0"),
        ("world-model-sac", {"total_timesteps": 0}, "total_timesteps is 0"),
        ("planner-learned", {"plans": 0}, "plans is 0; it has to be 1 or more"),
    ],
)
def test_bad_settings_of_models_are_named(
    agent: str, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        create_agent("iphyre", agent, settings)
