"""Agents: what learns from tasks and then tries to solve new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topple.agents.base import Agent, Observation, Traits
from topple.agents.registry import AGENTS, GAME_AGENTS, create_agent, create_game_agent
from topple.lazy import exports

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

# These need the physics of I-PHYRE, which agents of PHYRE do without.
__getattr__, __dir__ = exports(
    __name__, dict.fromkeys(("GameAgent", "GameTraits"), "topple.agents.iphyre.base")
)
