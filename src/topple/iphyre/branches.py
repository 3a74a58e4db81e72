"""Branches: many futures of one episode, each with interventions and a plan of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import Outcomes
from topple.iphyre.engine.edits import Edit, pack_edits
from topple.iphyre.engine.native import BranchPoint, NativeWorld, scene_set, simulate
from topple.iphyre.episode import Episode, removal_table, scores_of
from topple.iphyre.plan import Plan
from topple.iphyre.score import Score
from topple.progress import Progress

STATE_FIELDS = ("x", "y", "angle", "vx", "vy", "spin")  # px, radians, and per second


class BranchResult(NamedTuple):
    """What became of each branch."""

    scores: list[Score]  # of the whole episode, the part before the branch included
    final: NDArray[np.float64]  # (branches, bodies, 6) STATE_FIELDS at the end
    states: NDArray[np.float64] | None  # (branches, frames, bodies, 6) if they were asked for
    frame_count: NDArray[np.int32] | None  # (branches,)


def branch_episode(
    episode: Episode,
    edits: Sequence[Sequence[Edit]],
    plans: Sequence[Plan] | None = None,
    *,
    stride: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BranchResult:
    """Play copies of an episode to their ends, each with edits and a plan of its own.

    A branch without edits does what the episode itself would do, to the last bit. The
    episode stays as it is. Blocks that a plan removes are charged as ever; edits cost
    nothing, and what a plan names before the present tick is left out.

    Args:
        episode: where all branches start.
        edits: [branches] the edits of each branch, applied in order before its next tick.
        plans: [branches] what is removed later; nothing by default.
        stride: keep the present state, then one every so many ticks; 0 for none.
        threads: at most this many; all cores by default.
        progress: called with (branches done, branches in all).

    Raises:
        ValueError: an edit is wrong, the plans do not fit, or the episode plays on pymunk,
            whose worlds cannot be copied.
    """
    world, rules = episode.world, episode.rules
    if not isinstance(world, NativeWorld):
        raise ValueError("branches need the native engine; this episode plays on pymunk")
    if plans is not None and len(plans) != len(edits):
        raise ValueError(f"{len(plans)} plans for {len(edits)} branches; give one for each")
    if stride < 0:
        raise ValueError(f"stride is {stride}; it has to be 0 or more")
    packed = pack_edits(edits, world.scene)
    bodies = max((len(scene.radii) for scene in packed.scenes), default=len(world.scene.radii))
    count = len(edits)
    removals = np.full((count, bodies), -1, np.int32)
    if plans is not None:
        table = removal_table(plans)[:, :bodies]
        removals[:, : table.shape[1]] = table
    request = rules.request
    batch = simulate(
        scene_set(packed.scenes or (world.scene,), world.params, world.dt),
        packed.scene_index,
        removals,
        np.full(count, request.builds, np.int64),
        np.full(count, request.ticks, np.int32),
        request.out,
        threads=threads,
        final=True,
        stride=stride,
        bodies=bodies,
        branch=BranchPoint(world, packed.start, packed.rows),
        progress=progress,
    )
    assert batch.final is not None
    outcomes = Outcomes(batch.solved, batch.ticks, batch.removed + np.int32(episode.removed))
    return BranchResult(scores_of(outcomes, rules), batch.final, batch.states, batch.frame_count)
