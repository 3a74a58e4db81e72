"""MDRNN: a recurrent network that predicts the next state as a mixture of normal distributions.

From top to bottom: the network, its training, and its predictions step by step in running episodes
(:class:`Foresight`), which serve as further observations or in place of the simulator.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from topple import paths
from topple.iphyre.agents.fitting import Fitting, Schedule, one_thread, seeded
from topple.iphyre.agents.outcome_data import SAMPLES_PER_CLASS
from topple.iphyre.agents.sequence_data import (
    STATE,
    STEPS,
    Sequences,
    collect_sequences,
    windows,
)
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.game import Game
from topple.iphyre.observe import COLUMNS
from topple.runs.agent import Report
from topple.runs.settings import above_zero, at_least, settings_of

# Logarithms of standard deviations, in widths of the scene.
_SHARPEST, _FIRST, _WIDEST = -6.0, -2.0, 1.0

_FOLDER = "iphyre_models"  # among the caches

Memory = tuple[Tensor, Tensor]  # hidden and cell state of the LSTM
States = NDArray[np.float32]  # [slots, 108]


class Prediction(NamedTuple):
    """What comes next, step by step."""

    shares: Tensor  # [episodes, steps, mixtures] logits
    means: Tensor  # [episodes, steps, mixtures, 108]
    deviations: Tensor  # [episodes, steps, mixtures, 108] logarithms
    solved: Tensor  # [episodes, steps] logit that every ball is out by the next step

    def likeliest(self) -> Tensor:
        """[episodes, steps, 108] the mean of the component with the largest share."""
        best = self.shares.argmax(dim=2)[..., None, None].expand(-1, -1, 1, STATE)
        return self.means.gather(2, best).squeeze(2).clamp(0, 1)

    def log_likelihood(self, states: Tensor) -> Tensor:
        """[episodes, steps] of the states that came next, a number of the state on average."""
        scaled = (states[:, :, None] - self.means) * torch.exp(-self.deviations)
        normal = -0.5 * scaled**2 - self.deviations - 0.5 * math.log(2 * math.pi)
        mixed = functional.log_softmax(self.shares, dim=2) + normal.sum(dim=3)
        return torch.logsumexp(mixed, dim=2) / STATE


class MdrnnNetwork(nn.Module):
    """An LSTM and what it says about the next step."""

    def __init__(self, hidden: int, mixtures: int) -> None:
        super().__init__()
        self.mixtures = mixtures
        self.memory = nn.LSTM(STATE + MAX_BODIES, hidden, batch_first=True)
        self.out = nn.Linear(hidden, mixtures * (1 + 2 * STATE) + 1)
        # At first it expects little to change, as is true of most numbers at most steps.
        nn.init.normal_(self.out.weight, std=0.01)
        nn.init.zeros_(self.out.bias)

    def forward(
        self, states: Tensor, removed: Tensor, memory: Memory | None = None
    ) -> tuple[Prediction, Memory]:
        """What comes after each step.

        Args:
            states: [episodes, steps, 108].
            removed: [episodes, steps, 12] 1 for bodies that go now.
            memory: of the steps before, if any.
        """
        # That removed bodies are gone is what removing means, not something to be learned.
        kept = states * (1 - removed).repeat_interleave(COLUMNS, dim=2)
        features, memory = self.memory(torch.cat([states, removed], dim=2), memory)
        count = self.mixtures
        shares, numbers, solved = self.out(features).split([count, 2 * count * STATE, 1], dim=2)
        change, deviations = numbers.unflatten(2, (2, count, STATE)).unbind(2)
        prediction = Prediction(
            shares,
            kept[:, :, None] + change,
            (_FIRST + deviations).clamp(_SHARPEST, _WIDEST),
            solved.squeeze(2),
        )
        return prediction, cast(Memory, memory)


@dataclass
class Mdrnn:
    """The network with its training.

    Attributes:
        hidden_size: units of the LSTM.
        n_mixtures: normal distributions of a prediction.
        n_epochs: passes over all windows.
        batch_size: windows of a minibatch.
        window: steps of a window.
        learning_rate: constant learning rate.
    """

    hidden_size: int = 256
    n_mixtures: int = 5
    n_epochs: int = 50
    batch_size: int = 128
    window: int = 64
    learning_rate: float = 1e-3
    network: MdrnnNetwork = field(init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "hidden_size", "n_mixtures", "n_epochs", "batch_size")
        at_least(self, 2, "window")
        above_zero(self, "learning_rate")
        self.network = MdrnnNetwork(self.hidden_size, self.n_mixtures)

    def fit(
        self,
        sequences: Sequences,
        seed: int,
        checkpoint: Path | None = None,
    ) -> Iterator[Report]:
        """Run the remaining epochs, with a report after each."""
        self.network = network = cast(
            MdrnnNetwork, seeded(seed, lambda: MdrnnNetwork(self.hidden_size, self.n_mixtures))
        )
        parts = windows(sequences.lengths, self.window)

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            return prediction_loss(network, sequences, parts[batch], self.window)

        fitting = Fitting(
            network,
            loss,
            len(parts),
            Schedule(self.n_epochs, self.batch_size, self.learning_rate, constant=True),
            seed,
            key={**settings_of(self), "seed": seed, "data": sequences.digest},
        )
        yield from fitting.epochs(checkpoint)


def prediction_loss(
    network: MdrnnNetwork, sequences: Sequences, parts: NDArray[np.int64], window: int
) -> Tensor:
    """Negative log-likelihood of the next states, and of success, in some windows."""
    episode, first = parts.T
    step = first[:, None] + np.arange(window)
    row, inside = episode[:, None], np.minimum(step, STEPS - 1)
    length, solved = sequences.lengths[episode, None], sequences.solved[episode, None]
    is_last = torch.from_numpy(step == length - 1)
    has_next = torch.from_numpy(step < length - 1)
    is_there = torch.from_numpy(step < length)
    states = torch.from_numpy(sequences.states[row, inside])
    after = torch.from_numpy(sequences.states[row, np.minimum(step + 1, STEPS - 1)])
    removed = torch.from_numpy(sequences.removed[row, inside].astype(np.float32))
    prediction, _ = network(states, removed)
    surprise = -prediction.log_likelihood(after)[has_next].mean()
    ends = (is_last & torch.from_numpy(solved)).to(torch.float32)
    missed = functional.binary_cross_entropy_with_logits(prediction.solved, ends, reduction="none")
    return cast(Tensor, surprise + missed[is_there].mean())


class Foresight:
    """A trained network that follows several episodes.

    Args:
        network: the trained network.
        slots: number of episodes.
    """

    def __init__(self, network: MdrnnNetwork, slots: int) -> None:
        self.network = network.eval()
        hidden = network.memory.hidden_size
        self._memory: Memory = torch.zeros(1, slots, hidden), torch.zeros(1, slots, hidden)
        self._nothing = torch.zeros(slots, 1, MAX_BODIES)

    def expect(self, states: States) -> States:
        """[slots, 108] the next states, if nothing is removed now."""
        with one_thread(), torch.no_grad():
            prediction, _ = self.network(
                torch.from_numpy(states)[:, None], self._nothing, self._memory
            )
            expected: States = prediction.likeliest()[:, 0].numpy()
        return expected

    def remember(self, states: States, removed: NDArray[np.float32]) -> tuple[States, States]:
        """Advance by a step; the next states, and the probability that it solves the game.

        Args:
            states: [slots, 108] states before the step.
            removed: [slots, 12] 1 for bodies that are removed.
        """
        with one_thread(), torch.no_grad():
            prediction, self._memory = self.network(
                torch.from_numpy(states)[:, None], torch.from_numpy(removed)[:, None], self._memory
            )
            solved = torch.sigmoid(prediction.solved)[:, 0]
            return prediction.likeliest()[:, 0].numpy(), solved.numpy()

    def forget(self, slots: NDArray[np.int64]) -> None:
        """Reset the memory of episodes that start again."""
        for part in self._memory:
            part[:, slots] = 0.0

    @property
    def memory(self) -> NDArray[np.float32]:
        """[2, slots, hidden_size] hidden and cell states; may be set."""
        return torch.cat(self._memory).numpy()

    @memory.setter
    def memory(self, values: NDArray[np.float32]) -> None:
        both = torch.from_numpy(values.copy())
        self._memory = both[:1], both[1:]


def removal_rows(
    games: Sequence[Game], choices: NDArray[np.int64], states: States
) -> NDArray[np.float32]:
    """[slots, 12] the bodies that choices remove, where they are still there."""
    rows = np.zeros((len(choices), MAX_BODIES), np.float32)
    for slot, (game, choice) in enumerate(zip(games, choices.tolist(), strict=True)):
        if 0 < choice <= len(game.eliminable):
            rows[slot, game.eliminable[choice - 1]] = 1.0
    return rows * states.reshape(-1, MAX_BODIES, COLUMNS).any(axis=2)


@dataclass
class MdrnnAgent:
    """The settings of an agent that has an MDRNN.

    Attributes:
        samples_per_class: solved episodes, and as many unsolved ones, of each training game.
        lstm_hidden_size: units of the model's LSTM.
        n_mixtures: normal distributions of its predictions.
        model_epochs: epochs of its training.
        model_seed: seed of its training. Models are kept in the cache and shared between agents.
    """

    samples_per_class: int = SAMPLES_PER_CLASS
    lstm_hidden_size: int = 256
    n_mixtures: int = 5
    model_epochs: int = 50
    model_seed: int = 0
    _mdrnn: Mdrnn | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "samples_per_class", "lstm_hidden_size", "n_mixtures", "model_epochs")

    def train_model(self, games: Sequence[Game]) -> Iterator[Report]:
        """Train the model, unless the cache has it."""
        self._mdrnn = Mdrnn(self.lstm_hidden_size, self.n_mixtures, self.model_epochs)
        return train_mdrnn(self._mdrnn, games, self.samples_per_class, self.model_seed)

    @property
    def model(self) -> MdrnnNetwork:
        """The trained network.

        Raises:
            ValueError: There is none yet.
        """
        if self._mdrnn is None:
            raise ValueError("the agent has no model; train it first")
        return self._mdrnn.network


def train_mdrnn(model: Mdrnn, games: Sequence[Game], each: int, seed: int) -> Iterator[Report]:
    """Train a model on sampled episodes, resuming from the cache or taking it from there."""
    data = [game.name for game in games], each, seed
    text = json.dumps([settings_of(model), *data], sort_keys=True)
    name = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    path = paths.cache_folder() / _FOLDER / f"mdrnn-{name}.pt"
    return model.fit(collect_sequences(games, each), seed, path)
