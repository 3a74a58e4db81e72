"""Topple: the PHYRE and I-PHYRE physics puzzles, faithful and fast.

The names below are loaded when they are first used, so importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topple.lazy import exports

if TYPE_CHECKING:
    from topple.phyre import Setup, Simulator, Task, TaskId, Tier, load_fold, load_task
    from topple.phyre.engine.result import Outcome
    from topple.phyre.engine.world import World
    from topple.phyre.scene import Scene

__version__ = "0.1.0"

_HOMES = {
    "Outcome": "topple.phyre.engine.result",
    "Scene": "topple.phyre.scene",
    "Setup": "topple.phyre",
    "Simulator": "topple.phyre",
    "Task": "topple.phyre",
    "TaskId": "topple.phyre",
    "Tier": "topple.phyre",
    "World": "topple.phyre.engine.world",
    "load_fold": "topple.phyre",
    "load_task": "topple.phyre",
}

__all__ = [
    "Outcome",
    "Scene",
    "Setup",
    "Simulator",
    "Task",
    "TaskId",
    "Tier",
    "World",
    "__version__",
    "load_fold",
    "load_task",
]

__getattr__, __dir__ = exports(__name__, _HOMES)
