"""A simulated study: participants who imagine with a known noise, which the fit recovers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from topple.phyre.analysis.people import task_candidates, tried_tasks
from topple.phyre.results import PhyreRecord
from topple.phyre.selection import Part, TaskSelection
from topple.reports.noise import CANDIDATES, EVERYBODY, PERCEPTS, NoiseFit, puzzle_likelihoods
from topple.runs.agent import HUMAN, Kind, Setting
from topple.runs.config import RunConfig
from topple.runs.runner import Runner

FEW = ("00002:017", "00003:057", "00008:462")
TASKS = (
    *("00000:046", "00002:017", "00003:057", "00013:179", "00015:014", "00017:007"),
    *("00002:050", "00004:415", "00007:241", "00008:462", "00011:872", "00017:058"),
)


def participant(noise: float, seed: int, tasks: Sequence[str], cache: Path) -> PhyreRecord:
    """Somebody who imagines, with up to three attempts at each task."""
    settings: dict[str, Setting] = {
        "engine": "exact",
        "constants_noise": 0.0,
        **dict.fromkeys(("place_noise", "angle_noise", "size_noise"), noise),
        "listed": 400,
        "imagined": 800,
        "solutions": 10,
        "finalists": 10,
        "searches": 1,
    }
    selection = TaskSelection(None, None, Part.STUDY, tuple(tasks), "study")
    config = RunConfig("imagine", selection, settings, attempts=3, seed=seed)
    record: PhyreRecord = Runner(cache).run(config)
    who = replace(config, agent=HUMAN, settings={}, variant=f"P-{noise:g}-{seed}")
    return replace(record, config=who, protocol={"attempts": 3})


def fitted(records: Sequence[PhyreRecord], levels: Sequence[float], percepts: int) -> NoiseFit:
    assert {record.kind for record in records} == {Kind.PEOPLE}
    puzzles = list(task_candidates(records, percepts, CANDIDATES, seed=0))
    assert [puzzle.name for puzzle in puzzles] == list(map(str, tried_tasks(records)))
    return NoiseFit.of(levels, [puzzle_likelihoods(puzzle, levels) for puzzle in puzzles])


def test_somebody_who_sees_well_is_told_from_somebody_who_does_not(tmp_path: Path) -> None:
    levels = (1.0, 16.0)
    fit = fitted([participant(noise, 0, FEW, tmp_path) for noise in levels], levels, percepts=8)
    assert [fit.best(f"P-{noise:g}-0") for noise in levels] == [1.0, 16.0]
    assert fit.puzzles == {"P-1-0": 3, "P-16-0": 3, EVERYBODY: 6}


@pytest.mark.slow
def test_the_noise_of_simulated_participants_is_recovered(tmp_path: Path) -> None:
    levels = (1.0, 4.0, 16.0)
    records = [participant(noise, seed, TASKS, tmp_path) for noise in levels for seed in (0, 1)]
    fit = fitted(records, levels, PERCEPTS)
    found = {record.config.variant: fit.best(record.config.variant) for record in records}
    assert found == {f"P-{noise:g}-{seed}": noise for noise in levels for seed in (0, 1)}
