"""Attempts of run records as small moving pictures, in the pixels agents see."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

import numpy as np
from PIL import Image

from topple.experiments.store import RunRecord
from topple.phyre.attempt import Attempt
from topple.phyre.task import Task, load_task
from topple.physics.native import SceneSet, simulate_batch
from topple.physics.params import STEPS_PER_SECOND, Request
from topple.reports.html import Clip

STRIDE = 6  # steps between frames: ten frames a second
LAST_FRAME_MS = 1500
# White, red, green, blue, purple, gray, black: the colour codes in order.
_PALETTE = (
    (255, 255, 255),
    (243, 79, 70),
    (107, 206, 187),
    (24, 119, 242),
    (75, 74, 164),
    (185, 202, 210),
    (0, 0, 0),
)


def film(task: Task, action: Iterable[float]) -> bytes:
    """An attempt as a GIF."""
    request = Request(stride=STRIDE, images=True)
    result = simulate_batch(SceneSet([task.scene]), [0], [list(action)], request)
    assert result.images is not None
    frames = []
    for codes in result.images[0, : int(result.frame_count[0])]:
        frame = Image.fromarray(np.ascontiguousarray(codes[::-1]))  # row 0 is the bottom one
        frame.putpalette([channel for color in _PALETTE for channel in color])
        frames.append(frame)
    pause = 1000 * STRIDE // STEPS_PER_SECOND
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[pause] * (len(frames) - 1) + [LAST_FRAME_MS],
        loop=0,
    )
    return buffer.getvalue()


def sample_clips(records: Iterable[RunRecord], count: int) -> Iterator[Clip]:
    """Films of some attempts: solutions, spread over templates and agents.

    Records that were written without their attempts have none to show.
    """
    solutions: dict[tuple[str, str], tuple[RunRecord, Attempt, int]] = {}
    for record in records:
        tries: dict[object, int] = {}
        for attempt in record.attempts:
            tries[attempt.task] = tries.get(attempt.task, 0) + 1
            key = (attempt.task.template, record.config.label)
            if attempt.outcome.is_solved and key not in solutions:
                solutions[key] = (record, attempt, tries[attempt.task])
    chosen = [solutions[key] for key in sorted(solutions)]
    places = np.unique(np.linspace(0, len(chosen) - 1, min(count, len(chosen))).astype(int))
    for record, attempt, number in (chosen[place] for place in places):
        caption = f"{record.config.label}, task {attempt.task}, attempt {number}: solved"
        yield Clip(caption, film(load_task(attempt.task), attempt.action))
