"""The protocol of DeepPHY (Xu et al., 2025) on PHYRE, as its published code runs it.

A vision-language model sees a picture of the scene and the same picture under a numbered grid,
and answers with a cell and one of a few radii. What matters of it is kept:

- cells are numbered from 1, row by row from the top left; a ball lies in the middle of its cell;
- radii go evenly from 1/16 to 1 of the range of an action;
- there are 10 attempts, and one that cannot be read or does not fit is spent, too;
- the model is told its earlier choices and that each failed or was invalid, no more, with pictures
  of the last five attempts: their first five frames, one a second;
- it is not told that the goal has to be held for three seconds, nor where bodies are in numbers;
- in the form with predictions (``-wm``), it first says what it expects, and is shown it again.

The paper has a grid of 5 x 5 with 5 radii, its code one of 8 x 8 with 8. What differs: the words
of the prompt are our own, and AUCCESS counts attempts that fit the scene, as everywhere in PHYRE.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from topple.llm.answers import AnswerError, object_schema
from topple.llm.messages import Picture
from topple.llm.phyre.feedback import Watched
from topple.llm.phyre.pictures import LABELLED, numbered
from topple.llm.puzzle import Flow, Question
from topple.llm.reply import Reply
from topple.phyre.frames import draw_scene, draw_states
from topple.phyre.grid import Grid

if TYPE_CHECKING:
    from topple.llm.phyre.agent import PhyrePuzzle

NAME = "deepphy"
WORLD_MODEL = "-wm"  # ends the names of presets with predictions
_PICTURED_ATTEMPTS = 5
_FRAMES = 5  # of an attempt, one a second
_LONGEST_PREDICTION = 1000  # characters
_ACTION = re.compile(r"Cell[:=\s]*(\d{1,6}).*?Radius[:=\s]*(\d{1,6})", re.I | re.DOTALL)
_PREDICTION = re.compile(r"Prediction\s*:\s*(.*?)(?:Action\s*:|\Z)", re.I | re.DOTALL)

_RULES = """\
You are an expert in physics puzzles. You look at a scene and decide where to put one more object \
so that a goal is reached.

Colours:
- red: the ball that you place; it moves
- green: the moving object that matters
- blue: a target that moves
- purple: a target that is fixed
- gray: other objects that move
- black: obstacles that are fixed

Goal: place one red ball so that, by whatever it sets off, the green object touches the blue or \
the purple one.
{steps}
An action has two numbers:
- Cell: a cell of the grid, from 1 to {cells}
- Radius: a size, from 1 (smallest) to {radii} (largest)

An action is valid only if the red ball overlaps nothing and lies wholly inside the scene.

{form}"""
_STEPS = """
There are two steps: first predict what will happen because of your action, then give the action.
"""
_FORM = """\
Reply with one line of exactly this form and nothing else:
Cell: [NUMBER], Radius: [NUMBER]
For example: Cell: 13, Radius: 3"""
_FORM_WM = """\
Reply in exactly this form and with nothing else:
Prediction: [what will happen, in short]
Action: Cell: [NUMBER], Radius: [NUMBER]
For example:
Prediction: The red ball drops onto the black bar, rolls right and pushes the green ball.
Action: Cell: 13, Radius: 3"""
_FIRST = "Look at the scene, think about how to solve it, and give your action."


class Choice(NamedTuple):
    """What a model chose."""

    cell: int
    radius: int
    prediction: str


def read_choice(text: str, grid: Grid) -> Choice:
    """The choice in a reply.

    Raises:
        AnswerError: there is none, or no such cell or radius.
    """
    found = _ACTION.search(text)
    if found is None:
        raise AnswerError("there is no cell with a radius in the reply")
    cell, radius = int(found[1]), int(found[2])
    if not 1 <= cell <= grid.x * grid.y or not 1 <= radius <= grid.radius:
        raise AnswerError(
            f"cell {cell} and radius {radius} have to be 1 to {grid.x * grid.y} and 1 to "
            f"{grid.radius}"
        )
    said = _PREDICTION.search(text)
    prediction = said[1].strip()[:_LONGEST_PREDICTION] if said else ""
    return Choice(cell, radius, prediction)


def action_of(choice: Choice, grid: Grid) -> list[float]:
    """The action of a choice."""
    row, column = divmod(choice.cell - 1, grid.x)
    return grid.action((column, grid.y - 1 - row, choice.radius - 1))


def flow(puzzle: PhyrePuzzle) -> Flow:
    """Ask for an action ten times, or until one solves the task."""
    grid, history = puzzle.settings.action_grid, list[str]()
    assert grid is not None  # the preset has one
    predicts = puzzle.settings.preset.endswith(WORLD_MODEL)
    chosen: list[Choice] = []

    def read(reply: Reply) -> Any:
        chosen.append(read_choice(reply.choice().text, grid))
        return chosen[-1]._asdict()

    def accept(answer: Any) -> list[float]:
        return puzzle.checked(action_of(Choice(**answer), grid))

    for number in range(1, puzzle.testing.log.limit + 1):
        chosen.clear()
        question = _question(puzzle, grid, history, predicts)
        made = yield from puzzle.ask(
            Question(
                *question,
                _SCHEMA,
                accept,
                lambda: _pictures(puzzle, grid),
                lambda: _frames(puzzle.seen[-1:]),
                read,
                reasks=0,
            )
        )
        puzzle.result = f"turn {number}: invalid"
        if made is not None:
            yield from puzzle.attempt(made.value, made.answer)
        history.append(_told(number, chosen[-1] if chosen else None, made is not None, predicts))
        if puzzle.solved:
            return


_SCHEMA = object_schema(
    {
        "cell": {"type": "integer", "minimum": 1},
        "radius": {"type": "integer", "minimum": 1},
        "prediction": {"type": "string", "maxLength": _LONGEST_PREDICTION},
    },
    *("cell", "radius"),
)


def _question(
    puzzle: PhyrePuzzle, grid: Grid, history: Sequence[str], predicts: bool
) -> tuple[str, str, str]:
    """The rules, the whole question, and what is new."""
    rules = _RULES.format(
        steps=_STEPS if predicts else "",
        cells=grid.x * grid.y,
        radii=grid.radius,
        form=_FORM_WM if predicts else _FORM,
    )
    if not history:
        return rules, _FIRST, _FIRST
    pictured = min(len(puzzle.seen), _PICTURED_ATTEMPTS)
    shown = f" Pictures of your last {pictured} attempts follow." if pictured else ""
    ask = (
        f"Find out from them what went wrong, and give a new and better action, none of those "
        f"before.{shown} Keep to the form that was asked for."
    )
    told = "Your earlier attempts failed:\n" + "\n".join(history)
    return rules, f"{told}\n\n{ask}", f"{history[-1]}\n\n{ask}"


def _told(number: int, choice: Choice | None, valid: bool, predicts: bool) -> str:
    what = (
        "nothing that can be read"
        if choice is None
        else (f"cell {choice.cell}, radius {choice.radius}")
    )
    text = f"Attempt {number}: {what}: {'failed' if valid else 'invalid action'}."
    if predicts and choice is not None:
        text += f" You predicted: {choice.prediction or 'nothing'}"
    return text


def _pictures(puzzle: PhyrePuzzle, grid: Grid) -> list[Picture]:
    scene = draw_scene(puzzle.task.scene, LABELLED)
    return [
        ("The scene at the start:", scene),
        (f"The same under a grid of {grid.x} x {grid.y}:", numbered(scene, grid.x, grid.y)),
        *_frames(puzzle.seen[-_PICTURED_ATTEMPTS:]),
    ]


def _frames(attempts: Sequence[Watched]) -> list[Picture]:
    """The first frames of attempts."""
    pictures = []
    for seen in attempts:
        states = seen.states[: 4 * _FRAMES : 4]  # one a second
        for second, frame in enumerate(draw_states(seen.scene, states, LABELLED)):
            pictures.append((f"Attempt {seen.number} after {second} s:", frame))
    return pictures
