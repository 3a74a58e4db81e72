"""What may be missing, but not in a test."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def not_none(value: Value | None) -> Value:
    """The same value, which has to be there."""
    assert value is not None
    return value
