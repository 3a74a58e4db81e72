"""Pictures of puzzles and attempts, published or your own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.media.files import DEFAULT_FPS, DrawnFrames, Frame
from topple.media.sheet import contact_sheet
from topple.phyre.engine.balls import with_action
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.physics import Physics
from topple.phyre.engine.request import MAX_STEPS, Request
from topple.phyre.engine.result import Outcome
from topple.phyre.frames import DEFAULT_SIZE, draw_scene, draw_states, start_poses
from topple.phyre.scene import Scene
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

SHEET_SIZE = 192  # pixels, of one puzzle in a sheet
SHEET_COLUMNS = 5


class Film(NamedTuple):
    """An attempt to watch."""

    outcome: Outcome
    frames: DrawnFrames  # the start, then one for each `stride` steps


def check_action(action: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """An action as an array, if its numbers lie between 0 and 1."""
    row = np.asarray(action, dtype=np.float64)
    if row.ndim != 1 or len(row) not in (0, *(tier.action_size for tier in Tier)):
        raise ValueError(
            f"an action has 3 numbers (x, y, radius) for each of one or two balls, "
            f"this one has shape {list(row.shape)}"
        )
    if not ((row >= 0) & (row <= 1)).all():
        raise ValueError(f"the numbers of an action lie between 0 and 1, not {row.tolist()}")
    return row


def picture(scene: Scene, action: npt.ArrayLike = (), size: int = DEFAULT_SIZE) -> Frame:
    """A scene before the first step, with the balls of an action if there are any.

    Raises:
        InvalidActionError: The balls do not fit.
    """
    return draw_scene(with_action(scene, check_action(action)), size)


def outcome(scene: Scene, action: npt.ArrayLike) -> Outcome:
    """What becomes of an attempt.

    Raises:
        InvalidActionError: The balls do not fit.
    """
    with_action(scene, check_action(action))
    result = simulate_batch(SceneSet([scene]), [0], check_action(action)[None])
    return Outcome(int(result.outcome[0]))


def film(
    scene: Scene,
    action: npt.ArrayLike = (),
    size: int = DEFAULT_SIZE,
    fps: int = DEFAULT_FPS,
    max_steps: int = MAX_STEPS,
    physics: Physics | None = None,
) -> Film:
    """Simulate an attempt and draw it, ``fps`` frames for each second of the world.

    A solved attempt ends when the goal has held long enough. With no action nothing is
    added, and the scene runs by itself.

    Args:
        scene: where the attempt is made.
        action: the balls that are added; none by default.
        size: of the frames, in pixels.
        fps: frames for each second.
        max_steps: after which it ends, counted in steps of PHYRE.
        physics: others than those of PHYRE, to see what they would lead to.

    Raises:
        InvalidActionError: The balls do not fit.
        ValueError: The frames do not divide the steps of a second.
    """
    own = physics or Physics()
    steps = round(1 / own.time_step)
    if fps < 1 or steps % fps:
        raise ValueError(f"{fps} frames a second do not divide {steps} steps a second")
    whole = with_action(scene, check_action(action))
    request = Request(max_steps=own.steps(max_steps), stride=steps // fps, states=True)
    result = simulate_batch(
        SceneSet([scene]), [0], check_action(action)[None], request, physics=physics
    )
    assert result.states is not None  # asked for above
    states = result.states[0, : result.frame_count[0], :, :3]
    shown = np.concatenate([start_poses(whole)[None], states])
    return Film(Outcome(int(result.outcome[0])), draw_states(whole, shown, size))


def tier_sheet(
    tier: Tier,
    tasks_per_template: int = 1,
    size: int = SHEET_SIZE,
    columns: int | None = None,
) -> Frame:
    """A contact sheet of a tier: the first published tasks of each of its 25 templates.

    Args:
        tier: whose templates.
        tasks_per_template: 1 gives the paper's Figures 7 and 8, captioned with templates;
            5 gives rows like its Figure 9, captioned with tasks.
        size: pixels, of one puzzle.
        columns: puzzles in a row; by default 5, or all of a template.
    """
    if tasks_per_template < 1:
        raise ValueError(f"a sheet has 1 or more tasks of a template, not {tasks_per_template}")
    tasks = [
        load_task(task_id)
        for template_id in tier.template_ids
        for task_id in template_task_ids(template_id)[:tasks_per_template]
    ]
    single = tasks_per_template == 1
    labels = [task.id.template if single else str(task.id) for task in tasks]
    across = columns or (SHEET_COLUMNS if single else tasks_per_template)
    return contact_sheet([draw_scene(task.scene, size) for task in tasks], labels, across)


def puzzle_sheet(scenes: Sequence[Scene], size: int = SHEET_SIZE) -> Frame:
    """A contact sheet of scenes, captioned with their names."""
    names = [scene.name for scene in scenes]
    return contact_sheet([draw_scene(scene, size) for scene in scenes], names, 2 * SHEET_COLUMNS)
