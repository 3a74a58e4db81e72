"""Ids and names in addresses: their patterns, and how new ones are made."""

from __future__ import annotations

import re
import secrets
from typing import Annotated

from pydantic import StringConstraints

OWN = "own:"  # prefix of the names of puzzles made in the player, among task ids and games

PUZZLE_PATTERN = r"[a-z0-9]{12}"
TASK_PATTERN = rf"^(\d{{5}}:\d{{3,4}}|{OWN}{PUZZLE_PATTERN})$"
GAME_PATTERN = rf"^([a-z0-9_]{{1,40}}|{OWN}{PUZZLE_PATTERN})$"
PLAYER_PATTERN = r"^[A-Za-z0-9_-]{22}$"
ANONYMOUS_PATTERN = r"^P-[A-Z0-9]{6}$"

TaskName = Annotated[str, StringConstraints(pattern=TASK_PATTERN, max_length=16)]
GameName = Annotated[str, StringConstraints(pattern=GAME_PATTERN, max_length=40)]
PlayerKey = Annotated[str, StringConstraints(pattern=PLAYER_PATTERN)]

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # none that look alike
_ANONYMOUS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def new_player_key() -> str:
    """A secret of 128 random bits that identifies a player."""
    return secrets.token_urlsafe(16)


def new_anonymous_id() -> str:
    """An id that stands for a person in exports, such as ``P-7K3MQX``."""
    return "P-" + "".join(secrets.choice(_ANONYMOUS) for _ in range(6))


def new_short_id() -> str:
    """The id of a study or a puzzle: 12 letters and digits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def is_player_key(text: str) -> bool:
    """Whether a text has the form of a player's key."""
    return re.fullmatch(PLAYER_PATTERN, text) is not None
