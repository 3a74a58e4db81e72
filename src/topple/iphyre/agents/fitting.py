"""Fitting a network to a fixed set of examples, in epochs, and agents that are fitted so.

Everything random comes from the seed and the number of the epoch, and sums are added up in one
order: all arithmetic runs on one thread, or on one for each part of a minibatch. So training that
was interrupted between two epochs ends with the same bits as training that was not. A GPU is
faster, but adds in an order of its own, so its bits are not those of a CPU.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from topple.iphyre.game import Game
from topple.iphyre.phases import Training
from topple.runs.agent import UNSAVED, Report, TrainingOptions
from topple.runs.checkpoint import (
    CheckpointError,
    check_settings,
    half_precision,
    load_weights,
    read_state,
    write_state,
)
from topple.runs.device import CPU, CUDA, chosen_device
from topple.runs.settings import above_zero, at_least, settings_of
from topple.threads import thread_count

_FORMAT = "topple fit 1"
_NAMES = {"key", "run", "epoch", "epochs", "network", "optimizer"}
_SAVE_SECONDS = 30.0  # between checkpoints, at least
_SEEDS = 2**31
LAST_RATE = 1e-6  # where learning rates end, as published
_MEASURED = 20, 60  # updates before time is taken, and while it is

Indices = NDArray[np.int64]
Loss = Callable[[Indices, np.random.Generator], Tensor]  # examples of a batch -> mean loss


def _use_one_thread() -> None:
    torch.set_num_threads(1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Arithmetic on one thread, so that sums are added in one order on any machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def seeded(seed: int, make: Callable[[], nn.Module]) -> nn.Module:
    """A network with first weights drawn from a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


@dataclass(frozen=True)
class Schedule:
    """The length of training and its learning rates, by cosine annealing.

    Attributes:
        n_epochs: passes over all examples.
        batch_size: examples of a minibatch.
        learning_rate: initial learning rate.
        t_max: updates until the learning rate is at its minimum, after which it rises again, as in
            PyTorch's ``CosineAnnealingLR``; 0: it is there at the end of training.
        constant: whether the learning rate stays the same instead.
        warm_up: updates in which the learning rate rises to where it would be otherwise.
    """

    n_epochs: int
    batch_size: int
    learning_rate: float
    t_max: int = 0
    constant: bool = False
    warm_up: int = 0

    def rate(self, update: int, updates: int) -> float:
        """The learning rate of an update."""
        rise = min(1.0, (update + 1) / self.warm_up) if self.warm_up else 1.0
        if self.constant:
            return rise * self.learning_rate
        part = update / (self.t_max or updates)
        fallen = (self.learning_rate - LAST_RATE) * (1 + math.cos(math.pi * part)) / 2
        return rise * (LAST_RATE + fallen)


@dataclass(eq=False)
class Fitting:
    """The training of a network on some examples.

    Attributes:
        network: the network with its initial weights.
        loss: loss of a minibatch.
        count: number of examples.
        schedule: length of training and learning rates.
        seed: seed of the order of examples and of everything else random.
        key: settings and data that a checkpoint has to agree with.
        groups: parameters with a factor of their learning rate; 1 for all by default.
        run: what the training is for, kept in checkpoints.
        device: where the network is trained, cpu or cuda; afterwards it is on the cpu.
        half_precision: whether weights are rounded to half precision at the end, for small files.
        parts: parts of a minibatch that are computed side by side on the cpu. Bits depend on how
            many there are, not on the cores. A loss that draws at random needs a single part.
        epoch: number of finished epochs.
    """

    network: nn.Module
    loss: Loss
    count: int
    schedule: Schedule
    seed: int
    key: Mapping[str, Any]
    groups: Sequence[tuple[Sequence[nn.Parameter], float]] = ()
    run: Mapping[str, Any] = field(default_factory=dict)
    device: str = CPU
    half_precision: bool = False
    parts: int = 1
    epoch: int = 0

    def __post_init__(self) -> None:
        self.network.to(self.device)
        self._parameters = list(self.network.parameters())
        groups = self.groups or [(list(self.network.parameters()), 1.0)]
        self._shares = [share for _, share in groups]
        self._optimizer = torch.optim.Adam([{"params": list(listed)} for listed, _ in groups])

    def epochs(self, checkpoint: Path | None = None) -> Iterator[Report]:
        """Run the remaining epochs, with a report after each.

        Args:
            checkpoint: file to resume from if it exists, and to save to: regularly, at the end,
                and when the iterator is closed.

        Raises:
            CheckpointError: The file cannot be used.
        """
        if checkpoint is not None and checkpoint.exists():
            self._restore(checkpoint)
        saved, last = self.epoch, time.monotonic()
        try:
            while self.epoch < self.schedule.n_epochs:
                started = time.monotonic()
                loss, rate = self._one_epoch()
                spent = time.monotonic() - started
                if checkpoint is not None and time.monotonic() - last > _SAVE_SECONDS:
                    self.save(checkpoint)
                    saved, last = self.epoch, time.monotonic()
                updates = self._updates
                yield Report(
                    self.epoch * updates,
                    self.schedule.n_epochs * updates,
                    updates / spent,
                    loss,
                    rate,
                )
        finally:
            if checkpoint is not None and saved < self.epoch:
                self.save(checkpoint)
        self.network.to(CPU).eval()

    def epochs_within(self, seconds: float, checkpoint: Path | None = None) -> int:
        """As many epochs as probably fit into so many seconds, at least one.

        Some updates are made to measure that and undone again. A training that is resumed keeps
        the number that was planned at first.
        """
        if checkpoint is not None and checkpoint.exists():
            planned: int = read_state(checkpoint, _FORMAT, _NAMES)["epochs"]
            return planned
        before = {name: each.clone() for name, each in self.network.state_dict().items()}
        starting, measured = _MEASURED
        self._some_updates(starting)
        start = time.monotonic()
        self._some_updates(measured)
        spent = time.monotonic() - start
        self.network.load_state_dict(before)
        self.__post_init__()
        return max(1, int(seconds * measured / spent / self._updates))

    def _some_updates(self, count: int) -> None:
        """Make updates with the first examples, and wait until they are done."""
        rng = np.random.default_rng(self.seed)
        loss = torch.zeros(())
        with one_thread(), self._forked(), self._workers() as workers:
            for _ in range(count):
                loss = self._update(
                    rng.integers(self.count, size=self.schedule.batch_size), rng, workers
                )
        loss.item()

    @property
    def _updates(self) -> int:
        """Updates of an epoch."""
        return -(-self.count // self.schedule.batch_size)

    def _one_epoch(self) -> tuple[float, float]:
        """Run an epoch; its mean loss and last learning rate."""
        rng = np.random.default_rng([self.seed, self.epoch])
        order = rng.permutation(self.count)
        batch, updates = self.schedule.batch_size, self._updates
        losses, rate = [], 0.0
        self.network.train()
        with one_thread(), self._forked(), self._workers() as workers:
            torch.manual_seed(int(rng.integers(_SEEDS)))  # for dropout
            for number in range(updates):
                rate = self.schedule.rate(
                    self.epoch * updates + number, self.schedule.n_epochs * updates
                )
                for group, share in zip(self._optimizer.param_groups, self._shares, strict=True):
                    group["lr"] = rate * share
                chosen = order[number * batch : (number + 1) * batch]
                losses.append(self._update(chosen, rng, workers))
        self.epoch += 1
        if self._is_finished and self.half_precision:
            self.network.half().float()
        return sum(map(float, losses)) / len(losses), rate

    def _update(
        self, chosen: Indices, rng: np.random.Generator, workers: ThreadPoolExecutor | None
    ) -> Tensor:
        """Make an update; its loss, which to convert would wait for the GPU."""
        self._optimizer.zero_grad(set_to_none=True)
        if workers is None:
            loss = self.loss(chosen, rng)
            loss.backward()  # type: ignore[no-untyped-call]
        else:
            loss = self._add_gradients(chosen, rng, workers)
        self._optimizer.step()
        return loss.detach()

    def _forked(self) -> AbstractContextManager[None]:
        """Generators of PyTorch that end up as they were, whatever dropout draws from them."""
        devices = range(torch.cuda.device_count()) if self.device == CUDA else []
        return torch.random.fork_rng(devices=devices)

    def _workers(self) -> AbstractContextManager[ThreadPoolExecutor | None]:
        """Threads for the parts of a minibatch; none if it is computed as a whole."""
        if self.parts == 1 or self.device != CPU:
            return nullcontext()
        return ThreadPoolExecutor(thread_count(None, self.parts), initializer=_use_one_thread)

    def _add_gradients(
        self, chosen: Indices, rng: np.random.Generator, workers: ThreadPoolExecutor
    ) -> Tensor:
        """Give the parameters the gradients of a minibatch, part by part; its mean loss."""

        def compute(part: Indices) -> tuple[Tensor, tuple[Tensor, ...]]:
            loss = self.loss(part, rng) * (len(part) / len(chosen))
            return loss.detach(), torch.autograd.grad(loss, self._parameters)

        parts = [part for part in np.array_split(chosen, self.parts) if len(part)]
        total = torch.zeros(())
        for loss, gradients in workers.map(compute, parts):
            total = total + loss
            for parameter, gradient in zip(self._parameters, gradients, strict=True):
                parameter.grad = (
                    gradient if parameter.grad is None else parameter.grad.add_(gradient)
                )
        return total

    @property
    def _is_finished(self) -> bool:
        return self.epoch == self.schedule.n_epochs

    def save(self, path: Path) -> None:
        """Write a checkpoint; a finished one has no state of the optimizer."""
        network, optimizer = self.network.state_dict(), self._optimizer.state_dict()["state"]
        if self._is_finished:
            optimizer = {}
            if self.half_precision:
                network = half_precision(network)
        content = {
            "key": dict(self.key),
            "run": dict(self.run),
            "epoch": self.epoch,
            "epochs": self.schedule.n_epochs,
            "network": network,
            "optimizer": optimizer,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_state(path, _FORMAT, content)

    def _restore(self, path: Path) -> None:
        found = read_state(path, _FORMAT, _NAMES)
        check_settings(found["key"], self.key)
        if found["epochs"] != self.schedule.n_epochs:
            raise CheckpointError(
                f"{path} is of a training of {found['epochs']} epochs, not of "
                f"{self.schedule.n_epochs}; use the same number or another folder"
            )
        load_weights(self.network, found["network"])
        state = self._optimizer.state_dict()
        self._optimizer.load_state_dict({**state, "state": found["optimizer"]})
        self.epoch = found["epoch"]


@dataclass
class FittedAgent:
    """An agent whose network is fitted to data of games before it plays.

    Attributes:
        device: where it is fitted: cpu, cuda, or auto (a GPU if there is one). It plays on the cpu.
        n_epochs: passes over all examples.
        batch_size: examples of a minibatch.
        learning_rate: initial learning rate.
        half_precision: whether weights are rounded to half precision at the end, for small files.
    """

    smoke: ClassVar[Mapping[str, str | int | float | bool | None]]
    #: Settings that can be changed after training.
    acting: ClassVar[tuple[str, ...]]

    device: str = CPU
    n_epochs: int = 100
    batch_size: int = 128
    learning_rate: float = 1e-3
    half_precision: bool = False
    #: Empty, since it learns from data and not from plays, and so has no rewards.
    history: list[Report] = field(default_factory=list, init=False, repr=False)
    #: Seconds spent on training since the agent was made.
    seconds: float = field(default=0.0, init=False, repr=False)
    _network: nn.Module | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.device = chosen_device(self.device)
        at_least(self, 1, "n_epochs", "batch_size")
        above_zero(self, "learning_rate")

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name."""
        return settings_of(self)

    @property
    def training_settings(self) -> dict[str, Any]:
        """The settings that cannot be changed after training."""
        return {name: each for name, each in self.settings.items() if name not in self.acting}

    @property
    def network(self) -> nn.Module:
        """The fitted network.

        Raises:
            ValueError: There is none yet.
        """
        if self._network is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        return self._network

    def train(self, training: Training) -> None:
        """Run all epochs, unless a finished checkpoint was loaded."""
        if self._network is None:
            for _ in self.learn(training):
                pass

    def learn(self, training: Training, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Sample episodes of games at 60 Hz, as published, and run the remaining epochs.

        Args:
            training: the games to learn from and the generator of the seed; its rules are not
                used, because the data are sampled at 60 Hz.
            options: where to save it; the number of epochs is a setting, unless time is limited.
        """
        seed = int(training.rng.integers(_SEEDS))
        start = time.monotonic()
        for report in self.fit_games(training.games, seed, options):
            self.seconds, start = self.seconds + time.monotonic() - start, time.monotonic()
            yield report

    def fit_games(
        self, games: Sequence[Game], seed: int, options: TrainingOptions
    ) -> Iterator[Report]:
        """Sample the data and fit the network to it."""
        raise NotImplementedError

    def fit(self, data: Any, seed: int, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Run the remaining epochs, with a report after each."""
        self._network = network = seeded(seed, self.new_network)
        fitting = Fitting(
            network,
            self.loss(network, data),
            data.size,
            self.schedule,
            seed,
            key={**self.training_settings, "seed": seed, "data": data.digest},
            groups=self.parameter_groups(network),
            run=options.run or {},
            device=self.device,
            half_precision=self.half_precision,
            parts=self.batch_parts,
        )
        if options.minutes is not None:
            self.n_epochs = fitting.epochs_within(60 * options.minutes, options.checkpoint)
            key = {**fitting.key, "n_epochs": self.n_epochs}
            fitting = replace(fitting, schedule=self.schedule, key=key)
        yield from fitting.epochs(options.checkpoint)

    @property
    def schedule(self) -> Schedule:
        """The length of training and its learning rates."""
        return Schedule(self.n_epochs, self.batch_size, self.learning_rate)

    @property
    def batch_parts(self) -> int:
        """Parts of a minibatch that are computed side by side."""
        return 1

    def loss(self, network: Any, data: Any) -> Loss:
        """Return the loss of minibatches of the data."""
        raise NotImplementedError

    def parameter_groups(self, network: nn.Module) -> list[tuple[list[nn.Parameter], float]]:
        """Parameters of a network with the factor of their learning rate."""
        return [(list(network.parameters()), 1.0)]

    def load(self, path: Path) -> dict[str, Any]:
        """Load the weights and the settings of training from a finished checkpoint.

        Returns:
            What it was trained for, if that is known.

        Raises:
            CheckpointError: The file cannot be used, or its training was not finished.
        """
        found = read_state(path, _FORMAT, _NAMES)
        if found["epoch"] < found["epochs"]:
            done = f"{found['epoch']} of {found['epochs']} epochs"
            raise CheckpointError(f"{path} has {done}; finish its training first")
        for name in self.training_settings:
            if name in found["key"]:
                setattr(self, name, found["key"][name])
        self._network = self.new_network()
        load_weights(self._network, found["network"])
        self._network.eval()
        return dict(found["run"])

    def new_network(self) -> nn.Module:
        """Create a network with these settings and initial weights."""
        raise NotImplementedError
