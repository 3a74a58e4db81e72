"""Checks of agents' settings: each names the value and what it has to be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def settings_of(agent: DataclassInstance) -> dict[str, Any]:
    """All settings of an agent, by name: what it can be made with."""
    return {item.name: getattr(agent, item.name) for item in fields(agent) if item.init}


def at_least(name: str, value: float, least: float) -> None:
    """Refuse a setting below its least value."""
    if value < least:
        raise ValueError(f"{name} is {value}; it has to be {least} or more")


def above_zero(name: str, value: float) -> None:
    """Refuse a setting that is not positive."""
    if value <= 0:
        raise ValueError(f"{name} is {value}; it has to be above 0")


def below_one(name: str, value: float) -> None:
    """Refuse a share that is not from 0 to less than 1."""
    if not 0 <= value < 1:
        raise ValueError(f"{name} is {value}; it has to be from 0 to less than 1")


def shared_by(name: str, value: int, sharers: str, count: int) -> None:
    """Refuse a number that does not divide among so many."""
    if value % count:
        raise ValueError(f"{name} is {value}; it has to be a multiple of {count} {sharers}")


def one_of(name: str, value: str, choices: Collection[str]) -> None:
    """Refuse a word that is no choice."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; use one of {', '.join(choices)}")
