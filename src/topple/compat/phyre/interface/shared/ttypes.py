"""Colours, and the vectors that all structures share."""

from __future__ import annotations

from dataclasses import dataclass

from topple.compat.phyre.interface.struct import DOUBLE, Enumeration, Struct, member


class Color(Enumeration):
    """Colour codes; LIGHT_RED is in no task."""

    WHITE = 0
    BLACK = 6
    GRAY = 5
    GREEN = 2
    BLUE = 3
    PURPLE = 4
    RED = 1
    LIGHT_RED = 7


@dataclass
class Vector(Struct):
    """A point or a direction, in pixels."""

    x: float = member(1, DOUBLE)
    y: float = member(2, DOUBLE)


class Error_message(Exception):  # noqa: N801, N818
    """An error of the original's server."""

    def __init__(self, errorNo: int | None = None, errorMsg: str | None = None) -> None:  # noqa: N803
        super().__init__(errorNo, errorMsg)
        self.errorNo, self.errorMsg = errorNo, errorMsg
