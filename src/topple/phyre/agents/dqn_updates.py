"""Training updates of DQN: the batches, the updates themselves, and their timing.

A batch is half solutions and half failures, each drawn uniformly from all of their kind, or,
unbalanced, drawn uniformly from all valid attempts. Solutions are few and are listed once;
failures are many and are found by rejection sampling. Batches come in chunks of ``CHUNK``. A chunk
depends on the seed and its own number alone, so resumed training has the same batches, on any
device.

A whole update reads its batch from device memory by a counter that is there, too: indices, images,
forward, backward, Adam and learning rate. On a GPU it is recorded once as a CUDA graph and
replayed, because at the published batch size of 64 launching its kernels one by one takes longer
than running them. Batches are the same with and without a graph.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from topple.phyre.agents.dqn_network import QNetwork, mixed_precision
from topple.phyre.agents.recorded import RecordedUpdate
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome

CHUNK = 1_000  # batches drawn together
REPORT_SECONDS = 2.0  # between reports, about
SAVE_SECONDS = 30.0  # between checkpoints, at least
MEASURE_SECONDS = 6.0  # of updates before their number is planned from a time limit

_STEADY = 4  # consecutive updates whose rate counts; the first ones are slow

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Consecutive batches."""

    tasks: npt.NDArray[np.int32]  # [batches, groups] indices of tasks
    numbers: npt.NDArray[np.int32]  # [batches, batch] indices of actions, by group
    solved: npt.NDArray[np.float32]  # [batches, batch] 1: the action solves its group's task


def split_evenly(total: int, weights: Sequence[int]) -> Indices:
    """Whole numbers in proportion to weights, as nearly as they can be, that add up to a total."""
    exact = total * np.asarray(weights, float) / max(sum(weights), 1)
    parts = np.floor(exact).astype(np.int64)
    rest = np.argsort(parts - exact, kind="stable")[: total - int(parts.sum())]
    parts[rest] += 1
    return parts


class Batches:
    """Draws batches from a table of outcomes.

    Args:
        outcomes: [tasks, actions]; unknown ones are never drawn.
        size: attempts of a batch.
        per_task: attempts of a batch on the same task, which share the encoding of its image.
            They all have the same result.
        balanced: whether half of a batch are solutions.
        even: whether tasks are drawn evenly, each with a solution and a failure of its own;
            otherwise those with many solutions come more often.
        strata: [tasks] if tasks are drawn evenly: a batch has its attempts in the order of these
            numbers, and as many of each in every batch.
        seed: seed of all draws.

    Attributes:
        sizes: [strata] attempts of a batch from each, if tasks are drawn evenly.

    Raises:
        ValueError: The outcomes hold nothing to draw from, or the sizes do not divide.
    """

    def __init__(
        self,
        outcomes: Outcomes,
        size: int,
        *,
        per_task: int = 1,
        balanced: bool = True,
        even: bool = False,
        strata: npt.NDArray[np.intp] | None = None,
        seed: int,
    ) -> None:
        if size % (2 * per_task):
            raise ValueError(
                f"a batch of {size} cannot be halved into groups of {per_task}; "
                f"use a multiple of {2 * per_task}"
            )
        self._outcomes = np.ascontiguousarray(outcomes)
        self._flat = self._outcomes.reshape(-1)
        self._size, self._per_task, self._balanced, self._seed = size, per_task, balanced, seed
        self._solutions: Indices = np.flatnonzero(self._flat == Outcome.SOLVED)
        actions = self._outcomes.shape[1]
        starts = np.arange(len(self._outcomes) + 1) * actions
        #: [tasks + 1] where each task's solutions begin among all.
        self._first: Indices = np.searchsorted(self._solutions, starts)
        failed = (self._outcomes == Outcome.NOT_SOLVED).any(axis=1)
        good = (np.diff(self._first) > 0) & failed
        stratum = np.zeros(len(good), np.intp) if strata is None else strata
        #: By stratum: tasks with solutions and failures, if tasks are drawn evenly.
        self._even = [
            np.flatnonzero(good & (stratum == k)) for k in range(stratum.max(initial=0) + 1)
        ]
        self._is_even = even
        failures = bool(good.any() if even else failed.any())
        if not (len(self._solutions) and failures):
            missing = "failures" if len(self._solutions) else "solutions"
            raise ValueError(
                f"there are no {missing} among {actions} actions on {len(self._outcomes)} "
                "training tasks; use more actions or tasks"
            )
        if even:
            self.sizes = 2 * split_evenly(size // 2, [len(pool) for pool in self._even])

    @property
    def size(self) -> int:
        """Attempts of a batch."""
        return self._size

    @property
    def solutions(self) -> int:
        """The number of attempts that are solutions."""
        return len(self._solutions)

    def chunk(self, number: int, batches: int = CHUNK) -> Chunk:
        """Batches that depend on the number of the chunk alone."""
        rng = np.random.default_rng([self._seed, number])
        groups = self._size // self._per_task
        half = batches * groups // 2
        if self._is_even:
            drawn = [
                pool[rng.integers(0, len(pool), (batches, attempts // 2))]
                for pool, attempts in zip(self._even, self.sizes, strict=True)
                if attempts
            ]
            task = np.concatenate(drawn, axis=1).reshape(-1)
            solved = self._solutions[rng.integers(self._first[task], self._first[task + 1])]
            pairs = np.stack([solved, self._failures(rng, task)], axis=1)
        elif self._balanced:
            solved = self._solutions[rng.integers(0, len(self._solutions), half)]
            pairs = np.stack([solved, self._draw(rng, half, Outcome.NOT_SOLVED)], axis=1)
        else:
            pairs = self._draw(rng, 2 * half, None)
        leaders = pairs.reshape(batches, groups)
        flat = self._members(rng, leaders)
        actions = self._outcomes.shape[1]
        return Chunk(
            (leaders // actions).astype(np.int32),
            (flat % actions).astype(np.int32),
            (self._flat[flat] == Outcome.SOLVED).astype(np.float32),
        )

    def _draw(self, rng: np.random.Generator, count: int, wanted: Outcome | None) -> Indices:
        """[count] indices of attempts with an outcome, or of any valid ones."""
        kept: list[Indices] = []
        missing = count
        while missing:
            drawn = rng.integers(0, len(self._flat), 2 * missing)
            found = self._flat[drawn]
            valid = (found == Outcome.SOLVED) | (found == Outcome.NOT_SOLVED)
            kept.append(drawn[valid if wanted is None else found == wanted][:missing])
            missing -= len(kept[-1])
        return np.concatenate(kept)

    def _members(self, rng: np.random.Generator, leaders: Indices) -> Indices:
        """[batches, batch] each leader and other attempts with its task and result."""
        members = np.repeat(leaders.reshape(-1, 1), self._per_task, axis=1)
        followers = members[:, 1:]  # a view
        task = followers // self._outcomes.shape[1]
        solved = self._flat[followers] == Outcome.SOLVED
        first, stop = self._first[task[solved]], self._first[task[solved] + 1]
        followers[solved] = self._solutions[rng.integers(first, stop)]
        followers[~solved] = self._failures(rng, task[~solved])
        return members.reshape(len(leaders), -1)

    def _failures(self, rng: np.random.Generator, task: Indices) -> Indices:
        """[tasks] a failure on each of some tasks."""
        actions = self._outcomes.shape[1]
        found = np.empty(len(task), np.int64)
        missing = np.arange(len(task))
        while len(missing):
            drawn = task[missing] * actions + rng.integers(0, actions, len(missing))
            good = self._flat[drawn] == Outcome.NOT_SOLVED
            found[missing[good]] = drawn[good]
            missing = missing[~good]
        return found


class Updates:
    """Gradient updates of a network.

    Args:
        network: the network on its device; it is updated in place.
        images: [tasks, height, width] colour codes, on the device.
        actions: [actions, action_size] the list that batches refer to, on the device.
        batches: the source of batches.
        graph: whether to record a CUDA graph; there is none on a CPU.
    """

    def __init__(
        self,
        network: QNetwork,
        images: Tensor,
        actions: Tensor,
        batches: Batches,
        *,
        graph: bool = True,
    ) -> None:
        self.done = 0
        self._network, self._images, self._actions = network, images, actions
        self._batches = batches
        self._device = images.device
        on_gpu = self._device.type == "cuda"
        first = batches.chunk(0)
        self._tasks = self._upload(first.tasks)
        self._numbers = self._upload(first.numbers)
        self._solved = self._upload(first.solved)
        self._rates = torch.zeros(CHUNK, device=self._device)
        self._place = torch.zeros(1, dtype=torch.int64, device=self._device)
        self._loss = torch.zeros((), device=self._device)
        self._rate = torch.zeros((), device=self._device)
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=self._rate, fused=True, capturable=on_gpu
        )
        self._recorded = RecordedUpdate(self._update, self.optimizer, graph=graph and on_gpu)
        self._loaded: int | None = None

    @property
    def failure(self) -> str | None:
        """Why there is no graph although one was wanted."""
        return self._recorded.failure

    def restore(self, done: int, optimizer: dict[str, Any]) -> None:
        """Resume after earlier updates."""
        self.done = done
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": optimizer, "param_groups": groups})
        self.optimizer.param_groups[0]["lr"] = self._rate  # loading replaced it by a copy

    def run(self, count: int, rates: npt.NDArray[np.float32]) -> float:
        """Make updates and return their mean loss.

        Args:
            count: number of updates.
            rates: [count] learning rate of each.
        """
        self._network.train()
        made = 0
        while made < count:
            number, place = divmod(self.done, CHUNK)
            part = min(count - made, CHUNK - place)
            self._load(number)
            self._rates[place : place + part] = self._upload(rates[made : made + part])
            self._place.fill_(place)
            self._recorded.make(part)
            made += part
            self.done += part
        mean = float(self._loss) / count
        self._loss.zero_()
        return mean

    def _update(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        tasks = self._tasks.index_select(0, self._place)[0]
        numbers = self._numbers.index_select(0, self._place)[0]
        images = self._images.index_select(0, tasks)
        actions = self._actions.index_select(0, numbers)
        with mixed_precision(self._device):
            logits = self._network(images, actions)
        solved = self._solved.index_select(0, self._place)[0]
        loss = functional.binary_cross_entropy_with_logits(logits, solved)
        loss.backward()  # type: ignore[no-untyped-call]
        self._rate.copy_(self._rates.index_select(0, self._place)[0])
        self.optimizer.step()
        self._loss += loss.detach()
        self._place += 1

    def _load(self, number: int) -> None:
        if self._loaded != number:
            chunk = self._batches.chunk(number)
            self._tasks.copy_(torch.from_numpy(chunk.tasks))
            self._numbers.copy_(torch.from_numpy(chunk.numbers))
            self._solved.copy_(torch.from_numpy(chunk.solved))
            self._loaded = number

    def _upload(self, array: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self._device)


class UpdateTimer:
    """Decides when to report and to save, and how many updates a time limit allows.

    It never changes what an update does; only the number of updates depends on the clock, and only
    under a time limit.

    Args:
        minutes: approximate time limit of training; None: no limit.

    Attributes:
        count: updates to make before the next report.
        rate: updates a second since the last report.
    """

    def __init__(self, minutes: float | None = None) -> None:
        self.count = 1
        self.rate = 0.0
        self._start = self._last = self._saved = time.monotonic()
        self._seconds = None if minutes is None else 60 * minutes
        self._steady, self._spent = 0, 0.0  # steady updates and their seconds
        self._first = True

    def start(self) -> None:
        """Start to time updates."""
        self._last = time.monotonic()

    def stop(self, count: int) -> None:
        """Note the number of updates since :meth:`start`."""
        spent = time.monotonic() - self._last
        self.rate = count / spent
        # The first update includes the time to draw batches and to choose kernels.
        if not self._first and (count >= _STEADY or spent > REPORT_SECONDS):
            self._steady, self._spent = self._steady + count, self._spent + spent
        self._first = False
        # Often enough for people, rarely enough not to keep waiting for the device.
        self.count = max(1, min(2 * self.count, int(REPORT_SECONDS * self.rate)))

    def plan(self, done: int, wanted: int) -> int:
        """The total number of updates, reduced once, as soon as their rate is known."""
        if self._seconds is None or self._spent < MEASURE_SECONDS:
            return wanted
        left = max(0.0, self._seconds - (time.monotonic() - self._start))
        self._seconds = None
        return max(done, min(wanted, done + int(left * self._steady / self._spent)))

    def is_time_to_save(self) -> bool:
        """Whether the last checkpoint is old; if so, the caller has to write one."""
        now = time.monotonic()
        if now - self._saved < SAVE_SECONDS:
            return False
        self._saved = now
        return True
