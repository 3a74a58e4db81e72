"""Whether a task can be solved, by sampling (supplement B).

A stable solution is an action that solves a task and still does when its balls are moved by
half a pixel in any of eight directions. With s the chance that a random valid action is one,
random actions are tried until a binomial test rejects s <= p0, and the task is solvable, or
s >= 2 * p0, and it is not. If both are rejected it counts as solvable.

Actions come from the pools the published tasks were selected with: 10,000 at a time, from
seeds 1000, 1001 and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from scipy import stats

from topple.phyre.action import Actions, discrete_actions
from topple.phyre.engine.backend import Backend, device_for
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import Outcome
from topple.phyre.task import Task
from topple.phyre.tier import Tier
from topple.reports.table import Table

#: p0 of each tier.
THRESHOLDS = {Tier.BALL: 1e-5, Tier.TWO_BALLS: 1e-6}
SIGNIFICANCE = 0.05
POOL = 10_000  # actions of one seed
FIRST_POOL_SEED = 1000
MIN_VALID = 10_000  # attempts before the tests are looked at, as published
BLOCK = 1_000  # actions tried on each open task before results are handed out
DEVICE_BLOCK = 10_000  # the same on a GPU


class Verdict(Enum):
    """What the tests say."""

    SOLVABLE = "solvable"
    UNSOLVABLE = "unsolvable"
    OPEN = "open"  # neither hypothesis is rejected yet


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a task after some random actions."""

    tried: int = 0  # actions, of the pools in order
    valid: int = 0
    solved: int = 0  # stably or not
    stable: int = 0
    solution: int = -1  # number of the first stable solution in the pools; -1: none yet


def verdict(solutions: int, valid: int, p0: float) -> Verdict:
    """The outcome of the two one-sided binomial tests."""
    if not 0 <= solutions <= valid:
        raise ValueError(f"{solutions} solutions among {valid} valid attempts cannot be")
    if not 0 < p0 < 0.5:
        raise ValueError(f"p0 is {p0}; it has to lie between 0 and 0.5")
    # P(at least as many | s = p0), P(at most as many | s = 2 p0)
    if valid and stats.binom.sf(solutions - 1, valid, p0) < SIGNIFICANCE:
        return Verdict.SOLVABLE
    if valid and stats.binom.cdf(solutions, valid, 2 * p0) < SIGNIFICANCE:
        return Verdict.UNSOLVABLE
    return Verdict.OPEN


def decide(evidence: Evidence, p0: float, min_valid: int = MIN_VALID) -> Verdict:
    """Whether a task is solvable, by its stable solutions."""
    if evidence.valid < min_valid:
        return Verdict.OPEN
    return verdict(evidence.stable, evidence.valid, p0)


def pooled_actions(tier: Tier, first: int, count: int) -> Actions:
    """[count, 3 * balls] actions of the pools, numbered through; one pool at most."""
    pool, start = divmod(first, POOL)
    if start + count > POOL:
        raise ValueError(f"actions {first} to {first + count} lie in more than one pool")
    return _pool(tier, pool)[start : start + count]


@lru_cache(maxsize=4)
def _pool(tier: Tier, number: int) -> Actions:
    return discrete_actions(tier, POOL, FIRST_POOL_SEED + number)


def assess(
    tasks: Sequence[Task],
    *,
    p0: float | None = None,
    known: Sequence[Evidence] | None = None,
    max_actions: int = 10_000_000,
    min_valid: int = MIN_VALID,
    on_block: Callable[[list[Evidence]], None] | None = None,
    backend: Backend = "cpu",
) -> list[Evidence]:
    """Try random actions on tasks of one tier until every one is decided.

    Args:
        tasks: published or your own.
        p0: the tier's by default.
        known: what an earlier, stopped call handed out; it goes on from there.
        max_actions: to try on a task; one that is still open then stays so.
        min_valid: valid attempts before a task may be decided.
        on_block: called with all evidence after every block of actions on the open tasks.
        backend: where they are simulated; on a GPU, blocks are larger.
    """
    if not tasks:
        return []
    tier = tasks[0].tier
    threshold = THRESHOLDS[tier] if p0 is None else p0
    found = list(known) if known is not None else [Evidence()] * len(tasks)
    if len(found) != len(tasks):
        raise ValueError(f"there is evidence on {len(found)} tasks, but there are {len(tasks)}")
    scenes = SceneSet([task.scene for task in tasks])
    block = BLOCK if device_for(backend, len(tasks) * DEVICE_BLOCK) is None else DEVICE_BLOCK
    while True:
        waiting = [
            place
            for place, evidence in enumerate(found)
            if evidence.tried < max_actions
            and decide(evidence, threshold, min_valid) is Verdict.OPEN
        ]
        if not waiting:
            return found
        # Those that are furthest behind, so that all of a block share their actions.
        first = min(found[place].tried for place in waiting)
        chosen = [place for place in waiting if found[place].tried == first]
        count = min(block, max_actions - first, POOL - first % POOL)
        actions = pooled_actions(tier, first, count)
        outcomes = simulate_batch(
            scenes,
            np.repeat(chosen, count),
            np.tile(actions, (len(chosen), 1)),
            Request(stable=True),
            backend=backend,
        ).outcome.reshape(len(chosen), count)
        for place, row in zip(chosen, outcomes, strict=True):
            old = found[place]
            stable = np.flatnonzero(row == Outcome.STABLY_SOLVED)
            found[place] = Evidence(
                old.tried + count,
                old.valid + int((row != Outcome.INVALID).sum()),
                old.solved + int((row > 0).sum()),
                old.stable + len(stable),
                old.solution if old.solution >= 0 or not len(stable) else first + int(stable[0]),
            )
        if on_block is not None:
            on_block(found)


def verdict_table(
    tasks: Sequence[Task], found: Sequence[Evidence], p0: float, min_valid: int
) -> Table:
    """How many tasks of each template can be solved, with the mean share of stable solutions."""
    templates: dict[str, list[Evidence]] = {}
    for task, evidence in zip(tasks, found, strict=True):
        templates.setdefault(task.id.template, []).append(evidence)
    rows, undecided = [], 0
    for template, entries in templates.items():
        verdicts = Counter(decide(entry, p0, min_valid) for entry in entries)
        shares = [entry.stable / max(entry.valid, 1) for entry in entries]
        counts = (str(verdicts[verdict]) for verdict in Verdict)
        undecided += verdicts[Verdict.OPEN]
        rows.append([template, str(len(entries)), *counts, f"{sum(shares) / len(shares):.2e}"])
    return Table(
        f"Tasks with stable solutions, p0 = {p0:g}",
        ["template", "tasks", *(verdict.value for verdict in Verdict), "share of valid actions"],
        rows,
        f"{undecided} tasks are open: raise --max-actions to decide them." if undecided else "",
    )


def solvability_table(
    tasks: Sequence[Task], found: Sequence[Evidence], p0: float, min_valid: int
) -> Table:
    """Verdict and evidence of each task."""
    rows = [
        [
            str(task.id),
            decide(evidence, p0, min_valid).value,
            str(evidence.tried),
            str(evidence.valid),
            str(evidence.solved),
            str(evidence.stable),
            str(evidence.solution) if evidence.solution >= 0 else "",
        ]
        for task, evidence in zip(tasks, found, strict=True)
    ]
    header = ["task", "verdict", "actions", "valid", "solved", "stably solved", "first solution"]
    return Table(f"Solvability, p0 = {p0:g}", header, rows)
