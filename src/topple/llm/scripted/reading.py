"""What a scripted model makes of a request: the form it asks for, and the scene in it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from topple.llm.exchanges import request_digest
from topple.llm.messages import text_of

_GRID = re.compile(r"x from 0 to (\d+), y from 0 to (\d+) and r from 0 to (\d+)")
_NUMBER = re.compile(r"This is (?:attempt|play) (\d+)")
_NOW = re.compile(r"You are ([\d.]+) s into the play")
_QUESTION = re.compile(r"Where do you place what\?|What do you do\?")
_ENTRIES = re.compile(r"list of times has (\d+) entr")
_GOAL = re.compile(r"Goal: Make the (.+?) touch the (.+?)(?: \(it is fixed\))?\.\n")


@dataclass(frozen=True)
class Reading:
    """A request, understood."""

    form: str  # "balls", "times", "remove", or "list" for the paper's preset
    balls: int  # to be placed
    cells: tuple[int, ...]  # of a grid along x, y and r; (): none
    bodies: tuple[Mapping[str, Any], ...]  # as the scene lists them
    goal: tuple[str, str]  # names of the two goal bodies, on PHYRE
    number: int  # of the attempt or play, from 1
    failures: int  # replies of this turn that could not be used
    now: float  # s into a play
    entries: int  # of a list of times


def read_request(body: Mapping[str, Any]) -> Reading:
    """Understand a request of the harness."""
    messages = body["messages"]
    rules = text_of(messages[0])
    asked = [place for place, each in enumerate(messages) if _is_question(each)] or [1]
    told = [text_of(messages[place]) for place in asked]  # several in a dialogue
    form = next((word for word in ("balls", "times", "remove") if f'"{word}"' in rules), "list")
    grid = _GRID.search(rules)
    number, now = _NUMBER.search(told[-1]), _NOW.search(told[-1])
    goal, entries = _GOAL.search(told[0]), _ENTRIES.search(told[-1])
    scenes = [bodies for text in told if (bodies := _bodies(text))] if form != "list" else []
    later = messages[asked[-1] :]
    return Reading(
        form,
        2 if "two red balls" in rules else 1,
        tuple(int(cell) + 1 for cell in grid.groups()) if grid else (),
        tuple(scenes[-1]) if scenes else (),
        (goal[1], goal[2]) if goal else ("", ""),
        int(number[1]) if number else 1,
        sum(message["role"] == "assistant" for message in later),
        float(now[1]) if now else 0.0,
        int(entries[1]) if entries else 0,
    )


def _is_question(message: Mapping[str, Any]) -> bool:
    """Whether a message asks something, rather than corrects a reply."""
    return message["role"] == "user" and bool(_QUESTION.search(text_of(message)))


def rng_of(body: Mapping[str, Any]) -> np.random.Generator:
    """Chance that depends on the request alone, and not on when it comes."""
    digest = hashlib.sha256(request_digest(body).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def gray_blocks(reading: Reading) -> list[Mapping[str, Any]]:
    """The blocks that can still be removed."""
    return [body for body in reading.bodies if body.get("removable")]


def _bodies(text: str) -> list[Mapping[str, Any]]:
    """The lines of the first list of bodies at the start of a line."""
    found = []
    for line in text.splitlines():
        if line.startswith("{"):
            found.append(json.loads(line))
        elif found:
            break
    return found
