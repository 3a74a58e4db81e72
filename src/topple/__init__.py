"""Topple: the PHYRE and I-PHYRE physics puzzles, faithful and fast.

The two benchmarks are :mod:`topple.phyre` and :mod:`topple.iphyre`; :mod:`topple.runs` evaluates
agents on both. The names below are those that programs use most. They are loaded when they are
first used, so importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topple.lazy import exports

if TYPE_CHECKING:
    from topple.iphyre import Episode, Game, Plan, Split, Strategy, game_named, play
    from topple.phyre import Setup, Simulator, Task, Tier, load_fold, load_task
    from topple.phyre.engine.result import Outcome
    from topple.phyre.engine.world import World
    from topple.runs import RunConfig, Runner, find_records

__version__ = "0.1.0"

_HOMES = {
    "Episode": "topple.iphyre",
    "Game": "topple.iphyre",
    "Outcome": "topple.phyre.engine.result",
    "Plan": "topple.iphyre",
    "RunConfig": "topple.runs",
    "Runner": "topple.runs",
    "Setup": "topple.phyre",
    "Simulator": "topple.phyre",
    "Split": "topple.iphyre",
    "Strategy": "topple.iphyre",
    "Task": "topple.phyre",
    "Tier": "topple.phyre",
    "World": "topple.phyre.engine.world",
    "find_records": "topple.runs",
    "game_named": "topple.iphyre",
    "load_fold": "topple.phyre",
    "load_task": "topple.phyre",
    "play": "topple.iphyre",
}

__all__ = [
    "Episode",
    "Game",
    "Outcome",
    "Plan",
    "RunConfig",
    "Runner",
    "Setup",
    "Simulator",
    "Split",
    "Strategy",
    "Task",
    "Tier",
    "World",
    "__version__",
    "find_records",
    "game_named",
    "load_fold",
    "load_task",
    "play",
]

__getattr__, __dir__ = exports(__name__, _HOMES)
