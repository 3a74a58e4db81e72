"""Texts that people send: which can be stored, compared and shown."""

from __future__ import annotations

import unicodedata
from typing import Any

from topple.player.errors import InvalidError

MAX_TEXT = 1000  # characters of any text in a puzzle
_LAYOUT = "\n\r\t"


def check_text(text: str) -> str:
    """Return a text that can be stored.

    Raises:
        InvalidError: it holds half a surrogate pair, which UTF-8 cannot encode, or a control
            character.
    """
    for letter in text:
        if unicodedata.category(letter) in ("Cc", "Cs") and letter not in _LAYOUT:
            raise InvalidError(f"the text contains the character {letter!r}, which is not allowed")
    return text


def check_texts(data: Any) -> None:
    """Check every text in the JSON of a puzzle, names of fields included.

    Raises:
        InvalidError: one cannot be stored, or is longer than `MAX_TEXT`.
    """
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += [*value, *value.values()]
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str):
            if len(value) > MAX_TEXT:
                raise InvalidError(
                    f"a text has {len(value)} characters; at most {MAX_TEXT} are allowed"
                )
            check_text(value)
