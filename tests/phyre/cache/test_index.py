"""Solution indexes: small, lossless, and of this engine and these tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topple.phyre import Task, Tier, template_tasks, tier_tasks
from topple.phyre.cache import ActionCache, CacheError, SolutionIndex, grid, read_index
from topple.phyre.cache.grid import scene_digests
from topple.phyre.cache.index import imported_path, make_index, shipped_index
from topple.phyre.cache.solution_codec import decode_solutions, encode_solutions
from topple.phyre.cache.verify import committed_entry, entry_of, simulate_sample
from topple.phyre.engine.native import simulate_batch
from topple.phyre.engine_hash import engine_hash

LISTED = 100_000
MOST_BYTES = 4_000_000  # both tiers together


def small_index(tasks: list[Task], count: int) -> SolutionIndex:
    """What a simulation says of some tasks."""
    solutions = ActionCache(Path("nowhere"), Tier.BALL).solutions(tasks, count)
    return make_index(engine_hash(), Tier.BALL, 42, count, scene_digests(tasks), solutions)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many attempts each simulation of a grid made."""
    calls: list[int] = []

    def counting(scenes: object, rows: list[int], *rest: object, **options: object) -> object:
        calls.append(len(rows))
        return simulate_batch(scenes, rows, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(grid, "simulate_batch", counting)
    return calls


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 130), st.integers(1, 300), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_coding_is_lossless(tasks: int, actions: int, share: float, seed: int) -> None:
    solved = np.random.default_rng(seed).random((tasks, actions)) < share
    starts = np.concatenate([[0], np.cumsum(solved.sum(axis=1))])
    numbers = np.nonzero(solved)[1].astype(np.int32)
    payload = encode_solutions(numbers, starts, actions)
    decoded = decode_solutions(payload, tasks, actions)
    assert np.array_equal(decoded[0], numbers)
    assert np.array_equal(decoded[1], starts)
    with pytest.raises(ValueError, match="missing"):
        decode_solutions(payload, tasks + 200, actions)


@pytest.mark.parametrize("tier", list(Tier))
def test_the_package_covers_all_published_tasks(tier: Tier) -> None:
    index = shipped_index(tier)
    assert (index.engine, index.tier, index.seed) == (engine_hash(), tier.value, 42)
    assert index.actions == LISTED
    assert index.scenes == scene_digests(tier_tasks(tier))
    entries = [committed_entry(tier.value, template) for template in tier.template_ids]
    assert len(index.numbers) == sum(entry.solved for entry in entries if entry is not None)
    folder = Path(grid.__file__).parent
    assert sum(path.stat().st_size for path in folder.glob("*.solutions")) <= MOST_BYTES


@pytest.mark.parametrize("tier", list(Tier))
def test_a_thousand_pairs_are_as_simulated(tier: Tier, tmp_path: Path) -> None:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    found = simulate_sample(ActionCache(tmp_path, tier), tier_tasks(tier), LISTED, 1000, seed)
    assert not found, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("tier", list(Tier))
def test_all_outcomes_have_the_committed_hashes(tier: Tier, tmp_path: Path) -> None:
    cache = ActionCache(tmp_path, tier)
    for template in tier.template_ids:
        found = entry_of(cache, template_tasks(template), LISTED)
        assert found == committed_entry(tier.value, template), template


def test_known_solutions_need_no_simulation(tmp_path: Path, simulated: list[int]) -> None:
    tasks = [*template_tasks("00001")[:3], *template_tasks("00004")[:2]]
    cache = ActionCache(tmp_path, Tier.BALL)
    outcomes = cache.outcomes(tasks, 300)
    solutions = cache.solutions(tasks, 300)
    cache.outcomes(tasks[:1], LISTED)
    assert not simulated
    assert not list(tmp_path.iterdir())
    assert np.array_equal(
        outcomes, ActionCache(tmp_path, Tier.BALL, indexes=()).outcomes(tasks, 300)
    )
    for row, numbers in zip(outcomes, solutions, strict=True):
        assert np.array_equal(np.flatnonzero(row == 1), numbers)


def test_only_what_no_index_covers_is_simulated(tmp_path: Path, simulated: list[int]) -> None:
    tasks = template_tasks("00001")[:4]
    index = small_index(list(tasks[:2]), 20)
    cache = ActionCache(tmp_path, Tier.BALL, indexes=[index])
    outcomes = cache.outcomes(tasks, 30)
    assert sum(simulated) == 2 * 10 + 2 * 30
    assert np.array_equal(outcomes, ActionCache(tmp_path / "x", Tier.BALL).outcomes(tasks, 30))
    assert cache.solutions(tasks[:2], 20)[1].tolist() == index.solutions(str(tasks[1].id)).tolist()


@pytest.mark.parametrize(
    "change",
    [
        lambda index: replace(index, engine="0" * 16),
        lambda index: replace(index, seed=43),
        lambda index: replace(index, scenes=dict.fromkeys(index.scenes, "0" * 16)),
    ],
)
def test_indexes_of_something_else_are_not_used(
    change: Callable[[SolutionIndex], SolutionIndex], tmp_path: Path, simulated: list[int]
) -> None:
    tasks = template_tasks("00001")[:2]
    index = change(small_index(list(tasks), 20))
    ActionCache(tmp_path, Tier.BALL, indexes=[index]).outcomes(tasks, 20)
    assert sum(simulated) == 40


@pytest.mark.parametrize("damage", ["cut", "flipped", "no header", "empty", "format", "tasks"])
def test_damaged_indexes_are_refused(damage: str, tmp_path: Path) -> None:
    index = small_index(list(template_tasks("00001")[:3]), 200)
    path = imported_path(tmp_path, index)
    index.save(path)
    assert np.array_equal(read_index(path).numbers, index.numbers)
    content = path.read_bytes()
    line, payload = content.split(b"\n", 1)
    header = json.loads(line)
    more = {**header, "scenes": {**header["scenes"], "00001:999": "0" * 16}}
    path.write_bytes(
        {
            "cut": content[:-7],
            "flipped": content[:-20] + bytes([content[-20] ^ 4]) + content[-19:],
            "no header": content[20:],
            "empty": b"",
            "format": json.dumps({**header, "format": 2}).encode() + b"\n" + payload,
            "tasks": json.dumps(more).encode() + b"\n" + payload,
        }[damage]
    )
    with pytest.raises(CacheError, match="format 2" if damage == "format" else "is damaged"):
        ActionCache(tmp_path, Tier.BALL).outcomes(template_tasks("00001")[:1], 10)
