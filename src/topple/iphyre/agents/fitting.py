"""Fitting a network to a fixed set of examples, in epochs that can be stopped and taken up.

Everything random comes from the seed and the number of the epoch, and all arithmetic runs on one
thread: training that was stopped between two epochs ends with the same bits as one that was not.
A GPU is faster, but adds up in an order of its own, so its bits are not those of the processor.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from topple.runs.agent import Report
from topple.runs.checkpoint import CheckpointError, read_state, write_state
from topple.runs.device import CPU, CUDA

_FORMAT = "topple fit 1"
_NAMES = {"key", "run", "epoch", "epochs", "network", "optimizer"}
_SAVE_SECONDS = 30.0  # between checkpoints, at least
LAST_RATE = 1e-6  # where learning rates end, as published

Indices = NDArray[np.int64]
Loss = Callable[[Indices, np.random.Generator], Tensor]  # examples of a batch -> mean loss


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
    """How long and how fast.

    Attributes:
        epochs: over all examples.
        batch: examples of an update.
        learning_rate: at the beginning; it falls by half a cosine.
        half_cosine: updates until it is down; it then rises again, and so on. 0: it is down at
            the end of training.
        constant: whether it stays the same instead.
    """

    epochs: int
    batch: int
    learning_rate: float
    half_cosine: int = 0
    constant: bool = False

    def rate(self, update: int, updates: int) -> float:
        """The learning rate of an update."""
        if self.constant:
            return self.learning_rate
        part = update / (self.half_cosine or updates)
        return LAST_RATE + (self.learning_rate - LAST_RATE) * (1 + math.cos(math.pi * part)) / 2


@dataclass(eq=False)
class Fitting:
    """A network, its examples, and how far training has come.

    Attributes:
        network: with its first weights.
        loss: of a batch.
        count: examples.
        schedule: how long and how fast.
        seed: of the order of examples and of everything else random.
        key: settings and data a checkpoint has to agree with.
        groups: parameters and the share of the learning rate they get; all of it by default.
        run: what the training is for, kept in checkpoints.
        device: where the network is while it is trained, cpu or cuda; it comes back afterwards.
        epoch: epochs made.
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
    epoch: int = 0

    def __post_init__(self) -> None:
        self.network.to(self.device)
        groups = self.groups or [(list(self.network.parameters()), 1.0)]
        self._shares = [share for _, share in groups]
        self._optimizer = torch.optim.Adam([{"params": list(listed)} for listed, _ in groups])

    def epochs(self, checkpoint: Path | None = None) -> Iterator[Report]:
        """Make the epochs that are missing, with a report after each.

        Args:
            checkpoint: a file to go on from if it is there, and to save to: now and then, at the
                end, and when the iterator is closed.

        Raises:
            CheckpointError: The file cannot be used.
        """
        if checkpoint is not None and checkpoint.exists():
            self._restore(checkpoint)
        saved, last = self.epoch, time.monotonic()
        try:
            while self.epoch < self.schedule.epochs:
                started = time.monotonic()
                loss, rate = self._one_epoch()
                spent = time.monotonic() - started
                if checkpoint is not None and time.monotonic() - last > _SAVE_SECONDS:
                    self.save(checkpoint)
                    saved, last = self.epoch, time.monotonic()
                updates = self._updates
                yield Report(
                    self.epoch * updates,
                    self.schedule.epochs * updates,
                    updates / spent,
                    loss,
                    rate,
                )
        finally:
            if checkpoint is not None and saved < self.epoch:
                self.save(checkpoint)
        self.network.to(CPU).eval()

    @property
    def _updates(self) -> int:
        """Of an epoch."""
        return -(-self.count // self.schedule.batch)

    def _one_epoch(self) -> tuple[float, float]:
        """Its mean loss and last learning rate."""
        rng = np.random.default_rng([self.seed, self.epoch])
        order = rng.permutation(self.count)
        batch, updates = self.schedule.batch, self._updates
        losses, rate = [], 0.0
        self.network.train()
        forked = range(torch.cuda.device_count()) if self.device == CUDA else []
        with one_thread(), torch.random.fork_rng(devices=forked):
            torch.manual_seed(int(rng.integers(2**31)))  # for dropout
            for number in range(updates):
                rate = self.schedule.rate(
                    self.epoch * updates + number, self.schedule.epochs * updates
                )
                for group, share in zip(self._optimizer.param_groups, self._shares, strict=True):
                    group["lr"] = rate * share
                self._optimizer.zero_grad(set_to_none=True)
                loss = self.loss(order[number * batch : (number + 1) * batch], rng)
                loss.backward()  # type: ignore[no-untyped-call]
                self._optimizer.step()
                losses.append(loss.detach())  # as a number only later, which would wait for a GPU
        self.epoch += 1
        return sum(map(float, losses)) / len(losses), rate

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        content = {
            "key": dict(self.key),
            "run": dict(self.run),
            "epoch": self.epoch,
            "epochs": self.schedule.epochs,
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict()["state"],
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_state(path, _FORMAT, content)

    def _restore(self, path: Path) -> None:
        found = read_state(path, _FORMAT, _NAMES)
        check_key(found["key"], self.key)
        if found["epochs"] != self.schedule.epochs:
            raise CheckpointError(
                f"{path} is of a training of {found['epochs']} epochs, not of "
                f"{self.schedule.epochs}; use the same number or another folder"
            )
        load_weights(self.network, found["network"])
        state = self._optimizer.state_dict()
        self._optimizer.load_state_dict({**state, "state": found["optimizer"]})
        self.epoch = found["epoch"]


def check_key(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse a checkpoint of other settings or data."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise CheckpointError(
                f"the checkpoint was trained with {name} = {found.get(name)}, not {value}; "
                "use the same settings or another folder"
            )


def read_fit(path: Path) -> dict[str, Any]:
    """A finished training's key, run and weights ("network").

    Raises:
        CheckpointError: It cannot be used, or was not finished.
    """
    found = read_state(path, _FORMAT, _NAMES)
    if found["epoch"] < found["epochs"]:
        raise CheckpointError(
            f"{path} has {found['epoch']} of {found['epochs']} epochs; finish its training first"
        )
    return found


def load_weights(network: nn.Module, weights: Mapping[str, Any]) -> None:
    """Put weights into a network.

    Raises:
        CheckpointError: They are those of another network.
    """
    try:
        network.load_state_dict(weights)
    except (RuntimeError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[-1].strip()
        raise CheckpointError(f"the checkpoint's weights do not fit: {reason}") from None
