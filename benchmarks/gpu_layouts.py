"""Ways to lay the same attempts out on a GPU, beside the one in use: kernel time and outcomes.

Run: python benchmarks/gpu_layouts.py [--tier ball] [--actions 20000] [--rows results.csv]

One task of every template, the first actions of the fixed list. A layout is where the worlds
are, how many lanes work on one, how many are in flight, and in which order attempts are made.
Each must give the outcomes of the layout in use.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from topple.phyre import Tier, template_tasks
from topple.phyre.action import listed_actions
from topple.phyre.engine import cuda
from topple.phyre.engine.buffers import result_buffers
from topple.phyre.engine.cuda_device import OPTIONS, CudaDevice, source_folder
from topple.phyre.engine.native import SceneSet
from topple.phyre.engine.request import Request

BLOCK = 64  # lanes
REPEATS = 2
KERNELS = Path(__file__).with_suffix(".cu")
Axes = Callable[[Any, Any], list[Any]]  # what attempts next to each other are alike in
IN_USE: Axes = cuda._axes


class Layout(NamedTuple):
    """A way to do the same work."""

    name: str
    blocks: int  # of each multiprocessor
    macro: str | None = None  # of the kernels beside this file; None: the kernel in use
    axes: Axes = IN_USE


def as_given(xp: Any, actions: Any) -> list[Any]:
    """Every number of the action, whichever ball it comes first."""
    return [actions[:, k] for k in range(actions.shape[1])]


def lower_first(xp: Any, actions: Any) -> list[Any]:
    """Every number of the balls, from the bottom up."""
    balls = actions.reshape(len(actions), -1, 3)
    balls = xp.take_along_axis(balls, xp.argsort(balls[:, :, 1:2], axis=1), axis=1)
    return as_given(xp, balls.reshape(len(actions), -1))


def places(xp: Any, actions: Any) -> list[Any]:
    """Where the balls are, from left to right, not how large."""
    return [axis for k, axis in enumerate(IN_USE(xp, actions)) if k % 3 != 2]


def as_listed(xp: Any, actions: Any) -> list[Any]:
    """No order but that of the scenes."""
    return []


LAYOUTS = (
    Layout("a lane per world, local memory (in use)", 2),
    Layout("the same, 4 blocks", 4),
    Layout("the same, in the order of the list", 2, axes=as_listed),
    Layout("a lane per world, global memory", 4, "LANE"),
    Layout("a lane of 4 per world, local memory", 8, "SPREAD=4"),
    Layout("4 lanes per world, contacts shared", 8, "TEAM=4"),
    Layout("8 lanes per world, contacts shared", 8, "TEAM=8"),
    Layout("the same, 16 blocks", 16, "TEAM=8"),
)
TWO_BALL_LAYOUTS = (
    LAYOUTS[0],
    LAYOUTS[2],
    Layout("the same, balls as given", 2, axes=as_given),
    Layout("the same, lower ball first", 2, axes=lower_first),
    Layout("the same, near in place alone", 2, axes=places),
)


class LayoutDevice(CudaDevice):
    """A GPU on which attempts are laid out in another way; times that kernel."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout
        self._processors = self.lanes // (2 * BLOCK)
        self.seconds = 0.0
        self._other: Any = None
        self._memory: Any = None
        if layout.macro is not None:
            self._other = self.xp.RawModule(
                code=KERNELS.read_text(),
                options=(
                    *OPTIONS,
                    f"-D{layout.macro}",
                    f"-I{source_folder() / 'include'}",
                    f"-I{source_folder() / 'cuda'}",
                ),
            )
            size = self.xp.zeros(1, np.int64)
            self._other.get_function("place_bytes")((1,), (BLOCK,), (size,))
            if not layout.macro.startswith("SPREAD"):
                lanes = self._processors * layout.blocks * BLOCK
                team = int(layout.macro.split("=")[1]) if "TEAM" in layout.macro else 1
                self._memory = self.xp.empty(lanes // team * int(size[0]), np.uint8)

    def launch(self, kernel: str, *arguments: Any) -> None:
        """Start a kernel; attempts in the layout that is measured."""
        if kernel != "attempts":
            super().launch(kernel, *arguments)
            return
        numbers = [np.int64(a) if isinstance(a, int) else a for a in arguments]
        function = self._module.get_function("attempts")
        if self._other is not None:
            function = self._other.get_function("layout")
            numbers.append(np.uint64(0) if self._memory is None else self._memory)
        start, end = self.xp.cuda.Event(), self.xp.cuda.Event()
        start.record()
        function((self._processors * self._layout.blocks,), (BLOCK,), tuple(numbers))
        end.record()
        end.synchronize()
        self.seconds += self.xp.cuda.get_elapsed_time(start, end) / 1000


def measure(tier: Tier, count: int, layouts: tuple[Layout, ...]) -> list[dict[str, object]]:
    """A row for each layout."""
    scenes = SceneSet([template_tasks(name)[0].scene for name in tier.template_ids])
    listed = listed_actions(tier, count)
    index = np.repeat(np.arange(len(scenes), dtype=np.int32), len(listed))
    actions = np.tile(listed.astype(np.float64), (len(scenes), 1))
    rows: list[dict[str, object]] = []
    reference: Any = None
    with ThreadPoolExecutor() as pool:  # compiles several at a time
        devices = list(pool.map(LayoutDevice, layouts))
    for layout, device in zip(layouts, devices, strict=True):
        result = result_buffers(scenes.packed, index, actions.shape[1] // 3, Request(), None)
        seconds = []
        for _ in range(REPEATS):
            device.seconds = 0.0
            with mock.patch.object(cuda, "_axes", layout.axes):
                cuda.simulate_on_device(device, scenes.packed, index, actions, Request(), result)
            seconds.append(device.seconds)
        if reference is None:
            reference = result.outcome.copy(), result.steps.copy()
        wrong = (result.outcome != reference[0]) | (result.steps != reference[1])
        valid = int((result.outcome != 0).sum())
        row: dict[str, object] = {
            "gpu": device.name,
            "tier": tier.value,
            "layout": layout.name,
            "blocks": layout.blocks,
            "attempts_per_s": round(valid / float(np.median(seconds))),
            "least": round(valid / max(seconds)),
            "most": round(valid / min(seconds)),
            "valid_attempts": valid,
            "mismatches": int(wrong.sum()),
        }
        print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tier", type=Tier, choices=list(Tier), default=Tier.BALL)
    parser.add_argument("--actions", type=int, default=20_000, help="of the list")
    parser.add_argument("--rows", type=Path, help="append the table to this CSV file")
    options = parser.parse_args()
    layouts = LAYOUTS if options.tier is Tier.BALL else TWO_BALL_LAYOUTS
    rows = measure(options.tier, options.actions, layouts)
    if options.rows:
        new = not options.rows.exists()
        with options.rows.open("a", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            if new:
                writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
