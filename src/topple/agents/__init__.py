"""Agents: what learns from tasks and then tries to solve new ones."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from topple.agents.base import Agent, Observation, Traits
from topple.agents.registry import AGENTS, GAME_AGENTS, create_agent, create_game_agent

if TYPE_CHECKING:
    from topple.agents.iphyre.base import GameAgent, GameTraits

__all__ = [
    "AGENTS",
    "GAME_AGENTS",
    "Agent",
    "GameAgent",
    "GameTraits",
    "Observation",
    "Traits",
    "create_agent",
    "create_game_agent",
]


def __getattr__(name: str) -> Any:
    # These need the physics of I-PHYRE, which agents of PHYRE do without.
    if name not in ("GameAgent", "GameTraits"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("topple.agents.iphyre.base"), name)
