"""Agents: what learns from tasks and then tries to solve new ones."""

from topple.agents.base import Agent, Observation, Traits
from topple.agents.registry import AGENTS, create_agent

__all__ = ["AGENTS", "Agent", "Observation", "Traits", "create_agent"]
