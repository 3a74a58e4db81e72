"""What all classifiers of plans, and the agents that rank plans by them, share.

To play, an agent draws plans like those it has learned from and plays the one with the highest
expected reward.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from topple.iphyre.agents.fitting import FittedAgent, Loss, Schedule, one_thread
from topple.iphyre.agents.outcome_data import SAMPLES_PER_CLASS, Examples, game_examples
from topple.iphyre.phases import Testing
from topple.iphyre.pictures import picture_game
from topple.iphyre.plan import plan_from_seconds
from topple.iphyre.rules import ELIMINATION_REWARD, SUCCESS_REWARD
from topple.iphyre.sampling import draw_times
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits
from topple.runs.device import CPU
from topple.runs.settings import at_least

IMAGE_SIZE = 224  # px

_SEEDS = 2**31


@dataclass
class PlanClassifier(FittedAgent):
    """A classifier and the agent that plays by it; further settings are those of fitted agents.

    Attributes:
        t_max: updates in which the learning rate falls by half a cosine before it rises again: 200
            in the released code; 0: it falls once, over the whole training, as the paper says.
        samples_per_class: plans that work, and as many that do not, of each training game.
        candidates: plans drawn for each game that is played.
    """

    acting: ClassVar[tuple[str, ...]] = ("candidates",)

    n_epochs: int = 200
    batch_size: int = 16
    t_max: int = 0
    samples_per_class: int = SAMPLES_PER_CLASS
    candidates: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "samples_per_class", "candidates")
        at_least(self, 0, "t_max")

    @property
    def looks_at_pictures(self) -> bool:
        """Whether it needs an image of a game beside its object table."""
        return False

    @property
    def traits(self) -> Traits:
        """It looks at the initial scene and plans everything before the first tick."""
        seen = Observation.IMAGE if self.looks_at_pictures else Observation.OBJECTS
        return Traits(observation=seen, strategy=Strategy.IN_ADVANCE.value)

    @property
    def schedule(self) -> Schedule:
        """The length of training and its learning rates."""
        return Schedule(self.n_epochs, self.batch_size, self.learning_rate, self.t_max)

    def loss(self, network: nn.Module, data: Examples) -> Loss:
        """The cross-entropy of the predicted outcomes."""
        inputs = _Inputs(data, self.looks_at_pictures, self.device)
        labels = torch.from_numpy(data.solved.astype(np.int64)).to(self.device)

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            chosen = functional.one_hot(labels[batch], 2).to(torch.float32)
            shares = torch.softmax(network(*inputs.of(batch)), dim=1)
            return functional.binary_cross_entropy(shares, chosen)

        return loss

    # Prediction and play.

    def predict(self, examples: Examples) -> NDArray[np.float32]:
        """[examples] the predicted probability that each plan works."""
        inputs = _Inputs(examples, self.looks_at_pictures)
        network = self.network.eval()
        with one_thread(), torch.no_grad():
            scores = network(*inputs.of(np.arange(examples.size)))
            shares: NDArray[np.float32] = torch.softmax(scores, dim=1)[:, 1].numpy()
        return shares

    def accuracy(self, examples: Examples) -> float:
        """The fraction of plans whose outcome is predicted correctly."""
        return float(np.mean((self.predict(examples) > 0.5) == examples.solved))

    def act(self, testing: Testing) -> None:
        """Play the most promising plans, best first, until one works."""
        for game in testing.games:
            blocks = len(game.eliminable)
            drawn = draw_times(blocks, seed=int(testing.rng.integers(_SEEDS)))
            rows = list(islice(drawn, self.candidates))
            times = np.array(rows, np.float32).reshape(len(rows), -1)[:, :blocks]
            unknown = np.zeros(len(times), np.bool_)  # whether they work
            works = self.predict(game_examples(game, times, unknown))
            promised = works * SUCCESS_REWARD + ELIMINATION_REWARD * (times > 0).sum(axis=1)
            for number in np.argsort(-promised, kind="stable")[: testing.remaining(game)].tolist():
                plan = plan_from_seconds(game, rows[number][:blocks], testing.rules)
                if testing.play(game, plan).solved:
                    break


class _Inputs:
    """Examples as inputs of a network."""

    def __init__(self, examples: Examples, pictures: bool, device: str = CPU) -> None:
        self._tables = torch.from_numpy(examples.tables).to(device)
        self._times = torch.from_numpy(examples.times).to(device)
        self._game = torch.from_numpy(examples.game).to(device)
        self._images: Tensor | None = None
        if pictures:
            images = [picture_game(game, IMAGE_SIZE) for game in examples.games]
            self._images = torch.from_numpy(np.stack(images)).to(device)

    def of(self, batch: NDArray[np.int64]) -> tuple[Tensor, ...]:
        game = self._game[batch]
        symbols = self._tables[game], self._times[batch]
        if self._images is None:
            return symbols
        own, places = torch.unique(game, return_inverse=True)
        return *symbols, self._images[own], places
