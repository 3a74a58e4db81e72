"""Runs: agents on tasks and games, executed anywhere, kept as records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topple.lazy import exports

if TYPE_CHECKING:
    from topple.iphyre.phases import GameAgent, GameTraits
    from topple.runs.agent import Agent, Observation, Traits
    from topple.runs.config import Part, RunConfig
    from topple.runs.registry import AGENTS, GAME_AGENTS, create_agent, create_game_agent
    from topple.runs.run import Laboratory
    from topple.runs.store import RunRecord, find_records, read_record, write_record
    from topple.runs.sweep import sweep

_HOMES = {
    "AGENTS": "topple.runs.registry",
    "Agent": "topple.runs.agent",
    "GAME_AGENTS": "topple.runs.registry",
    "GameAgent": "topple.iphyre.phases",
    "GameTraits": "topple.iphyre.phases",
    "Laboratory": "topple.runs.run",
    "Observation": "topple.runs.agent",
    "Part": "topple.runs.config",
    "RunConfig": "topple.runs.config",
    "RunRecord": "topple.runs.store",
    "Traits": "topple.runs.agent",
    "create_agent": "topple.runs.registry",
    "create_game_agent": "topple.runs.registry",
    "find_records": "topple.runs.store",
    "read_record": "topple.runs.store",
    "sweep": "topple.runs.sweep",
    "write_record": "topple.runs.store",
}

__all__ = [
    "AGENTS",
    "GAME_AGENTS",
    "Agent",
    "GameAgent",
    "GameTraits",
    "Laboratory",
    "Observation",
    "Part",
    "RunConfig",
    "RunRecord",
    "Traits",
    "create_agent",
    "create_game_agent",
    "find_records",
    "read_record",
    "sweep",
    "write_record",
]

__getattr__, __dir__ = exports(__name__, _HOMES)
