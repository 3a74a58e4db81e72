"""Stable orders, and files of what players placed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from topple.compat.phyre.interface.scene.ttypes import UserInput
from topple.compat.phyre.interface.struct import from_bytes, to_bytes
from topple.compat.phyre.user_input import AnyInput, build_user_input
from topple.phyre import numbering

_T = TypeVar("_T")


def stable_shuffle(strings: Iterable[_T], salt: str = "") -> list[_T]:
    """A fixed order that looks random: by MD5 digest of each item's text and the salt."""
    return numbering.stable_shuffle(list(strings), salt)


def save_user_input(user_input: AnyInput, fpath: str | Path) -> None:
    """Write what a player placed, in Thrift's binary protocol."""
    if not isinstance(user_input, UserInput):
        user_input = build_user_input(*user_input)
    Path(fpath).write_bytes(to_bytes(user_input))


def load_user_input(fpath: str | Path) -> UserInput:
    """Read what ``save_user_input`` wrote."""
    return from_bytes(UserInput(), Path(fpath).read_bytes())
