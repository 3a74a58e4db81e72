"""Agents: what learns from tasks and then tries to solve new ones."""

from topple.agents.base import Agent, Observation, Traits
from topple.agents.iphyre.base import GameAgent, GameTraits
from topple.agents.registry import AGENTS, GAME_AGENTS, create_agent, create_game_agent

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
