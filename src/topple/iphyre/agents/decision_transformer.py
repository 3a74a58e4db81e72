"""Decision Transformer: learns from sampled episodes which action led to a return.

From top to bottom: the networks, the settings, training, testing. An episode is a sequence of
returns to go, states and actions, ten a second; an action is predicted from what precedes it. To
play, the network is conditioned on a high return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from topple.iphyre.agents.fitting import FittedAgent, Loss, one_thread
from topple.iphyre.agents.outcome_data import SAMPLES_PER_CLASS
from topple.iphyre.agents.sequence_data import (
    POSITIONS,
    STATE,
    STEPS,
    Sequences,
    collect_sequences,
)
from topple.iphyre.dataset import FPS
from topple.iphyre.episode import Episode
from topple.iphyre.game import Game
from topple.iphyre.observe import ACTIONS
from topple.iphyre.phases import Testing
from topple.iphyre.rules import SUCCESS_REWARD
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Report, TrainingOptions, Traits
from topple.runs.settings import above_zero, at_least, divisible, fraction


class GptBlock(nn.Module):
    """Causal self-attention and a two-layer perceptron, each with a residual connection."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.first = nn.LayerNorm(width)
        self.attention = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.second = nn.LayerNorm(width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """[sequences, tokens, width] features of the same shape as the input."""
        parts = self.attention(self.first(tokens)).unflatten(2, (3, self.heads, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(
            query, key, value, dropout_p=dropout, is_causal=True
        )
        mixed = self.project(mixed.transpose(1, 2).flatten(2))
        tokens = tokens + functional.dropout(mixed, self.dropout, self.training)
        hidden: Tensor = self.perceptron(self.second(tokens))
        return tokens + hidden


class Gpt(nn.Module):
    """A causal transformer in the manner of GPT-2, over embeddings that include positions.

    Args:
        width: size of an embedding.
        layers: number of blocks.
        heads: attention heads of each block.
        dropout: dropout probability.
    """

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.input = nn.Sequential(nn.LayerNorm(width), nn.Dropout(dropout))
        self.blocks = nn.Sequential(*(GptBlock(width, heads, dropout) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.apply(_init_weights)

    def forward(self, tokens: Tensor) -> Tensor:
        """[sequences, tokens, width] features of each token and those before it."""
        features: Tensor = self.norm(self.blocks(self.input(tokens)))
        return features


def _init_weights(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=0.02)
        nn.init.zeros_(module.bias)


class DecisionNetwork(nn.Module):
    """Predicts actions from returns to go, states and earlier actions."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.return_to_go = nn.Linear(1, width)
        self.state = nn.Linear(STATE + POSITIONS, width)
        self.choice = nn.Embedding(ACTIONS, width)
        self.step = nn.Embedding(STEPS, width)
        self.gpt = Gpt(width, layers, heads, dropout)
        self.head = nn.Linear(width, ACTIONS)

    def forward(self, returns: Tensor, states: Tensor, choices: Tensor, steps: Tensor) -> Tensor:
        """[episodes, steps, 7] logits of each step's action.

        Args:
            returns: [episodes, steps] returns to go.
            states: [episodes, steps, 122].
            choices: [episodes, steps] actions; a step's own is hidden from its prediction.
            steps: [episodes, steps] indices of the steps.
        """
        parts = (
            self.return_to_go(returns[..., None] / SUCCESS_REWARD),
            self.state(states),
            self.choice(choices),
        )
        tokens = torch.stack(parts, dim=2) + self.step(steps)[:, :, None]
        features = self.gpt(tokens.flatten(1, 2)).unflatten(1, (-1, 3))
        logits: Tensor = self.head(features[:, :, 1])
        return logits


@dataclass
class DecisionTransformer(FittedAgent):
    """The agent.

    In an epoch, one window of each episode is drawn. Learning rates fall to almost 0 by half a
    cosine.

    Attributes:
        context_length: steps that the network attends to.
        embed_dim: size of the embeddings.
        n_layers: layers of the transformer.
        n_heads: attention heads of a layer.
        dropout: dropout probability.
        samples_per_class: solved episodes, and as many unsolved ones, of each training game.
        removal_weight: weight of a step with a removal in the loss; others have 1, as in the paper
            all do.
        target_return: return that play is conditioned on.
        stochastic: whether actions are sampled from the policy in all plays; otherwise the first
            play takes the likeliest ones.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "n_epochs": 2,
        "embed_dim": 32,
        "n_layers": 1,
        "samples_per_class": 5,
    }
    acting: ClassVar[tuple[str, ...]] = ("target_return", "stochastic")

    context_length: int = 20
    embed_dim: int = 128
    n_layers: int = 3
    n_heads: int = 4
    dropout: float = 0.1
    samples_per_class: int = SAMPLES_PER_CLASS
    removal_weight: float = 1.0
    target_return: float = SUCCESS_REWARD
    stochastic: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "context_length", "embed_dim", "n_layers", "n_heads", "samples_per_class")
        above_zero(self, "removal_weight")
        fraction(self, "dropout", below_one=True)
        divisible(self, "embed_dim", "n_heads")

    @property
    def traits(self) -> Traits:
        """It observes the object table at every step."""
        return Traits(observation=Observation.OBJECTS, strategy=Strategy.ON_THE_FLY.value)

    # Training.

    def fit_games(
        self, games: Sequence[Game], seed: int, options: TrainingOptions
    ) -> Iterator[Report]:
        """Sample episodes and fit the network to their actions."""
        return self.fit(collect_sequences(games, self.samples_per_class), seed, options)

    def loss(self, network: DecisionNetwork, data: Sequences) -> Loss:
        """The loss of a window of each episode of a minibatch."""

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            first = rng.integers(data.lengths[batch])
            return action_loss(
                network, data, batch, first, self.context_length, self.removal_weight
            )

        return loss

    def new_network(self) -> DecisionNetwork:
        """Create a network with these settings and initial weights."""
        return DecisionNetwork(self.embed_dim, self.n_layers, self.n_heads, self.dropout)

    # Playing.

    def act(self, testing: Testing) -> None:
        """Play the likeliest actions, then sampled ones, until a play works."""
        self.network.eval()
        for game in testing.games:
            draws: np.random.Generator | None = testing.rng if self.stochastic else None
            while testing.remaining(game):
                with testing.episode(game) as episode:
                    self._play_episode(episode, draws)
                if episode.solved:
                    break
                draws = testing.rng

    def _play_episode(self, episode: Episode, draws: np.random.Generator | None) -> None:
        stride = episode.rules.hz // FPS
        seen: list[NDArray[np.float32]] = []
        returns: list[float] = []
        choices: list[int] = []
        while not episode.state.over:
            if episode.tick % stride == 0:
                seen.append(episode.observe(Strategy.ON_THE_FLY))
                returns.append(self.target_return - episode.state.score.reward)
                choices.append(0)
                choices[-1] = self._choose(returns, seen, choices, draws)
            episode.act(Strategy.ON_THE_FLY, choices[-1])

    def _choose(
        self,
        returns: Sequence[float],
        seen: Sequence[NDArray[np.float32]],
        choices: Sequence[int],
        draws: np.random.Generator | None,
    ) -> int:
        last = slice(max(0, len(seen) - self.context_length), None)
        numbers = torch.arange(len(seen))[last].clamp(max=STEPS - 1)
        with one_thread(), torch.no_grad():
            logits = self.network(
                torch.tensor(returns[last], dtype=torch.float32)[None],
                torch.from_numpy(np.stack(seen[last]))[None],
                torch.tensor(choices[last])[None],
                numbers[None],
            )[0, -1]
            if draws is None:
                return int(logits.argmax())
            shares = torch.softmax(logits.to(torch.float64), 0).numpy()
        return int(draws.choice(ACTIONS, p=shares / shares.sum()))


def action_loss(
    network: DecisionNetwork,
    sequences: Sequences,
    episode: NDArray[np.int64],
    first: NDArray[np.int64],
    context: int,
    removal_weight: float,
) -> Tensor:
    """The cross-entropy of the actions in windows of some episodes.

    Args:
        network: the network to evaluate.
        sequences: the episodes.
        episode: [windows] index of the episode.
        first: [windows] first step.
        context: steps of a window.
        removal_weight: weight of steps with a removal.
    """
    step = first[:, None] + np.arange(context)
    inside = step < sequences.lengths[episode, None]
    step = np.minimum(step, STEPS - 1)
    row = episode[:, None]
    positions = np.repeat(sequences.positions[episode, None], context, axis=1)
    states = np.concatenate([sequences.states[row, step], positions], axis=2)
    device = network.head.weight.device
    choices = torch.from_numpy(sequences.actions[row, step]).to(device)
    logits = network(
        torch.from_numpy(sequences.returns[row, step]).to(device),
        torch.from_numpy(states).to(device),
        choices,
        torch.from_numpy(step).to(device),
    )
    losses = functional.cross_entropy(logits.flatten(0, 1), choices.flatten(), reduction="none")
    counted = torch.from_numpy(inside).to(device)
    weights = torch.where(choices > 0, removal_weight, 1.0) * counted
    return (losses * weights.flatten()).sum() / weights.sum()
