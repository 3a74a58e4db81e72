"""The protocol of DeepPHY (Xu et al., 2025) on I-PHYRE, as its published code runs it.

A vision-language model sees the start of a game with its gray blocks numbered from 0, and answers
with a list of times and numbers of blocks. What matters of it is kept:

- there are 10 attempts, and one without a list is spent;
- the game runs at 10 Hz; removals are carried out in the order of their times, each at its time
  or after the one before it, and a time of 0 is the first tenth of a second;
- a number beyond the last block means the last block;
- the model is told its earlier lists and that they failed, no more, with pictures of the last five
  attempts: five frames each, evenly spaced after the last removal;
- in the form with predictions (``deepphy-wm``), it first says what it expects.

What differs: the words of the prompt are our own; numbers are drawn by our own code; the published
script takes a reward of 900 for success, which is success here; and a reply that is no JSON is not
read as Python.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from topple.iphyre.episode import Episode
from topple.iphyre.game import Game
from topple.iphyre.plan import Elimination, Plan
from topple.llm.answers import Schema, check, find_list, object_schema, parse_json
from topple.llm.iphyre.feedback import WatchedPlay
from topple.llm.iphyre.pictures import draw_play, numbered_blocks
from topple.llm.messages import Picture, evenly_spaced
from topple.llm.puzzle import Flow, Question
from topple.llm.reply import Reply

if TYPE_CHECKING:
    from topple.llm.iphyre.agent import IphyrePuzzle

NAME = "deepphy"
WORLD_MODEL = "deepphy-wm"
_PICTURED_PLAYS = 5
_FRAMES = 5
_MAX_ENTRIES = 100
_LONGEST_PREDICTION = 1000  # characters
_FENCE = re.compile(r"```(?:json)?\s*(\[.*?\])\s*```", re.DOTALL)
_PREDICTION = re.compile(r"Prediction\s*:\s*(.*?)(?=\nAction\s*:|\Z)", re.I | re.DOTALL)
_SCHEMA: Schema = {
    "type": "array",
    "maxItems": _MAX_ENTRIES,
    "minItems": 1,
    "items": object_schema(
        {
            "time": {"type": "number", "minimum": -1000, "maximum": 1000},
            "index": {"type": "integer", "minimum": 0},
        },
        *("time", "index"),
    ),
}

_RULES = """\
You are an expert in physics puzzles in two dimensions. You make red balls fall into the abyss \
below the scene by removing gray blocks at the right times.

- The goal is reached when all red balls are in the abyss.
- Only gray blocks can be removed. Gray and black blocks are fixed.
- Blue blocks move by gravity; springs and rigid sticks may hold them.
{steps}
Answer with a JSON array of removals. Each has
- "time": when, from 0.0 to 15.0 seconds, with one decimal
- "index": the number of the block, from 0 to {last}, as the picture shows it
There are {count} gray blocks that can be removed.

{form}"""
_STEPS = """
There are two steps: first predict what will happen because of your removals, then give them.
"""
_EXAMPLE = """\
```json
[
    {"time": 0.5, "index": 2},
    {"time": 2.1, "index": 0}
]
```"""
_FIRST = (
    "Look at the scene, think about how the balls move, what each removal sets off and when, and "
    "give the removals."
)


def flow(puzzle: IphyrePuzzle) -> Flow:
    """Ask for removals ten times, or until they solve the game."""
    game, predicts = puzzle.game, puzzle.settings.preset == WORLD_MODEL
    form = f"Reply with it in this form:\n{_EXAMPLE}"
    if predicts:
        form = f"Reply in this form:\nPrediction: [what will happen]\nAction:\n{_EXAMPLE}"
    count = len(game.eliminable)
    rules = _RULES.format(steps=_STEPS if predicts else "", last=count - 1, count=count, form=form)
    history: list[str] = []
    said = [""]

    def read(reply: Reply) -> Any:
        text = reply.choice().text
        found = _PREDICTION.search(text) if predicts else None
        said[0] = found[1].strip()[:_LONGEST_PREDICTION] if found else ""
        return read_removals(text)

    for number in range(1, puzzle.testing.log.limit + 1):
        text = news = _FIRST
        if history:
            ask = (
                "Find out from this and the pictures what went wrong: times, order, or what you "
                "expected of the physics. Give other removals, as few as possible."
            )
            text = "Your earlier attempts failed:\n" + "\n".join(history) + f"\n\n{ask}"
            news = f"{history[-1]}\n\n{ask}"
        made = yield from puzzle.ask(
            Question(
                *(rules, text, news, _SCHEMA, partial(plan_of, game)),
                lambda: _pictures(puzzle, _PICTURED_PLAYS),
                lambda: _pictures(puzzle, 1)[1:],
                read,
                reasks=0,
            )
        )
        plan = Plan() if made is None else made.value
        puzzle.testing.play(game, plan)
        seen = puzzle.watch_last()
        removals = json.dumps(made.answer) if made is not None else "nothing that can be read"
        told = f"Attempt {number}: {removals}: failed."
        history.append(f"{told} You predicted: {said[0] or 'nothing'}" if predicts else told)
        puzzle.add(seen, history[-1])
        puzzle.result = f"attempt {number}: reward {seen.score.reward:.1f}"
        if puzzle.solved:
            return


def read_removals(text: str) -> Any:
    """The list of removals in a reply: a fenced one, or what stands between the outer brackets.

    Raises:
        AnswerError: there is none.
    """
    fenced = _FENCE.search(text)
    found = parse_json(fenced[1]) if fenced else find_list(text)
    answer = [
        {name: value for name, value in item.items() if name in ("time", "index")}
        for item in found
        if isinstance(item, dict)
    ]
    check(answer, _SCHEMA)
    return answer


def plan_of(game: Game, removals: Any, hz: int = 10) -> Plan:
    """The plan that the published clock makes of removals: at most one each tick."""
    blocks = game.eliminable
    wanted = sorted(
        ((float(item["time"]), blocks[min(item["index"], len(blocks) - 1)]) for item in removals),
        key=lambda entry: entry[0],
    )
    plan: list[Elimination] = []
    clock, tick = 0.0, 0
    while wanted and clock < 15:
        time, body = wanted[0]
        if clock >= (time if time > 0 else 1 / hz + time):
            wanted.pop(0)
            if body not in {elimination.body for elimination in plan}:
                plan.append(Elimination(tick, body))
        clock += 1 / hz
        tick += 1
    return Plan(tuple(plan))


def _pictures(puzzle: IphyrePuzzle, plays: int) -> list[Picture]:
    world = Episode(puzzle.game, puzzle.testing.rules).world
    shown = [
        ("The start, with the numbers of the gray blocks:", numbered_blocks(puzzle.game, world))
    ]
    for seen in puzzle.seen[-plays:]:
        shown += _frames(seen)
    return shown


def _frames(seen: WatchedPlay) -> list[Picture]:
    """Frames of a play, evenly spaced after its last removal."""
    last = len(seen.trace.poses) - 1
    gone = seen.plan.eliminations
    start = min(gone[-1].tick + 1 if gone else 1, last)
    hz = seen.rules.hz
    ticks = [start, *(start + step for step in evenly_spaced(last - start, _FRAMES - 1))]
    return [
        (f"Attempt {seen.number} after {tick / hz:.1f} s:", draw_play(seen, tick / hz, False))
        for tick in dict.fromkeys(ticks)
    ]
