"""Checks of the action cache: by the committed hashes, and by simulating a sample.

The manifest beside this file says, for each template, with which engine its outcomes were
simulated, for how many actions of the list, and what they hash to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from topple.phyre.cache.action_cache import ActionCache
from topple.phyre.cache.grid import scene_digests
from topple.phyre.cache.index import SolutionIndex, imported_path, read_index
from topple.phyre.cache.shard import UNKNOWN, CacheError, pack_outcomes
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.result import Outcome
from topple.phyre.engine_hash import engine_hash
from topple.phyre.task import Task, UnknownTaskError, load_task
from topple.phyre.tier import Tier

MANIFEST = Path(__file__).with_name("manifest.json")


class Entry(NamedTuple):
    """What the cache of a template holds."""

    actions: int  # of the list, on all 100 tasks
    valid: int
    solved: int
    digest: str


def entry_of(cache: ActionCache, tasks: Sequence[Task], actions: int) -> Entry | None:
    """The entry of a template's tasks; None if some of their outcomes are not known.

    Args:
        cache: where they are.
        tasks: all of the template.
        actions: how many of the list, in whole files.
    """
    outcomes = cache.known(tasks, actions)
    if (outcomes == UNKNOWN).any():
        return None
    valid = int((outcomes != Outcome.INVALID).sum())
    solved = int((outcomes == Outcome.SOLVED).sum())
    packed = pack_outcomes(outcomes).tobytes()
    return Entry(actions, valid, solved, hashlib.blake2b(packed, digest_size=16).hexdigest())


class Difference(NamedTuple):
    """An outcome that a simulation contradicts."""

    task: str
    action: int  # its number in the list
    known: int
    simulated: int


def simulate_sample(
    cache: ActionCache, tasks: Sequence[Task], actions: int, pairs: int, seed: int = 0
) -> list[Difference]:
    """Simulate random pairs of a task and an action, and find those that are known otherwise.

    The pairs are of a tenth as many tasks. Half of each task's are drawn from all actions, half
    from its known solutions, which would be rare among them.

    Args:
        cache: whose knowledge to check, with its backend.
        tasks: all of the cache's tier and known.
        actions: how many of the list.
        pairs: how many pairs to draw.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    some = rng.choice(len(tasks), min(len(tasks), -(-pairs // 10)), replace=False)
    rows = np.sort(rng.choice(some, pairs))
    numbers = rng.integers(0, actions, pairs)
    chosen = np.unique(rows)
    known = np.empty(pairs, np.int8)
    for row in chosen:
        outcomes = cache.known([tasks[row]], actions)[0]
        solutions = np.flatnonzero(outcomes == Outcome.SOLVED)
        places = np.flatnonzero(rows == row)
        if len(solutions):
            half = places[rng.random(len(places)) < 0.5]
            numbers[half] = rng.choice(solutions, len(half))
        known[places] = outcomes[numbers[places]]
    simulated = simulate_batch(
        SceneSet([tasks[row].scene for row in chosen]),
        np.searchsorted(chosen, rows),
        cache.actions(actions)[numbers],
        backend=cache.backend,
    ).outcome
    return [
        Difference(str(tasks[rows[k]].id), int(numbers[k]), int(known[k]), int(simulated[k]))
        for k in np.flatnonzero(known != simulated)
    ]


@cache
def committed() -> dict[str, Any]:
    """The manifest that comes with the package: engine, seed, and entries by tier."""
    data: dict[str, Any] = json.loads(MANIFEST.read_text())
    return data


def committed_entry(tier: str, template: str) -> Entry | None:
    """A template's entry in the manifest, if its cache was ever built."""
    row = committed()["tiers"].get(tier, {}).get(template)
    return None if row is None else Entry(**row)


def import_index(folder: Path, path: Path, pairs: int) -> SolutionIndex:
    """Copy an index into the folder of a cache, where caches find it; returns it.

    Args:
        folder: of the cache.
        path: the file to import.
        pairs: of published tasks and actions to simulate first.

    Raises:
        CacheError: The file is not an index, or one of another engine, or it is wrong.
    """
    index = read_index(path)
    if index.engine != engine_hash():
        raise CacheError(
            f"{path} is of engine {index.engine}, this one is {engine_hash()}: its outcomes may "
            "differ; export it with this version of Topple"
        )
    published = [task for task in map(_published, index.scenes) if task is not None]
    same = scene_digests(published)
    tasks = [task for task in published if same[str(task.id)] == index.scenes[str(task.id)]]
    cache = ActionCache(folder, Tier.parse(index.tier), seed=index.seed, indexes=[index])
    wrong = simulate_sample(cache, tasks, index.actions, pairs) if tasks and pairs else []
    if wrong:
        raise CacheError(f"{path} is wrong: {wrong[0]}, and {len(wrong) - 1} more of {pairs}")
    index.save(imported_path(folder, index))
    return index


def _published(task: str) -> Task | None:
    try:
        return load_task(task)
    except (UnknownTaskError, ValueError):
        return None
