"""Decision Transformer: learns from sampled episodes which choice was made on the way to a return.

From top to bottom: the network, the settings, training, testing. An episode is read as returns to
go, states and choices in turn, ten a second; a choice is told from what came before it. In
testing, one asks for a high return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from topple.iphyre.agents.fitted import FittedAgent
from topple.iphyre.agents.fitting import Fitting, Schedule, one_thread, seeded
from topple.iphyre.agents.gpt import Gpt
from topple.iphyre.agents.outcome_data import EACH
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
from topple.runs.agent import Observation, Report, Traits
from topple.runs.settings import above_zero, at_least, below_one, shared_by


class DecisionNetwork(nn.Module):
    """Choices from returns to go, states and earlier choices."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.wish = nn.Linear(1, width)
        self.state = nn.Linear(STATE + POSITIONS, width)
        self.choice = nn.Embedding(ACTIONS, width)
        self.step = nn.Embedding(STEPS, width)
        self.gpt = Gpt(width, layers, heads, dropout)
        self.decide = nn.Linear(width, ACTIONS)

    def forward(self, returns: Tensor, states: Tensor, choices: Tensor, steps: Tensor) -> Tensor:
        """[episodes, steps, 7] logits of each step's choice.

        Args:
            returns: [episodes, steps] to go.
            states: [episodes, steps, 122].
            choices: [episodes, steps]; a step's own is not looked at for it.
            steps: [episodes, steps] numbers from 0.
        """
        parts = (
            self.wish(returns[..., None] / SUCCESS_REWARD),
            self.state(states),
            self.choice(choices),
        )
        tokens = torch.stack(parts, dim=2) + self.step(steps)[:, :, None]
        features = self.gpt(tokens.flatten(1, 2)).unflatten(1, (-1, 3))
        logits: Tensor = self.decide(features[:, :, 1])
        return logits


@dataclass
class DecisionTransformer(FittedAgent):
    """The agent.

    Attributes:
        epochs: over all episodes; of each, one window is drawn.
        batch: windows of an update.
        learning_rate: at the beginning; it falls to almost 0 by half a cosine.
        context: steps it looks back.
        width: of embeddings.
        layers: of the transformer.
        heads: of attention in a layer.
        dropout: share of numbers left out in training.
        each: episodes that work, and as many that do not, of each training game.
        removal_weight: of a step with a removal in the loss; others have 1, as published all do.
        target: the return asked for in testing.
        explore: whether all plays are drawn from the policy; otherwise the first takes the
            likeliest choices.
    """

    smoke: ClassVar[Mapping[str, Any]] = {"epochs": 2, "width": 32, "layers": 1, "each": 5}
    acting: ClassVar[tuple[str, ...]] = ("target", "explore")

    epochs: int = 100
    batch: int = 128
    learning_rate: float = 1e-3
    context: int = 20
    width: int = 128
    layers: int = 3
    heads: int = 4
    dropout: float = 0.1
    each: int = EACH
    removal_weight: float = 1.0
    target: float = SUCCESS_REWARD
    explore: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("epochs", "batch", "context", "width", "layers", "heads", "each"):
            at_least(name, getattr(self, name), 1)
        above_zero("learning_rate", self.learning_rate)
        above_zero("removal_weight", self.removal_weight)
        below_one("dropout", self.dropout)
        shared_by("width", self.width, "heads", self.heads)

    @property
    def traits(self) -> Traits:
        """It looks at the table of objects at every step."""
        return Traits(observation=Observation.OBJECTS, strategy=Strategy.ON_THE_FLY.value)

    # Training.

    def fit_games(
        self, games: Sequence[Game], seed: int, checkpoint: Path | None, run: Mapping[str, Any]
    ) -> Iterator[Report]:
        """Sample episodes and fit the network to their choices."""
        return self.fit(collect_sequences(games, self.each), seed, checkpoint, run)

    def fit(
        self,
        sequences: Sequences,
        seed: int,
        checkpoint: Path | None = None,
        run: Mapping[str, Any] | None = None,
    ) -> Iterator[Report]:
        """Make the epochs that are missing, with a report after each."""
        network = cast(DecisionNetwork, seeded(seed, self.new_network))
        self._network = network

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            first = rng.integers(sequences.lengths[batch])
            return choice_loss(network, sequences, batch, first, self.context, self.removal_weight)

        fitting = Fitting(
            network,
            loss,
            sequences.size,
            Schedule(self.epochs, self.batch, self.learning_rate),
            seed,
            key={**self.training_settings, "seed": seed, "data": sequences.digest},
            run=run or {},
            device=self.device,
        )
        yield from fitting.epochs(checkpoint)

    def new_network(self) -> DecisionNetwork:
        """A network with these settings and first weights."""
        return DecisionNetwork(self.width, self.layers, self.heads, self.dropout)

    # Playing.

    def act(self, testing: Testing) -> None:
        """Play the likeliest choices, then draw choices, until a play works."""
        self.network.eval()
        for game in testing.games:
            draws: np.random.Generator | None = testing.rng if self.explore else None
            while testing.remaining(game):
                with testing.episode(game) as episode:
                    self._play_episode(episode, draws)
                if episode.solved:
                    break
                draws = testing.rng

    def _play_episode(self, episode: Episode, draws: np.random.Generator | None) -> None:
        stride = episode.rules.hz // FPS
        seen: list[NDArray[np.float32]] = []
        wishes: list[float] = []
        choices: list[int] = []
        while not episode.state.over:
            if episode.tick % stride == 0:
                seen.append(episode.observe(Strategy.ON_THE_FLY))
                wishes.append(self.target - episode.state.score.reward)
                choices.append(0)
                choices[-1] = self._choose(wishes, seen, choices, draws)
            episode.act(Strategy.ON_THE_FLY, choices[-1])

    def _choose(
        self,
        wishes: Sequence[float],
        seen: Sequence[NDArray[np.float32]],
        choices: Sequence[int],
        draws: np.random.Generator | None,
    ) -> int:
        last = slice(max(0, len(seen) - self.context), None)
        numbers = torch.arange(len(seen))[last].clamp(max=STEPS - 1)
        with one_thread(), torch.no_grad():
            logits = self.network(
                torch.tensor(wishes[last], dtype=torch.float32)[None],
                torch.from_numpy(np.stack(seen[last]))[None],
                torch.tensor(choices[last])[None],
                numbers[None],
            )[0, -1]
            if draws is None:
                return int(logits.argmax())
            shares = torch.softmax(logits.to(torch.float64), 0).numpy()
        return int(draws.choice(ACTIONS, p=shares / shares.sum()))


def choice_loss(
    network: DecisionNetwork,
    sequences: Sequences,
    episode: NDArray[np.int64],
    first: NDArray[np.int64],
    context: int,
    removal_weight: float,
) -> Tensor:
    """How badly choices are told in windows of some episodes.

    Args:
        network: to be judged.
        sequences: where episodes come from.
        episode: [windows].
        first: [windows] first steps.
        context: steps of a window.
        removal_weight: of steps with a removal.
    """
    step = first[:, None] + np.arange(context)
    inside = step < sequences.lengths[episode, None]
    step = np.minimum(step, STEPS - 1)
    row = episode[:, None]
    positions = np.repeat(sequences.positions[episode, None], context, axis=1)
    states = np.concatenate([sequences.states[row, step], positions], axis=2)
    device = network.decide.weight.device
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
