"""DQN and DQN-O: a network learns which actions solve what an image shows.

From top to bottom: the settings, training, acting, learning from attempts on test tasks.

Training draws attempts from the cached outcomes of the first listed actions on the training
tasks and fits the network by logistic loss. On a test task all candidates are scored and tried
best first. DQN-O also learns from each finished test task before it goes on to the next.

The settings are the published ones; ``configs/phyre`` has them by setup, with the ablations.
On a CPU, equal seeds give equal weights, also after training was stopped and taken up again.
On a GPU they give equal batches, but some kernels of the libraries add numbers in an order
that changes from run to run, so that weights differ in their last digits.
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

from topple.phyre.agents.batches import Batches
from topple.phyre.agents.checkpoint import (
    Checkpoint,
    data_digest,
    read_checkpoint,
    write_checkpoint,
)
from topple.phyre.agents.network import FUSIONS, QNetwork
from topple.phyre.agents.pace import Pace
from topple.phyre.agents.ranking import Order, best_first, scores, spread
from topple.phyre.agents.updates import Updates, mixed_precision, on_device
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.phases import Testing, Training
from topple.phyre.task import Task
from topple.runs.agent import Observation, Report, Traits
from topple.runs.checkpoint import CheckpointError
from topple.runs.device import AUTO, chosen_device
from topple.runs.settings import above_zero, at_least, one_of, settings_of

IMAGE_SIZES = (64, 128, SCENE_SIZE)  # smaller ones shrink to a single pixel on the way

_SEEDS = 2**31


@dataclass
class Dqn:
    """The agent that ranks actions by a network.

    Attributes:
        actions: listed actions tried on every training task, to learn from.
        tasks: training tasks to learn from, spread evenly; 0: all of them.
        balance: whether half of each batch are solutions.
        action_hidden: units of a hidden layer of the action encoder.
        action_layers: its hidden layers.
        fusion: where actions meet the image: last, first, all or last-single.
        width: channels of the first stage; 64 is ResNet-18.
        image_size: pixels of an image's side; 256 is all of them.
        updates: of the network in training.
        batch: attempts of an update.
        share: attempts of a batch on the same task, which share its encoding.
        learning_rate: at the beginning; it falls to 0 by half a cosine.
        rank: listed actions that are ranked on a task.
        distance: candidates closer than this to an earlier attempt are put off; 0: none.
        online_updates: after each finished test task.
        online_learning_rate: of these.
        device: cpu, cuda, or auto: a GPU if there is one.
        compile: whether training goes through torch.compile, which takes a minute first.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "actions": 250,
        "tasks": 100,
        "width": 16,
        "image_size": 64,
        "updates": 300,
        "rank": 250,
    }

    actions: int = 100_000
    tasks: int = 0
    balance: bool = True
    action_hidden: int = 512
    action_layers: int = 1
    fusion: str = "last"
    width: int = 64
    image_size: int = SCENE_SIZE
    updates: int = 100_000
    batch: int = 64
    share: int = 1
    learning_rate: float = 3e-4
    rank: int = 10_000
    distance: float = 0.0
    online_updates: int = 0
    online_learning_rate: float = 1e-4
    device: str = AUTO
    compile: bool = False
    #: Why updates were not replayed from a CUDA graph although that was wanted.
    graph_failure: str | None = field(default=None, init=False, repr=False)
    _network: QNetwork | None = field(default=None, init=False, repr=False)
    _finished: Checkpoint | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("actions", "action_hidden", "action_layers", "width", "updates", "batch"):
            at_least(name, getattr(self, name), 1)
        for name in ("share", "rank"):
            at_least(name, getattr(self, name), 1)
        for name in ("tasks", "distance", "online_updates", "online_learning_rate"):
            at_least(name, getattr(self, name), 0)
        above_zero("learning_rate", self.learning_rate)
        one_of("fusion", self.fusion, FUSIONS)
        if self.image_size not in IMAGE_SIZES:
            sizes = ", ".join(map(str, IMAGE_SIZES))
            raise ValueError(f"image_size is {self.image_size}; use one of {sizes}")
        if self.batch % (2 * self.share):
            raise ValueError(
                f"batch is {self.batch} and share {self.share}; use a multiple of "
                f"{2 * self.share} for the batch"
            )
        self.device = chosen_device(self.device)

    @property
    def traits(self) -> Traits:
        """It looks at the image of a task."""
        return Traits(
            online=self.online_updates > 0, observation=Observation.IMAGE, candidates=self.rank
        )

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name."""
        return settings_of(self)

    # Training.

    def train(self, training: Training) -> None:
        """Make all updates, unless a finished checkpoint was loaded."""
        if self._finished is not None:
            self._finished.check_data(data_digest(self._chosen(training), self.actions))
            training.simulator_calls += self._finished.simulator_calls
            return
        for _ in self.learn(training):
            pass

    def learn(
        self,
        training: Training,
        checkpoint: Path | None = None,
        *,
        run: dict[str, Any] | None = None,
        minutes: float | None = None,
        tensorboard: Path | None = None,
        graph: bool = True,
    ) -> Iterator[Report]:
        """Make the updates that are missing, with a report every few seconds.

        Args:
            training: what to learn from.
            checkpoint: a file to go on from if it is there, and to save to.
            run: what the training is for, kept in the checkpoint.
            minutes: of updates at most, about. Their number is planned once, from the rate of the
                first ones, and the learning rate falls to 0 over these; ``updates`` becomes
                that number.
            tensorboard: not used.
            graph: whether updates are replayed from a CUDA graph, on a GPU.
        """
        seed = int(training.rng.integers(_SEEDS))
        chosen = self._chosen(training)
        digest = data_digest(chosen, self.actions)
        outcomes = training.outcomes(self.actions, chosen)
        batches = Batches(outcomes, self.batch, share=self.share, balanced=self.balance, seed=seed)
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
            graph=graph,
        )
        if checkpoint is not None and checkpoint.exists():
            found = read_checkpoint(checkpoint)
            found.check_settings({name: getattr(self, name) for name in TRAINING_SETTINGS})
            found.check_data(digest, seed)
            found.load_weights(self._network)
            updates.restore(found.done, found.optimizer)
            self.updates = found.planned
            if found.is_finished:
                self._finished = found
                return

        pace = Pace(minutes)
        while updates.done < self.updates:
            pace.begin()
            rates = self._rates(updates.done, min(pace.part, self.updates - updates.done))
            loss = updates.run(len(rates), rates)
            pace.made(len(rates))
            self.graph_failure = updates.failure
            self.updates = pace.plan(updates.done, self.updates)
            if checkpoint is not None and pace.is_time_to_save():
                state = self._checkpoint(updates, training, run, digest, seed)
                write_checkpoint(checkpoint, state)
            yield Report(updates.done, self.updates, pace.rate, loss, float(rates[-1]))
        self._finished = self._checkpoint(updates, training, run, digest, seed)
        if checkpoint is not None:
            write_checkpoint(checkpoint, self._finished)

    def _chosen(self, training: Training) -> list[Task]:
        """The training tasks to learn from."""
        count = len(training.tasks)
        if not 0 < self.tasks < count:
            return list(training.tasks)
        return [training.tasks[number * count // self.tasks] for number in range(self.tasks)]

    def _new_network(self, action_size: int, seed: int = 0) -> QNetwork:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = QNetwork(
                action_size, self.action_hidden, self.action_layers, self.fusion, self.width
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
        run: dict[str, Any] | None,
        digest: str,
        seed: int,
    ) -> Checkpoint:
        assert self._network is not None
        return Checkpoint(
            self.settings,
            run or {},
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
        """Take the weights and all settings of training from a finished checkpoint.

        Returns:
            What it was trained for, as far as it was told.

        Raises:
            CheckpointError: It cannot be used, or its training was not finished.
        """
        found = read_checkpoint(path)
        if not found.is_finished:
            raise CheckpointError(
                f"{path} has {found.done} of {found.planned} updates; finish it with `topple train`"
            )
        for name in TRAINING_SETTINGS:
            if name in found.settings:
                setattr(self, name, found.settings[name])
        self._network = self._new_network(found.action_size)
        found.load_weights(self._network)
        self._finished = found
        return found.run

    # Acting.

    def act(self, testing: Testing) -> None:
        """Rank the candidates on each task and try the best, in order of the tasks' ids."""
        if self._network is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        # A copy, because learning from test tasks must not reach the trained weights.
        network = self._network
        if self.online_updates:
            network = self._new_network(testing.tier.action_size)
            network.load_state_dict(self._network.state_dict())
        place = {task.id: number for number, task in enumerate(testing.tasks)}
        images = self._images(testing.images())
        listed = testing.actions(self.rank)
        vectors = self._vectors(listed)
        for task in sorted(testing.tasks, key=lambda task: task.id):
            image = images[place[task.id]]
            network.eval()
            order = best_first(scores(network, image, vectors))
            if self.distance > 0:
                valid = testing.fits(task, self.rank)
                order = spread(order, listed, valid, self.distance, testing.remaining(task))
            outcomes = testing.attempt_listed(task, order.tolist())
            if self.online_updates:
                self._learn_online(network, image, vectors, order[: len(outcomes)], outcomes)

    def _learn_online(
        self, network: QNetwork, image: Tensor, vectors: Tensor, tried: Order, outcomes: Outcomes
    ) -> None:
        """Some updates of a fresh optimizer on all valid attempts on a task at once."""
        valid = outcomes != 0
        if not valid.any():
            return
        numbers = torch.from_numpy(tried[valid]).to(self.device)
        solved = torch.from_numpy((outcomes[valid] > 0).astype(np.float32)).to(self.device)
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


#: What cannot be changed after training; the others are for acting.
TRAINING_SETTINGS = (
    "actions",
    "tasks",
    "balance",
    "action_hidden",
    "action_layers",
    "fusion",
    "width",
    "image_size",
    "updates",
    "batch",
    "share",
    "learning_rate",
)
