"""MDRNN: a recurrent network that predicts the next state as a mixture of normal distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from topple.iphyre.agents.fitting import Fitting, Schedule, load_weights, read_fit, seeded
from topple.iphyre.agents.sequence_data import STATE, STEPS, Sequences, windows
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.observe import COLUMNS
from topple.runs.agent import Report
from topple.runs.settings import above_zero, at_least, settings_of

# Logarithms of standard deviations, in widths of the scene.
_SHARPEST, _FIRST, _WIDEST = -6.0, -2.0, 1.0

Memory = tuple[Tensor, Tensor]


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
        hidden: units of the LSTM.
        mixtures: normal distributions.
        epochs: over all windows.
        batch: windows of an update.
        window: steps of a window.
        learning_rate: it stays the same.
    """

    hidden: int = 256
    mixtures: int = 5
    epochs: int = 50
    batch: int = 128
    window: int = 64
    learning_rate: float = 1e-3
    network: MdrnnNetwork = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("hidden", "mixtures", "epochs", "batch"):
            at_least(name, getattr(self, name), 1)
        at_least("window", self.window, 2)
        above_zero("learning_rate", self.learning_rate)
        self.network = MdrnnNetwork(self.hidden, self.mixtures)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name."""
        return settings_of(self)

    def fit(
        self,
        sequences: Sequences,
        seed: int,
        checkpoint: Path | None = None,
        *,
        run: Mapping[str, Any] | None = None,
    ) -> Iterator[Report]:
        """Make the epochs that are missing, with a report after each."""
        self.network = network = cast(
            MdrnnNetwork, seeded(seed, lambda: MdrnnNetwork(self.hidden, self.mixtures))
        )
        parts = windows(sequences.lengths, self.window)

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            return prediction_loss(network, sequences, parts[batch], self.window)

        fitting = Fitting(
            network,
            loss,
            len(parts),
            Schedule(self.epochs, self.batch, self.learning_rate, constant=True),
            seed,
            key={**self.settings, "seed": seed, "data": sequences.digest},
            run=run or {},
        )
        yield from fitting.epochs(checkpoint)

    def load(self, path: Path) -> dict[str, Any]:
        """Take settings and weights from a finished checkpoint; what it was trained for."""
        found = read_fit(path)
        for name in self.settings:
            setattr(self, name, found["key"][name])
        self.network = MdrnnNetwork(self.hidden, self.mixtures)
        load_weights(self.network, found["network"])
        self.network.eval()
        return dict(found["run"])


def prediction_loss(
    network: MdrnnNetwork, sequences: Sequences, parts: NDArray[np.int64], window: int
) -> Tensor:
    """How badly the next states and the successes in some windows are foretold."""
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
