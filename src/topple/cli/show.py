"""`topple show`: a picture of a PHYRE task, an attempt or a solution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli.options import Size, out_file
from topple.cli.output import Output
from topple.cli.select_tasks import Puzzle, find_puzzle, parse_action
from topple.media.files import DEFAULT_FPS, ENDINGS, save_frames, save_png
from topple.phyre import Simulator, Tier
from topple.phyre.frames import DEFAULT_SIZE
from topple.phyre.pictures import film, outcome, picture

HOLD_SECONDS = 1.0  # for which a GIF shows its last frame
SEARCHED = 10_000  # actions of the fixed list that --solve tries


def show(
    puzzle: Annotated[str, typer.Argument(metavar="TASK")],
    action: list[str] | None = None,
    solve: Annotated[
        bool,
        typer.Option(
            "--solve", help=f"Use the first of {SEARCHED:,} actions that solves the task."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        out_file(
            "the picture: .png for the initial scene, .gif or .mp4 for the simulation",
            *ENDINGS,
        ),
    ] = None,
    number: int = 0,
    size: Size = DEFAULT_SIZE,
    fps: int = DEFAULT_FPS,
) -> Output:
    """Describe a task and draw it, an attempt at it, or a solution.

    Without --out, only the description and the outcome are printed.

    Options:
        puzzle: Task id such as 00001:000, scene file (.json) or template file (.py).
        action: Position and size of a ball as x,y,radius, each from 0 to 1. Repeat it for a second
            ball.
        number: Number of the task within a template file.
        fps: Frames per second; a divisor of 60.

    Examples:
      topple show 00001:000 --out task.png
      topple show 00001:000 --action 0.6,0.8,0.2 --out attempt.gif
      topple show 00104:000 --action 0.2,0.8,0.2 --action 0.7,0.9,0.1 --out attempt.mp4
      topple show bridge.py --solve --out solution.gif
    """
    found = find_puzzle(puzzle, number)
    balls = parse_action(action or ())
    if balls and solve:
        raise ValueError("give --action or --solve, not both")
    if solve:
        balls = _solution(found)
    _check_balls(found, balls)
    facts = _facts(found, balls)
    if out is not None and out.suffix.lower() != ".png":
        watched = film(found.scene, balls, size, fps)
        facts["outcome"] = watched.outcome.name.lower()
        save_frames(watched.frames, out, fps, HOLD_SECONDS)
    else:
        if balls:
            facts["outcome"] = outcome(found.scene, balls).name.lower()
        if out is not None:
            save_png(picture(found.scene, balls, size), out)
    if out is not None:
        facts["file"] = str(out)
    return Output(facts, *(f"{name}: {value}" for name, value in facts.items()))


def _solution(puzzle: Puzzle) -> list[float]:
    tier = puzzle.task.tier if puzzle.task else Tier.BALL
    if puzzle.scene.goal is None:
        raise ValueError(f"{puzzle.name} has no goal to solve")
    found = Simulator(puzzle.scene, tier).solutions(0, budget=SEARCHED)
    if not len(found):
        raise ValueError(f"none of {SEARCHED:,} actions solves {puzzle.name}")
    return [float(value) for value in found[0]]


def _check_balls(puzzle: Puzzle, balls: list[float]) -> None:
    if balls and puzzle.task is not None and len(balls) != puzzle.task.tier.action_size:
        raise ValueError(
            f"{puzzle.name} takes {puzzle.task.tier.action_size} numbers, x, y and radius of "
            f"{puzzle.task.tier.balls} ball(s), not {len(balls)}"
        )


def _facts(puzzle: Puzzle, balls: list[float]) -> dict[str, Any]:
    facts: dict[str, Any] = {"puzzle": puzzle.name, "bodies": len(puzzle.scene.bodies)}
    if puzzle.task is not None:
        facts["tier"] = puzzle.task.tier.value
        facts["description"] = puzzle.description
        facts["parameters"] = dict(puzzle.task.parameters)
    if balls:
        facts["action"] = balls
    return facts
