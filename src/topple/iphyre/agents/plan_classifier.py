"""What all classifiers of plans, and the agents that rank plans by them, share.

To play, an agent draws plans like those it has learned from, and plays the one with the highest
expected reward. If asked for, it also considers plans beside the best ones, and a play that fails
counts against plans like it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from topple.iphyre.agents.fitting import FittedAgent, Loss, Schedule, one_thread
from topple.iphyre.agents.outcome_data import SAMPLES_PER_CLASS, Examples, game_examples
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing
from topple.iphyre.pictures import picture_game
from topple.iphyre.plan import plan_from_seconds
from topple.iphyre.rules import ELIMINATION_REWARD, SUCCESS_REWARD
from topple.iphyre.sampling import INTERVAL, LATEST, draw_times
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits
from topple.runs.belief import Belief
from topple.runs.device import CPU, CUDA
from topple.runs.settings import above_zero, at_least

IMAGE_SIZE = 224  # px

_SEEDS = 2**31
_ROUNDS, _PARENTS = 3, 50  # of refinement; plans that others are derived from
_SPREADS = (1.0, 3.0, 10.0)  # steps of a removal's time
_TOGGLED = 0.05  # how often a block is left alone instead of removed, or the other way round
_DIGITS = 1  # of times, which lie on the grid of drawn ones

Times = NDArray[np.float64]  # [plans, blocks] seconds; 0: never


@dataclass
class PlanClassifier(FittedAgent):
    """A classifier and the agent that plays by it; further settings are those of fitted agents.

    Attributes:
        t_max: updates in which the learning rate falls by half a cosine before it rises again: 200
            in the released code; 0: it falls once, over the whole training, as the paper says.
        warm_up: updates in which the learning rate rises first.
        samples_per_class: plans that work, and as many that do not, of each training game.
        candidates: plans drawn for each game that is played.
        refined: plans beside the best of them that are considered as well; 0: none.
        failure_penalty: what a failed play takes from the logits of plans beside it; with the
            distance it falls off as a Gaussian. 0: plans are played best first.
        failure_radius: standard deviation of that Gaussian. Two plans are at distance 1 if they
            differ in whether a block is removed, or by all seven seconds in when it is.
    """

    acting: ClassVar[tuple[str, ...]] = (
        "candidates",
        "refined",
        "failure_penalty",
        "failure_radius",
    )

    n_epochs: int = 200
    batch_size: int = 16
    t_max: int = 0
    warm_up: int = 0
    samples_per_class: int = SAMPLES_PER_CLASS
    candidates: int = 1000
    refined: int = 0
    failure_penalty: float = 0.0
    failure_radius: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "samples_per_class", "candidates")
        at_least(self, 0, "t_max", "warm_up", "refined", "failure_penalty")
        above_zero(self, "failure_radius")

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
        return Schedule(
            self.n_epochs,
            self.batch_size,
            self.learning_rate,
            self.t_max,
            warm_up=self.warm_up,
        )

    def loss(self, network: nn.Module, data: Examples) -> Loss:
        """The cross-entropy of the predicted outcomes."""
        inputs, labels = self.inputs(data), self.labels(data)

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            place = torch.from_numpy(batch).to(self.device)
            with torch.autocast(CUDA, torch.bfloat16, enabled=self.device == CUDA):
                scores = network(*inputs.of(place))
            return outcome_error(scores, labels[place])

        return loss

    def inputs(self, data: Examples) -> Inputs:
        """Examples as inputs of the network, where it is fitted."""
        return Inputs(data, self.looks_at_pictures, self.device)

    def labels(self, data: Examples) -> Tensor:
        """[examples] 1 for those that work, 0 for others, where the network is fitted."""
        return torch.from_numpy(data.solved.astype(np.int64)).to(self.device)

    # Prediction and play.

    def logits(self, examples: Examples) -> Tensor:
        """[examples] the predicted logit of each plan's working."""
        inputs = Inputs(examples, self.looks_at_pictures)
        network = self.network.eval()
        with one_thread(), torch.no_grad():
            scores: Tensor = network(*inputs.of(torch.arange(examples.size)))
        return scores[:, 1] - scores[:, 0]

    def predict(self, examples: Examples) -> NDArray[np.float32]:
        """[examples] the predicted probability that each plan works."""
        shares: NDArray[np.float32] = _probability(self.logits(examples)).numpy()
        return shares

    def accuracy(self, examples: Examples) -> float:
        """The fraction of plans whose outcome is predicted correctly."""
        return float(np.mean((self.predict(examples) > 0.5) == examples.solved))

    def act(self, testing: Testing) -> None:
        """Play the most promising plans until one works."""
        for game in testing.games:
            blocks = len(game.eliminable)
            seed = int(testing.rng.integers(_SEEDS))
            drawn = list(islice(draw_times(blocks, seed=seed), self.candidates))
            times = np.array(drawn).reshape(len(drawn), -1)[:, :blocks]
            logits = self._judge(game, times)
            if self.refined:
                times, logits = self._refine(game, times, logits, np.random.default_rng(seed))
            belief = Belief(
                logits,
                _vectors(times),
                self.failure_penalty,
                self.failure_radius,
                partial(_worth, removals=_removals(times)),
            )
            for _ in range(min(testing.remaining(game), len(times))):
                best = belief.take_best()
                plan = plan_from_seconds(game, times[best].tolist(), testing.rules)
                if testing.play(game, plan).solved:
                    break
                belief.fail(best)

    def _judge(self, game: Game, times: Times) -> Tensor:
        """[plans] logits of plans of a game."""
        unknown = np.zeros(len(times), np.bool_)  # whether they work
        return self.logits(game_examples(game, times.astype(np.float32), unknown))

    def _refine(
        self, game: Game, times: Times, logits: Tensor, rng: np.random.Generator
    ) -> tuple[Times, Tensor]:
        """The plans, then plans beside the best, found in rounds; and their logits."""
        for _ in range(_ROUNDS):
            worth = _worth(logits, _removals(times))
            best = worth.topk(min(_PARENTS, len(worth))).indices.numpy()
            near = plans_beside(times[rng.choice(best, self.refined // _ROUNDS)], rng)
            if len(near):
                times = np.concatenate([times, near])
                logits = torch.cat([logits, self._judge(game, near)])
        return times, logits


def outcome_error(scores: Tensor, labels: Tensor) -> Tensor:
    """The mean cross-entropy of predicted outcomes.

    Args:
        scores: [plans, 2] for failure and for success.
        labels: [plans] 1 for those that work, 0 for others.
    """
    chosen = functional.one_hot(labels, 2).to(torch.float32)
    return functional.binary_cross_entropy(torch.softmax(scores.float(), dim=1), chosen)


def plans_beside(times: Times, rng: np.random.Generator) -> Times:
    """[plans, blocks] plans that differ a little from given ones, where that gives any.

    Some removals come earlier or later; now and then a block is left alone instead, or removed.
    """
    steps = np.rint(rng.normal(0, rng.choice(_SPREADS, (len(times), 1)), times.shape))
    moved = np.clip(times + INTERVAL * steps, INTERVAL, LATEST - INTERVAL)
    changed = np.where(times > 0, moved, 0.0)
    random = INTERVAL * rng.integers(1, round(LATEST / INTERVAL), times.shape)
    other = rng.random(times.shape) < _TOGGLED
    changed = np.where(other, np.where(times > 0, 0.0, random), changed).round(_DIGITS)
    order = np.sort(changed, axis=1)
    # As in drawn plans, no two blocks are removed at the same time.
    apart = ~((np.diff(order, axis=1) == 0) & (order[:, 1:] > 0)).any(axis=1)
    new: Times = changed[apart & (changed != times).any(axis=1)]
    return new


def _probability(logits: Tensor) -> Tensor:
    """[plans] of working, by the softmax that the networks are trained with."""
    return torch.softmax(torch.stack([torch.zeros_like(logits), logits], dim=1), dim=1)[:, 1]


def _removals(times: Times) -> Tensor:
    """[plans] how many blocks each removes."""
    return torch.from_numpy((times > 0).sum(axis=1))


def _worth(logits: Tensor, removals: Tensor) -> Tensor:
    """[plans] expected rewards."""
    return (_probability(logits) * SUCCESS_REWARD).double() + ELIMINATION_REWARD * removals


def _vectors(times: Times) -> Tensor:
    """[plans, 2 * blocks] plans as vectors: when each block is removed, and whether it is."""
    return torch.from_numpy(np.concatenate([times / LATEST, times > 0], axis=1)).float()


class Inputs:
    """Examples as inputs of a network."""

    def __init__(self, examples: Examples, pictures: bool, device: str = CPU) -> None:
        self._tables = torch.from_numpy(examples.tables).to(device)
        self._times = torch.from_numpy(examples.times).to(device)
        self._game = torch.from_numpy(examples.game).to(device)
        self._images: Tensor | None = None
        if pictures:
            images = [picture_game(game, IMAGE_SIZE) for game in examples.games]
            self._images = torch.from_numpy(np.stack(images)).to(device)

    def of(self, batch: Tensor) -> tuple[Tensor, ...]:
        """The inputs of some examples, by their numbers."""
        game = self._game[batch]
        symbols = self._tables[game], self._times[batch]
        if self._images is None:
            return symbols
        own, places = torch.unique(game, return_inverse=True)
        return *symbols, self._images[own], places
