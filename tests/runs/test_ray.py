"""A real Ray cluster on this machine: same bytes as local, also when a worker is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from support.dataset_specs import phyre_spec
from support.folders import folder_contents
from topple.datasets import build
from topple.datasets.builder import Summary
from topple.datasets.plan import ShardId
from topple.phyre import Tier, template_tasks
from topple.phyre.cache import ActionCache
from topple.phyre.cache.grid import Unit
from topple.phyre.cache.shard import Cells

pytest.importorskip("ray")

from topple.runs.executors.ray import RayExecutor


@pytest.fixture(scope="module")
def executor() -> Iterator[RayExecutor]:
    made = RayExecutor(workers=2)
    yield made
    made.close()


def test_ray_builds_the_same_cache_though_a_worker_is_killed(
    executor: RayExecutor, tmp_path: Path
) -> None:
    tasks = [*template_tasks("00002")[:2], *template_tasks("00005")[:2]]
    mark = tmp_path / "worker"

    def run(
        function: Callable[[Unit], Cells], units: Iterable[Unit]
    ) -> Iterator[tuple[Unit, Cells]]:
        def waits_to_be_killed_once(unit: Unit) -> Cells:
            if unit.key.template == "00005" and unit.first == 250 and not mark.exists():
                mark.write_text(str(os.getpid()))
                time.sleep(600)
            return function(unit)

        for number, result in enumerate(executor.map(waits_to_be_killed_once, units), 1):
            yield result
            if number == 5:  # of 6: all but the one that waits
                os.kill(int(mark.read_text()), signal.SIGKILL)

    ActionCache(tmp_path / "ray", Tier.BALL, indexes=(), run=run).build(tasks, 600)
    assert mark.exists()
    ActionCache(tmp_path / "local", Tier.BALL, indexes=()).build(tasks, 600)
    assert folder_contents(tmp_path / "ray") == folder_contents(tmp_path / "local")


def test_ray_builds_the_same_data_set_though_a_worker_is_killed(
    executor: RayExecutor, tmp_path: Path
) -> None:
    mark = tmp_path / "worker"

    class Killing:
        """The cluster, one of whose workers is killed while it makes a shard."""

        def map(
            self, function: Callable[[Any], Any], items: Iterable[Any]
        ) -> Iterator[tuple[Any, Any]]:
            def waits_to_be_killed_once(shards: Sequence[ShardId]) -> list[Summary]:
                if shards[0].split == "test" and not mark.exists():
                    mark.write_text(str(os.getpid()))
                    time.sleep(600)
                return cast("list[Summary]", function(shards))

            for number, result in enumerate(executor.map(waits_to_be_killed_once, items), 1):
                yield result
                if number == 3:  # of 5
                    os.kill(int(mark.read_text()), signal.SIGKILL)

        def close(self) -> None: ...

    spec = phyre_spec(format="webdataset")
    build(spec, tmp_path / "ray", executor=Killing(), threads=1)
    assert mark.exists()
    build(spec, tmp_path / "local")
    assert folder_contents(tmp_path / "ray") == folder_contents(tmp_path / "local")


def test_contradictions_are_refused() -> None:
    with pytest.raises(ValueError, match="workers is 2"):
        RayExecutor("auto", 2)
