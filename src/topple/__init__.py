"""Topple: the PHYRE and I-PHYRE physics puzzles, faithful and fast.

The names below are loaded when they are first used, so importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topple.phyre import Setup, Simulator, Task, TaskId, Tier, load_fold, load_task
    from topple.physics.trajectory import Outcome
    from topple.physics.world import World
    from topple.scene import Scene

__version__ = "0.1.0"

_HOMES = {
    "Outcome": "topple.physics.trajectory",
    "Scene": "topple.scene",
    "Setup": "topple.phyre",
    "Simulator": "topple.phyre",
    "Task": "topple.phyre",
    "TaskId": "topple.phyre",
    "Tier": "topple.phyre",
    "World": "topple.physics.world",
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
