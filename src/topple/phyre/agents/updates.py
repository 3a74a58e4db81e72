"""Updates of a network, as fast as the device makes them.

A whole update reads its batch from memory of the device by a counter that lies there, too:
indices, images, forward, backward, Adam and learning rate. On a GPU it is recorded once as a
CUDA graph and replayed, because at the published batch of 64 launching its kernels one by one
takes longer than running them. The host only hands over a chunk of batches now and then.
Batches are the same with and without a graph, and on any device.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from topple.phyre.agents.batches import CHUNK, Batches
from topple.phyre.agents.network import QNetwork

_WARM_UP = 3  # updates before the graph is recorded, while libraries choose their kernels


def mixed_precision(device: torch.device) -> AbstractContextManager[Any]:
    """Multiply in bfloat16 on a GPU; single precision elsewhere."""
    if device.type == "cuda":
        return torch.autocast("cuda", torch.bfloat16)
    return nullcontext()


def on_device(network: QNetwork, device: torch.device) -> QNetwork:
    """The network where it is to be used, laid out as that device likes it."""
    if device.type == "cuda":
        torch.backends.cudnn.benchmark = True  # shapes never change
        return network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]
    return network.to(device)


class Updates:
    """Makes updates of a network, one after the other.

    Args:
        network: on its device; updated in place.
        images: [tasks, height, width] colour codes, on the device.
        actions: [actions, action_size] the list the batches refer to, on the device.
        batches: where batches come from.
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
        self.failure: str | None = None  # why there is no graph although one was wanted
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
        self._wants_graph = graph and on_gpu
        self._stream = torch.cuda.Stream() if self._wants_graph else None  # type: ignore[no-untyped-call]
        self._warm_up = _WARM_UP
        self._graph: torch.cuda.CUDAGraph | None = None
        self._loaded: int | None = None

    def restore(self, done: int, optimizer: dict[str, Any]) -> None:
        """Take up where earlier updates ended."""
        self.done = done
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": optimizer, "param_groups": groups})
        self.optimizer.param_groups[0]["lr"] = self._rate  # loading replaced it by a copy

    def run(self, count: int, rates: npt.NDArray[np.float32]) -> float:
        """Make updates and return the mean loss over them.

        Args:
            count: how many.
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
            self._make(part)
            made += part
            self.done += part
        mean = float(self._loss) / count
        self._loss.zero_()
        return mean

    def _make(self, count: int) -> None:
        while count and self._wants_graph and self._graph is None:
            if self._warm_up:
                self._on_the_side()
                self._warm_up -= 1
                count -= 1
            else:
                self._record()
        for _ in range(count):
            if self._graph is not None:
                self._graph.replay()
            else:
                self._update()

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

    def _on_the_side(self) -> None:
        """An update on a stream of its own, as recording a graph asks for beforehand."""
        assert self._stream is not None
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self._update()
        torch.cuda.current_stream().wait_stream(self._stream)

    def _record(self) -> None:
        """Record an update, without making it."""
        graph = torch.cuda.CUDAGraph()
        self.optimizer.zero_grad(set_to_none=True)
        try:
            with torch.cuda.graph(graph, stream=self._stream):
                self._update()
        except RuntimeError as error:
            # Slower, but with the same batches; whoever runs it can tell from `failure`.
            self._wants_graph, self.failure = False, str(error).splitlines()[0]
            self.optimizer.zero_grad(set_to_none=True)
        else:
            self._graph = graph

    def _load(self, number: int) -> None:
        if self._loaded != number:
            chunk = self._batches.chunk(number)
            self._tasks.copy_(torch.from_numpy(chunk.tasks))
            self._numbers.copy_(torch.from_numpy(chunk.numbers))
            self._solved.copy_(torch.from_numpy(chunk.solved))
            self._loaded = number

    def _upload(self, array: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self._device)
