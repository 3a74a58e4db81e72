"""Notes of the turns of a run: its answers and their results, stored beside the exchanges.

``turns.json`` holds no times: it is the same for the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from topple.files import write_whole

TURNS = "turns.json"


class TurnNote(NamedTuple):
    """A short note of a turn."""

    number: int  # from 1, as in the places of exchanges
    answer: Any  # None: passed
    result: str  # its result in words
    failures: tuple[str, ...] = ()  # what was wrong with replies that could not be used
    calls: Mapping[str, int] = {}  # tool calls by name
    finished: bool = True  # otherwise tools were called, and the answer is open


Notes = Mapping[str, Sequence[TurnNote]]  # by task or game


def write_turns(folder: Path, notes: Notes) -> None:
    """Write the turns of a run."""
    data = {subject: [turn._asdict() for turn in turns] for subject, turns in notes.items()}
    write_whole(folder / TURNS, json.dumps(data, indent=1) + "\n")


def read_turns(folder: Path) -> Notes:
    """The turns of a run; none if it is not finished.

    Raises:
        ValueError: the file is damaged.
    """
    path = folder / TURNS
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {
            subject: [TurnNote(**{**turn, "failures": tuple(turn["failures"])}) for turn in turns]
            for subject, turns in data.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error}; run the same evaluation again") from None
