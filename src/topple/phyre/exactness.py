"""Whether a GPU gives the bits of the CPU, tried on published tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.task import tier_tasks
from topple.phyre.tier import Tier

BATCH = 50_000  # pairs compared at a time


class Comparison(NamedTuple):
    """How many random (task, action) pairs were compared, and how many differ."""

    pairs: int
    valid: int
    solved: int
    mismatches: int  # in outcome, number of steps or any bit of the final state

    def __add__(self, other: Comparison) -> Comparison:  # type: ignore[override]
        return Comparison(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Comparison(0, 0, 0, 0)


def compare_backends(
    tier: Tier, pairs: int, seed: int = 0, backend: Backend = "cuda"
) -> Iterator[Comparison]:
    """Simulate random pairs over all templates of a tier on both backends, batch by batch.

    Args:
        tier: whose tasks.
        pairs: how many in all.
        seed: of tasks and actions.
        backend: the one that is compared with the CPU.
    """
    tasks = tier_tasks(tier)
    scenes = SceneSet([task.scene for task in tasks])
    rng = np.random.default_rng(seed)
    for first in range(0, pairs, BATCH):
        count = min(BATCH, pairs - first)
        index = rng.integers(len(tasks), size=count)
        actions = rng.random((count, tier.action_size))
        valid, _ = map_actions(scenes, index, actions)
        ours, theirs = (
            simulate_batch(scenes, index, actions, Request(final_state=True), backend=where)
            for where in (backend, "cpu")
        )
        assert ours.final_state is not None
        assert theirs.final_state is not None
        bits = ours.final_state.view(np.uint32) != theirs.final_state.view(np.uint32)
        differ = (ours.outcome != theirs.outcome) | (ours.steps != theirs.steps)
        differ |= (valid != theirs.outcome.astype(bool)) | bits.any(axis=(1, 2))
        solved = int((theirs.outcome > 0).sum())
        yield Comparison(count, int(valid.sum()), solved, int(differ.sum()))
