"""PHYRE: its tiers, templates, tasks and folds, and the simulator to play them with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topple.lazy import exports
from topple.phyre.authoring import Selection, Template, lin, multiples, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, TemplateError, W
from topple.phyre.fold import Fold, Setup, load_fold
from topple.phyre.own import load_template
from topple.phyre.task import (
    Task,
    TaskId,
    UnknownTaskError,
    enumerate_tasks,
    load_task,
    template_task_ids,
    template_tasks,
    tier_task_ids,
    tier_tasks,
)
from topple.phyre.templates import find_template
from topple.phyre.tier import Tier

if TYPE_CHECKING:
    from topple.phyre.action import discrete_actions, sample_actions
    from topple.phyre.engine.result import AttemptResult
    from topple.phyre.simulator import Simulator
    from topple.phyre.task_set import TaskSet

# These need NumPy and the engine, which writing and listing tasks does not.
_LATER = {
    "AttemptResult": "topple.phyre.engine.result",
    "Simulator": "topple.phyre.simulator",
    "TaskSet": "topple.phyre.task_set",
    "discrete_actions": "topple.phyre.action",
    "sample_actions": "topple.phyre.action",
}

__all__ = [
    "AttemptResult",
    "BodyDraft",
    "Fold",
    "H",
    "SceneBuilder",
    "Selection",
    "Setup",
    "Simulator",
    "Task",
    "TaskId",
    "TaskSet",
    "Template",
    "TemplateError",
    "Tier",
    "UnknownTaskError",
    "W",
    "discrete_actions",
    "enumerate_tasks",
    "find_template",
    "lin",
    "load_fold",
    "load_task",
    "load_template",
    "multiples",
    "sample_actions",
    "template",
    "template_task_ids",
    "template_tasks",
    "tier_task_ids",
    "tier_tasks",
]

__getattr__, __dir__ = exports(__name__, _LATER)
