"""The GPT-4 baseline of the I-PHYRE paper (appendix G), as its published script ran it.

One zero-shot question per game, and one play. What is odd about it is kept:

- two completions are asked for, at temperature 0.5 and 512 tokens, and the second is used;
- the scene is the 12 x 9 table printed as an array, rows of zeros included;
- the prompt says that y runs from the bottom up, but in the table it runs down;
- blocks are named by an index from 0 to 5, and the prompt does not say of what: it counts the
  gray blocks. A larger one means 5, and an index without a block is a step of doing nothing;
- the list is carried out in its own order: an entry waits for its time and for those before it;
  a time of 0 is carried out before the first step;
- the game runs at 10 Hz, in a space where the scene was built three times, for 151 steps;
- success is not looked at after a step that carries out an entry: if all balls are out then, the
  episode goes on and earns 1000 again at the next step.

What differs: the words of the prompt are our own; a reply is read as JSON and not evaluated as
Python, and one without a readable list is a play without removals, where the script ended. A
server that sends only one completion has that one used.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from topple.iphyre.episode import Episode
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.observe import object_table
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.play_log import Play
from topple.iphyre.rules import SECONDS, Rules
from topple.iphyre.score import Score
from topple.llm.answers import Schema, check, find_list, object_schema
from topple.llm.puzzle import Flow, Question
from topple.llm.reply import Reply

if TYPE_CHECKING:
    from topple.llm.iphyre.agent import IphyrePuzzle

NAME = "iphyre-gpt4"
OPTIONS = {"temperature": 0.5, "max_tokens": 512, "n": 2}
USED = 1  # which completion, from 0
RULES = Rules(hz=10, builds=3)

_MAX_ENTRIES = 1000
_SCHEMA: Schema = {
    "type": "array",
    "maxItems": _MAX_ENTRIES,
    "items": object_schema(
        {"time": {"type": "number"}, "index": {"type": "integer", "minimum": 0}},
        *("time", "index"),
    ),
}

_BEFORE = """\
In a square two-dimensional world of 600 by 600 there are blocks and balls. Remove the blocks \
that can be removed so that the ball falls into the abyss. There are 15.0 seconds.

All objects are given by the rows of an array.
A block: [x1, y1, x2, y2, radius, eli, dynamic, joint, spring], with its left end [x1, y1] and its \
right end [x2, y2]; it is 20 high, twice its radius.
A ball: [x, y, x, y, radius, eli, dynamic, joint, spring], with its centre [x, y].
eli is 1 for an object that can be removed and 0 for others, dynamic 1 for one that forces move \
and 0 for one that is static, joint and spring are 1 for one that a stick or a spring holds.

x goes from 0 at the left to 600 at the right, y from 0 at the bottom to 600 at the top. Once it \
starts, everything that is not static moves by gravity, and objects collide with each other. \
Removing nothing is allowed, too.

From the array, work out which block to remove when. Write an array of objects with a time and \
the index of a block, from 0 to 5, like this:
[
{"time": 0, "index": 0},
{"time": 0.2, "index": 1}
]

The array of this game:
"""
_AFTER = "\n\nThe removals are:\n"


class Entry(NamedTuple):
    """A line of an answer."""

    time: float  # s
    body: int | None  # None: there is no such block


def flow(puzzle: IphyrePuzzle) -> Flow:
    """Ask for a game's removals once and play them; without a list, none."""
    game = puzzle.game
    rules, text = prompt(game)
    question = Question(
        rules, text, text, _SCHEMA, partial(entries, game), read=read_list, reasks=0
    )
    made = yield from puzzle.ask(question)
    played = play_entries(game, [] if made is None else made.value)
    puzzle.testing.log.append(played)
    puzzle.solved = played.score.solved
    puzzle.result = f"reward {played.score.reward:.1f}"


def prompt(game: Game) -> tuple[str, str]:
    """The system message and the question about a game."""
    table = object_table(Episode(game, RULES).world, game.eliminable)
    with np.printoptions(threshold=table.size + 1, linewidth=75, precision=8, suppress=False):
        text = f"{_BEFORE}{table}{_AFTER}"
    return "You are a helpful assistant.", text


def read_list(reply: Reply) -> Any:
    """The list in the completion that counts.

    Raises:
        AnswerError: there is none.
    """
    answer = find_list(reply.choice(min(USED, max(len(reply.choices) - 1, 0))).text)
    for item in answer:
        if isinstance(item, dict):  # other names are allowed, as evaluating them was
            for name in set(item) - {"time", "index"}:
                del item[name]
    check(answer, _SCHEMA)
    return answer


def entries(game: Game, answer: Any) -> list[Entry]:
    """The lines of an answer, with bodies for indices."""
    blocks: list[int | None] = [*game.eliminable]
    blocks += [None] * (MAX_ELIMINABLE - len(blocks))
    return [
        Entry(float(item["time"]), blocks[min(item["index"], MAX_ELIMINABLE - 1)])
        for item in answer
    ]


def play_entries(game: Game, lines: list[Entry]) -> Play:
    """Play lines by the script's clock, and count as it counts."""
    episode = Episode(game, RULES)
    reward, clock, number, solved = 0.0, 0.0, 0, False
    history: list[Elimination] = []
    while clock < SECONDS:
        due = number < len(lines) and clock >= lines[number].time
        removed = 0
        if due:
            body = lines[number].body
            number += 1
            if body is not None and episode.remove(body):
                history.append(Elimination(episode.tick, body))
                removed = 1
        out = episode.step()
        solved |= out
        reward += RULES.reward(1, removed, out)
        clock += RULES.dt
        if out and not due:
            break
    score = Score(reward, solved, episode.tick, len(history))
    return Play(game.name, Plan(tuple(history)), score)
