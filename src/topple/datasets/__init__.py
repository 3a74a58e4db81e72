"""Data sets of attempts for world models, video models and offline learners.

``build`` writes one from a :class:`Spec`, ``check`` compares it with the engine, ``open_dataset``
reads it, and :mod:`topple.datasets.torch` feeds PyTorch from it, or from the engine itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topple.lazy import exports

if TYPE_CHECKING:
    from topple.datasets.builder import DatasetError, build, estimate
    from topple.datasets.checker import check
    from topple.datasets.presets import find_spec
    from topple.datasets.read import Split, open_dataset
    from topple.datasets.spec import Actions, Keep, Spec, SpecError, Tasks, read_spec

_HOMES = {
    "Actions": "topple.datasets.spec",
    "DatasetError": "topple.datasets.builder",
    "Keep": "topple.datasets.spec",
    "Spec": "topple.datasets.spec",
    "SpecError": "topple.datasets.spec",
    "Split": "topple.datasets.read",
    "Tasks": "topple.datasets.spec",
    "build": "topple.datasets.builder",
    "check": "topple.datasets.checker",
    "estimate": "topple.datasets.builder",
    "find_spec": "topple.datasets.presets",
    "open_dataset": "topple.datasets.read",
    "read_spec": "topple.datasets.spec",
}

__all__ = [
    "Actions",
    "DatasetError",
    "Keep",
    "Spec",
    "SpecError",
    "Split",
    "Tasks",
    "build",
    "check",
    "estimate",
    "find_spec",
    "open_dataset",
    "read_spec",
]

__getattr__, __dir__ = exports(__name__, _HOMES)
