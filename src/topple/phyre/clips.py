"""Attempts of run records as small moving pictures."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from topple.media.files import save_frames
from topple.phyre.attempt import Attempt
from topple.phyre.pictures import film
from topple.phyre.results import PhyreRecord
from topple.phyre.task import TaskId, load_task
from topple.reports.html import Clip

SIZE = 256  # pixels
FPS = 10
HOLD = 1.5  # seconds on the last frame


def filmed(attempt: Attempt) -> bytes:
    """An attempt as a GIF."""
    frames = film(load_task(attempt.task).scene, attempt.action, SIZE, FPS).frames
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "attempt.gif")
        save_frames(frames, file, FPS, HOLD)
        return file.read_bytes()


def sample_clips(records: Iterable[PhyreRecord], count: int) -> Iterator[Clip]:
    """Films of some attempts: solutions, spread over templates and agents.

    Records that were written without their attempts have none to show.
    """
    solutions: dict[tuple[str, str], tuple[Attempt, int]] = {}
    for record in records:
        tries: Counter[TaskId] = Counter()
        for attempt in record.results.attempts:
            tries[attempt.task] += 1
            key = (attempt.task.template, record.config.title)
            if attempt.outcome.is_solved and key not in solutions:
                solutions[key] = (attempt, tries[attempt.task])
    chosen = sorted(solutions)
    places = np.unique(np.linspace(0, len(chosen) - 1, min(count, len(chosen))).astype(int))
    for key in (chosen[place] for place in places):
        attempt, number = solutions[key]
        yield Clip(f"{key[1]}, task {attempt.task}, attempt {number}: solved", filmed(attempt))
