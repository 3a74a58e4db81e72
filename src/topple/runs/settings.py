"""Checks of agents' settings; each error names the setting, its value and what it has to be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def settings_of(agent: DataclassInstance) -> dict[str, Any]:
    """All settings of an agent, by name: the arguments it can be made with."""
    return {item.name: getattr(agent, item.name) for item in fields(agent) if item.init}


def at_least(agent: object, least: float, *names: str) -> None:
    """Refuse settings below their least value."""
    for name in names:
        if getattr(agent, name) < least:
            raise ValueError(f"{name} is {getattr(agent, name)}; it has to be {least} or more")


def above_zero(agent: object, *names: str, at_most: float = float("inf")) -> None:
    """Refuse settings that are not positive, or exceed their greatest value."""
    for name in names:
        value = getattr(agent, name)
        if not 0 < value <= at_most:
            bound = "" if at_most == float("inf") else f" and at most {at_most:g}"
            raise ValueError(f"{name} is {value}; it has to be above 0{bound}")


def fraction(agent: object, *names: str, below_one: bool = False) -> None:
    """Refuse fractions outside 0 to 1."""
    for name in names:
        value = getattr(agent, name)
        if not 0 <= value <= 1 or (below_one and value == 1):
            to = "less than 1" if below_one else "1"
            raise ValueError(f"{name} is {value}; it has to be from 0 to {to}")


def divisible(agent: object, name: str, by: str) -> None:
    """Refuse a setting that is not a multiple of another one."""
    value, count = getattr(agent, name), getattr(agent, by)
    if value % count:
        raise ValueError(f"{name} is {value}; it has to be a multiple of {count} ({by})")


def one_of(agent: object, name: str, choices: Collection[str]) -> None:
    """Refuse a setting that is none of its choices."""
    value = getattr(agent, name)
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; use one of {', '.join(choices)}")
