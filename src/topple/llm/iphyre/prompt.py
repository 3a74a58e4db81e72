"""The messages to a model on I-PHYRE: the rules, a game, and how its plays went."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from topple.iphyre.episode import Episode
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.rules import SECONDS, Rules
from topple.iphyre.strategy import Strategy, action_ticks
from topple.llm.answers import NOTE, AnswerError, Schema, object_schema
from topple.llm.iphyre.feedback import WatchedPlay, feedback
from topple.llm.iphyre.scene import body_names, episode_lines, game_lines
from topple.llm.messages import ANSWER_RULE, CALL_RULE

_RULES = """\
You play a game of timing. The scene is a square of 600 x 600 pixels seen from the side. x grows \
from 0 at the left edge to 600 at the right, y from 0 at the top to 600 at the bottom: y points \
down, the way things fall, as in pictures.

Blocks are straight bars with round ends. Gray blocks are fixed until you remove them, black ones \
stay where they are, blue ones move, and so do the red balls. A stick keeps the centres of two \
bodies at the same distance, a spring pulls them together; both go with a body that is removed. \
Moving things are at rest at first and fall with 100 pixels per second squared. There are no \
walls: things may leave the scene on every side.

The game is solved when the centre of every ball has fallen out at the bottom, to a y above 600, \
whatever its x. It lasts at most {seconds} seconds, in steps of {step:g} s. A solved game earns \
1000, each removed block costs 10, and each second costs 1.

{strategy}

{answer}"""

_STRATEGY = {
    Strategy.IN_ADVANCE: """\
You decide before the start at which second each gray block is removed; then you can only watch.""",
    Strategy.COMBINED: """\
You decide before the start at which second each gray block is removed. The first of these \
removals is carried out; then you are shown the state and decide anew about those that are left.""",
    Strategy.ON_THE_FLY: """\
You are shown the state every {every:g} s and may remove one gray block, at once, or none.""",
}


def rules_text(strategy: Strategy, rules: Rules, every: float, tools: bool) -> str:
    """The rules, which are the same for all games."""
    if strategy is Strategy.ON_THE_FLY:
        form = '{"remove": 2, "note": "why, in a few words"}, or null in place of the number'
    else:
        form = (
            '{"times": [0.5, null, 2.3], "note": "why, in a few words"}, with an entry for every '
            "gray block in the order of their numbers, null for one that stays. Times are seconds "
            f"from the start, {rules.dt:.2g} or more and below {SECONDS}, rounded to the nearest "
            "step; no two of them may fall on the same step"
        )
    answer = (
        f"{CALL_RULE if tools else ANSWER_RULE} The answer has the form {form}. "
        '"note" may be left out; it is shown to you again later.'
    )
    return _RULES.format(
        seconds=SECONDS,
        step=round(rules.dt, 4),
        strategy=_STRATEGY[strategy].format(every=every),
        answer=answer,
    )


def plan_schema(game: Game, rules: Rules) -> Schema:
    """The form of an answer with times."""
    time = {
        "type": ["number", "null"],
        "minimum": rules.dt / 2,
        "maximum": SECONDS - rules.dt / 2,
    }
    count = len(game.eliminable)
    times = {"type": "array", "items": time, "minItems": count, "maxItems": count}
    return object_schema({"times": times, "note": NOTE}, "times")


def choice_schema(game: Game) -> Schema:
    """The form of an answer on the fly."""
    number = {"type": ["integer", "null"], "minimum": 1, "maximum": len(game.eliminable)}
    return object_schema({"remove": number, "note": NOTE}, "remove")


def answer_action(
    answer: Any, rules: Rules, gone: Sequence[bool] = (), earliest: int = 1
) -> list[float]:
    """The action, as the published strategies take it, that times in seconds mean.

    Args:
        answer: what a model said.
        rules: what ticks they fall on.
        gone: which gray blocks were removed before.
        earliest: tick that may be named.

    Raises:
        AnswerError: a time is over, or two fall on one tick, or a block is gone.
    """
    times: list[float | None] = answer["times"]
    for number, (time, over) in enumerate(zip(times, gone, strict=False), start=1):
        if over and time is not None:
            raise AnswerError(f"gray block {number} is gone; its entry has to be null")
    action = [0.0 if time is None else time / SECONDS for time in times]
    action += [0.0] * (MAX_ELIMINABLE - len(action))
    named = [tick for tick, time in zip(action_ticks(action, rules), times, strict=False) if time]
    if len(set(named)) < len(named):
        raise AnswerError(f"two blocks go at the same step; keep {rules.dt:.2g} s between them")
    if any(not earliest <= tick < rules.tick_limit for tick in named):
        raise AnswerError(
            f"a time is not from {earliest / rules.hz:.2f} to below {SECONDS} seconds"
        )
    return action


def game_text(
    episode: Episode,
    strategy: Strategy,
    plays: int,
    made: int,
    memory: Sequence[str],
    again: bool = False,
) -> str:
    """A game, how it stands, and what is known of it.

    Args:
        episode: the play, up to now.
        strategy: what is asked for.
        plays: plays that are allowed.
        made: plays that were made.
        memory: descriptions of the last of them.
        again: leave out the bodies at the start, which the model was shown before.
    """
    game, hz = episode.game, episode.rules.hz
    parts = []
    if memory:
        which = f"your last {len(memory)}" if len(memory) < made else "all so far"
        parts.append(f"Earlier plays of this game ({which}):\n" + "\n".join(memory))
    if again:
        parts.append("The game starts again.")
    elif episode.tick == 0:
        parts.append(f"The bodies at the start, in pixels:\n{game_lines(game)}")
    else:
        parts.append(
            f"You are {episode.tick / hz:.1f} s into the play. The bodies now, in pixels and "
            f"pixels per second:\n{episode_lines(episode)}"
        )
    names = body_names(game)
    gone = [f"{names[body]} at {tick / hz:.1f} s" for tick, body in episode.state.history]
    if gone:
        parts.append(f"Removed so far: {', '.join(gone)}.")
    if strategy is not Strategy.ON_THE_FLY:
        count = len(game.eliminable)
        parts.append(f"The list of times has {count} {'entry' if count == 1 else 'entries'}.")
    if plays > 1:
        parts.append(f"This is play {made + 1} of {plays}; the best one counts.")
    parts.append("What do you do?")
    return "\n\n".join(parts)


def play_text(seen: WatchedPlay, notes: Sequence[str], level: str) -> str:
    """An earlier play: what was done and what came of it."""
    first, *rest = feedback(seen, level)
    lines = [f"Play {seen.number}: {first}"]
    lines += [f"  Your note: {json.dumps(text)}" for text in notes]
    return "\n".join([*lines, *(f"  {line}" for line in rest)])
