"""DQN and DQN-O: a network learns which actions solve the task that an image shows.

From top to bottom: the settings, training, acting, online learning. The network is in
:mod:`~topple.phyre.agents.dqn_network`, its updates in :mod:`~topple.phyre.agents.dqn_updates`.

Training draws attempts from the cached outcomes of the first listed actions on the training tasks
and minimizes the binary cross-entropy. On a test task all candidates are scored and tried best
first. DQN-O also learns from each finished test task before the next.

The default settings are the published ones; ``configs/phyre`` has them by setup, with the
ablations. On a CPU, equal seeds give equal weights, also when training was interrupted and
resumed. On a GPU they give equal batches, but some kernels add numbers in an order that changes
from run to run, so weights differ in their last digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from topple.phyre.action import Actions
from topple.phyre.agents.belief import attempt_by_belief
from topple.phyre.agents.dqn_network import (
    FUSION_PLACES,
    Order,
    QNetwork,
    best_first,
    mixed_precision,
    on_device,
    scores,
)
from topple.phyre.agents.dqn_updates import Batches, Updates, UpdateTimer
from topple.phyre.agents.task_training import Checkpoint, TaskLearner, chosen_tasks
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training
from topple.runs.agent import UNSAVED, Observation, Report, TrainingOptions, Traits
from topple.runs.belief import Belief
from topple.runs.checkpoint import load_weights
from topple.runs.device import AUTO, chosen_device
from topple.runs.settings import above_zero, at_least, one_of

IMAGE_SIZES = (64, 128, SCENE_SIZE)  # smaller ones shrink to a single pixel in the network

#: Settings that cannot be changed after training; the others are for acting.
TRAINING_SETTINGS = (
    *("actions", "tasks", "balance_classes", "action_hidden_size", "action_layers"),
    *("fusion_place", "width", "image_size", "updates", "batch_size", "attempts_per_task"),
    "learning_rate",
)

_SEEDS = 2**31


@dataclass(frozen=True, eq=False)
class DqnCheckpoint(Checkpoint):
    """The state of training."""

    kind: ClassVar[str] = "topple dqn 1"


@dataclass
class Dqn(TaskLearner):
    """The agent that ranks actions by a network.

    Attributes:
        actions: listed actions that are tried on every training task, to learn from.
        tasks: training tasks to learn from, evenly spaced in their order; 0: all of them.
        balance_classes: whether half of each batch are solutions.
        action_hidden_size: units of a hidden layer of the action encoder.
        action_layers: hidden layers of the action encoder.
        fusion_place: where actions meet the image: last, first, all or last-single.
        width: channels of the first stage; 64 is ResNet-18.
        image_size: side of an image in pixels; 256 is full resolution.
        updates: gradient updates in training.
        batch_size: attempts of a batch.
        attempts_per_task: attempts of a batch on the same task, which share its encoding.
        learning_rate: initial learning rate; it falls to 0 by half a cosine.
        rank_size: listed actions that are ranked on a task.
        min_distance: candidates closer than this to an earlier attempt are postponed; 0: none.
        failure_penalty: what a failed attempt takes from the logits of candidates beside it; with
            the distance it falls off as a Gaussian.
        failure_radius: standard deviation of that Gaussian.
        near_miss: what a failed attempt that came nearer to the goal than usual adds to the logits
            of candidates beside it; only failures as far from it as usual are then penalized. 0:
            what happened in failed attempts does not count.
        online_updates: updates after each finished test task.
        online_learning_rate: learning rate of the online updates.
        device: cpu, cuda, or auto: a GPU if there is one.
        compile: whether the network is compiled by torch.compile, which takes a minute first.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "actions": 250,
        "tasks": 100,
        "width": 16,
        "image_size": 64,
        "updates": 300,
        "rank_size": 250,
    }

    actions: int = 100_000
    tasks: int = 0
    balance_classes: bool = True
    action_hidden_size: int = 512
    action_layers: int = 1
    fusion_place: str = "last"
    width: int = 64
    image_size: int = SCENE_SIZE
    updates: int = 100_000
    batch_size: int = 64
    attempts_per_task: int = 1
    learning_rate: float = 3e-4
    rank_size: int = 10_000
    min_distance: float = 0.0
    failure_penalty: float = 0.0
    failure_radius: float = 0.1
    near_miss: float = 0.0
    online_updates: int = 0
    online_learning_rate: float = 1e-4
    device: str = AUTO
    compile: bool = False
    #: Why updates were not replayed from a CUDA graph although that was wanted.
    graph_failure: str | None = field(default=None, init=False, repr=False)
    _network: QNetwork | None = field(default=None, init=False, repr=False)
    _finished: DqnCheckpoint | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "actions", "action_hidden_size", "action_layers", "width", "updates")
        at_least(self, 1, "batch_size", "attempts_per_task", "rank_size")
        at_least(self, 0, "tasks", "min_distance", "online_updates", "online_learning_rate")
        at_least(self, 0, "failure_penalty", "near_miss")
        above_zero(self, "learning_rate", "failure_radius")
        if self.min_distance and (self.failure_penalty or self.near_miss):
            raise ValueError(
                "min_distance cannot be combined with failure_penalty or near_miss; leave it out"
            )
        one_of(self, "fusion_place", FUSION_PLACES)
        if self.image_size not in IMAGE_SIZES:
            sizes = ", ".join(map(str, IMAGE_SIZES))
            raise ValueError(f"image_size is {self.image_size}; use one of {sizes}")
        if self.batch_size % (2 * self.attempts_per_task):
            raise ValueError(
                f"batch_size is {self.batch_size} and attempts_per_task {self.attempts_per_task}; "
                f"use a multiple of {2 * self.attempts_per_task} for the batch size"
            )
        self.device = chosen_device(self.device)

    @property
    def traits(self) -> Traits:
        """It observes the image of a task."""
        online = self.online_updates > 0
        return Traits(online, observation=Observation.IMAGE, candidates=self.rank_size)

    # Training.

    def learn(self, training: Training, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Make the remaining updates, with a report every few seconds.

        Args:
            training: the tasks to learn from.
            options: where to save it. Under a time limit the number of updates is planned once,
                from the rate of the first ones, and the learning rate falls to 0 over these;
                ``updates`` becomes that number.
        """
        checkpoint, run = options.checkpoint, options.run or {}
        seed = int(training.rng.integers(_SEEDS))
        chosen = chosen_tasks(training, self.tasks)
        digest = self._digest(chosen)
        outcomes = training.outcomes(self.actions, chosen)
        batches = Batches(
            outcomes,
            self.batch_size,
            per_task=self.attempts_per_task,
            balanced=self.balance_classes,
            seed=seed,
        )
        self._network = self._new_network(training.tier.action_size, seed)
        if self.compile:
            self._network.compile()
        place = {task.id: number for number, task in enumerate(training.tasks)}
        images = training.images()[[place[task.id] for task in chosen]]
        updates = Updates(
            self._network,
            self._images(images),
            self._vectors(training.actions(self.actions)),
            batches,
        )
        found = DqnCheckpoint.resume(checkpoint, self, TRAINING_SETTINGS, digest, seed)
        if found is not None:
            load_weights(self._network, found.network)
            updates.restore(found.done, found.optimizer)
            self.updates = found.planned
            if found.is_finished:
                self._finished = found
                return

        timer = UpdateTimer(options.minutes)
        while updates.done < self.updates:
            timer.start()
            rates = self._rates(updates.done, min(timer.count, self.updates - updates.done))
            loss = updates.run(len(rates), rates)
            timer.stop(len(rates))
            self.graph_failure = updates.failure
            self.updates = timer.plan(updates.done, self.updates)
            if checkpoint is not None and timer.is_time_to_save():
                self._checkpoint(updates, training, run, digest, seed).write(checkpoint)
            yield Report(updates.done, self.updates, timer.rate, loss, float(rates[-1]))
        self._finished = self._checkpoint(updates, training, run, digest, seed)
        if checkpoint is not None:
            self._finished.write(checkpoint)

    def _new_network(self, action_size: int, seed: int = 0) -> QNetwork:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = QNetwork(
                action_size,
                self.action_hidden_size,
                self.action_layers,
                self.fusion_place,
                self.width,
            )
        return on_device(network, torch.device(self.device))

    def _rates(self, done: int, count: int) -> npt.NDArray[np.float32]:
        """[count] learning rates of the next updates: half a cosine, from full to 0."""
        share = np.arange(done, done + count) / self.updates
        rates: npt.NDArray[np.float32] = (
            self.learning_rate * (1 + np.cos(math.pi * share)) / 2
        ).astype(np.float32)
        return rates

    def _images(self, images: npt.NDArray[np.uint8]) -> Tensor:
        """[tasks, image_size, image_size] on the device, as bytes."""
        step = images.shape[-1] // self.image_size
        return torch.from_numpy(np.ascontiguousarray(images[:, ::step, ::step])).to(self.device)

    def _vectors(self, actions: npt.NDArray[np.float64]) -> Tensor:
        return torch.from_numpy(actions.astype(np.float32)).to(self.device)

    # Checkpoints.

    def _checkpoint(
        self,
        updates: Updates,
        training: Training,
        run: dict[str, Any],
        digest: str,
        seed: int,
    ) -> DqnCheckpoint:
        assert self._network is not None
        return DqnCheckpoint(
            self.settings,
            run,
            digest,
            training.tier.action_size,
            seed,
            updates.done,
            self.updates,
            training.simulator_calls,
            self._network.state_dict(),
            updates.optimizer.state_dict()["state"],
        )

    def load(self, path: Path) -> dict[str, Any]:
        """Load the weights and all settings of training from a finished checkpoint.

        Returns:
            What it was trained for, if that is known.

        Raises:
            CheckpointError: The file cannot be used, or its training was not finished.
        """
        found = DqnCheckpoint.finished(path, self, TRAINING_SETTINGS)
        self._network = self._new_network(found.action_size)
        load_weights(self._network, found.network)
        self._finished = found
        return found.run

    # Acting.

    def act(self, testing: Testing) -> None:
        """Rank the candidates on each task and try the best, in order of the tasks' ids."""
        if self._network is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        # A copy, because online learning must not change the trained weights.
        network = self._network
        if self.online_updates:
            network = self._new_network(testing.tier.action_size)
            network.load_state_dict(self._network.state_dict())
        place = {task.id: number for number, task in enumerate(testing.tasks)}
        images = self._images(testing.images())
        listed = testing.actions(self.rank_size)
        vectors = self._vectors(listed)
        for task in sorted(testing.tasks, key=lambda task: task.id):
            image = images[place[task.id]]
            network.eval()
            # Others would be turned away; with two balls they are half of the list.
            valid = np.flatnonzero(testing.fits(task, self.rank_size))
            if not len(valid):
                continue
            logits = scores(network, image, vectors[valid])
            if self.failure_penalty or self.near_miss:
                belief = Belief(
                    torch.from_numpy(logits).to(self.device),
                    vectors[valid],
                    self.failure_penalty,
                    self.failure_radius,
                    near_miss=self.near_miss,
                )
                tried, outcomes = attempt_by_belief(testing, task, valid, listed[valid], belief)
                order = valid[tried]
            else:
                order = valid[best_first(logits)]
                if self.min_distance:
                    order = spread(order, listed, self.min_distance, testing.remaining(task))
                outcomes = testing.attempt_listed(task, order.tolist())
            if self.online_updates:
                self._learn_online(network, image, vectors, order[: len(outcomes)], outcomes)

    def _learn_online(
        self, network: QNetwork, image: Tensor, vectors: Tensor, tried: Order, outcomes: Outcomes
    ) -> None:
        """Make updates with a fresh optimizer on all attempts on a task at once."""
        numbers = torch.from_numpy(tried).to(self.device)
        solved = torch.from_numpy((outcomes == Outcome.SOLVED).astype(np.float32)).to(self.device)
        optimizer = torch.optim.Adam(network.parameters(), lr=self.online_learning_rate, fused=True)
        network.train()
        for _ in range(self.online_updates):
            optimizer.zero_grad(set_to_none=True)
            with mixed_precision(image.device):
                logits = network(image[None], vectors[numbers])
            loss = functional.binary_cross_entropy_with_logits(logits, solved)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()


@dataclass
class DqnOnline(Dqn):
    """DQN that learns from its attempts on test tasks, as published across templates."""

    online_updates: int = 5


def spread(order: Order, actions: Actions, distance: float, count: int) -> Order:
    """A ranking whose first actions keep a distance from each other.

    Going down the ranking, an action is postponed if it lies closer than ``distance`` to one chosen
    before. Postponed actions follow at the end in their old order, for tasks on which too few
    actions are far enough from each other.

    Args:
        order: indices of valid actions, best first.
        actions: [actions, action_size] action vectors.
        distance: Euclidean distance between action vectors.
        count: number of attempts to choose.
    """
    free = np.ones(len(order), bool)
    vectors = actions[order]
    taken: list[int] = []
    while len(taken) < count and free.any():
        place = int(free.argmax())  # the first that is free
        taken.append(place)
        free &= ((vectors - vectors[place]) ** 2).sum(axis=1) >= distance**2
        free[place] = False
    others = np.ones(len(order), bool)
    others[taken] = False
    return np.concatenate([order[taken], order[others]])
