"""The messages to a model on PHYRE: the rules, a task, and how its attempts went."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from topple.llm.answers import NOTE, AnswerError, Schema, object_schema
from topple.llm.messages import ANSWER_RULE, CALL_RULE
from topple.llm.phyre.feedback import Watched, feedback
from topple.llm.phyre.scene import goal_words, scene_lines
from topple.phyre.grid import Grid
from topple.phyre.task import Task
from topple.phyre.tier import Tier

_AXES = ("x", "y", "r")

_RULES = """\
You solve physics puzzles by placing {what} into a scene before the world starts to move.

The scene is a square of 256 x 256 pixels seen from the side. x grows from 0 at the left edge to \
256 at the right, y from 0 at the bottom to 256 at the top: y points up, against gravity. Pictures \
show it upright: their top edge is y = 256. Walls close it on all four sides. Everything is \
rigid. Bodies that move fall with 58.8 pixels per second squared (9.8 m/s2 at 6 pixels per metre), \
have equal density and friction, hardly bounce, and are at rest at the start; the others stay \
where they are. Your {balls} red and will move like the rest. Then you can do nothing more: the \
world runs by itself for at most {seconds:.1f} seconds.

A task is solved if its two goal bodies touch for {hold:g} seconds without a break. You have a \
limited number of attempts, and each starts from the same scene. The sooner an attempt solves the \
task, the better.

{action}
A placement that does not fit is not simulated and does not count as an attempt: every red ball \
must lie wholly inside the scene and overlap no body{apart}.

{answer}"""

_CONTINUOUS = """\
You choose numbers from 0 to 1. A ball's centre is at pixel (255 * x, 255 * y), cut to whole \
pixels, and its radius is 2 + 30 * r pixels, rounded: r = 0 is the smallest ball, of 2 pixels, \
and r = 1 the largest, of 32."""

_GRIDDED = """\
You choose whole numbers on a grid: x from 0 to {0}, y from 0 to {1} and r from 0 to {2}. Cell i \
of n means (i + 0.5) / n{radius}. A ball's centre is at pixel (255 * x, 255 * y), cut to whole \
pixels, and its radius is 2 + 30 * r pixels, rounded, with these values of x, y and r."""
_RADII = " for x and y, and the {0} values of r go evenly from 0.0625 to 1"


def rules_text(tier: Tier, hold: float, seconds: float, grid: Grid | None, tools: bool) -> str:
    """The rules, which are the same for all tasks of a tier."""
    two = tier is Tier.TWO_BALLS
    action = _CONTINUOUS
    if grid is not None:
        radius = _RADII.format(grid.radius) if grid.deepphy else ""
        action = _GRIDDED.format(*(cells - 1 for cells in grid.cells), radius=radius)
    ball = dict.fromkeys(_AXES, 0.5 if grid is None else 0)
    example = json.dumps({"balls": [ball] * tier.balls, "note": "why, in a few words"})
    form = (
        f'The answer has the form {example}. "note" may be left out; it is shown to you again in '
        "later attempts."
    )
    return _RULES.format(
        what="two red balls" if two else "one red ball",
        balls="balls are" if two else "ball is",
        seconds=seconds,
        hold=hold,
        action=action,
        apart=", and the two balls must be at least 1 pixel apart" if two else "",
        answer=f"{CALL_RULE if tools else ANSWER_RULE} {form}",
    )


def action_schema(tier: Tier, grid: Grid | None) -> Schema:
    """The form of an answer."""
    numbers: dict[str, Schema]
    if grid is None:
        numbers = {axis: {"type": "number", "minimum": 0, "maximum": 1} for axis in _AXES}
    else:
        numbers = {
            axis: {"type": "integer", "minimum": 0, "maximum": cells - 1}
            for axis, cells in zip(_AXES, grid.cells, strict=True)
        }
    ball = object_schema(numbers, *_AXES)
    balls = {"type": "array", "items": ball, "minItems": tier.balls, "maxItems": tier.balls}
    return object_schema({"balls": balls, "note": NOTE}, "balls")


def answer_action(answer: Any, grid: Grid | None) -> list[float]:
    """The action an answer means."""
    numbers = [ball[axis] for ball in answer["balls"] for axis in _AXES]
    return [float(number) for number in numbers] if grid is None else grid.action(numbers)


def misfit(action: Sequence[float]) -> AnswerError:
    """What to tell a model whose balls do not fit, with where they would have been."""
    balls = "; ".join(
        f"centre ({255 * x:.0f}, {255 * y:.0f}), radius {2 + 30 * r:.0f} px"
        for x, y, r in zip(action[::3], action[1::3], action[2::3], strict=True)
    )
    return AnswerError(
        f"the placement does not fit ({balls}): a ball leaves the scene, touches the other ball or "
        "overlaps a body"
    )


def task_text(task: Task, attempts: int, left: int, memory: Sequence[str]) -> str:
    """A task and what is known of it."""
    parts = [
        f"Goal: {goal_words(task.scene)}.",
        f"The bodies of the scene, in pixels and degrees:\n{scene_lines(task.scene)}",
    ]
    made = attempts - left
    if memory:
        which = f"your last {len(memory)}" if len(memory) < made else "all so far"
        parts.append(f"Earlier attempts ({which}):\n" + "\n".join(memory))
    return "\n\n".join([*parts, question_text(attempts, left)])


def question_text(attempts: int, left: int) -> str:
    """The question itself."""
    return f"This is attempt {attempts - left + 1} of {attempts}. Where do you place what?"


def attempt_text(seen: Watched, answer: Any, level: str) -> str:
    """An earlier attempt: its answer and what came of it."""
    lines = [f"  {line}" for line in feedback(seen, level)]
    return "\n".join([f"Attempt {seen.number}: {json.dumps(answer)}", *lines])
