"""Updates that are made again and again: on a GPU, one is recorded as a CUDA graph and replayed.

At the batch sizes of the agents here, launching the kernels of an update one by one takes longer
than running them.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

_WARM_UP = 3  # updates before the graph is recorded, while libraries choose their kernels


class RecordedUpdate:
    """An update that reads all it needs from device memory, by a counter that is there, too.

    Args:
        update: makes one update; it has to do the same on the device each time, and never wait
            for it.
        optimizer: what the update ends with.
        graph: whether to record a CUDA graph; without one, updates are made one by one.

    Attributes:
        failure: why there is no graph although one was wanted.
    """

    def __init__(
        self, update: Callable[[], None], optimizer: torch.optim.Optimizer, *, graph: bool
    ) -> None:
        self.failure: str | None = None
        self._update, self._optimizer = update, optimizer
        self._wants_graph = graph
        self._stream = torch.cuda.Stream() if graph else None  # type: ignore[no-untyped-call]
        self.forget()

    def forget(self) -> None:
        """Record the update again, because what it reads lies elsewhere now."""
        self._warm_up = _WARM_UP
        self._graph: torch.cuda.CUDAGraph | None = None

    def make(self, count: int) -> None:
        """Make updates."""
        while count and self._wants_graph and self._graph is None:
            if self._warm_up:
                self._make_aside()
                self._warm_up -= 1
                count -= 1
            else:
                self._record()
        for _ in range(count):
            if self._graph is not None:
                self._graph.replay()
            else:
                self._update()

    def _make_aside(self) -> None:
        """Make an update on a stream of its own, which has to precede the recording of a graph."""
        assert self._stream is not None
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self._update()
        torch.cuda.current_stream().wait_stream(self._stream)

    def _record(self) -> None:
        """Record an update without making it."""
        graph = torch.cuda.CUDAGraph()
        self._optimizer.zero_grad(set_to_none=True)
        try:
            with torch.cuda.graph(graph, stream=self._stream):
                self._update()
        except RuntimeError as error:
            # Slower, but with the same batches; `failure` says so.
            self._wants_graph, self.failure = False, str(error).splitlines()[0]
            self._optimizer.zero_grad(set_to_none=True)
        else:
            self._graph = graph
