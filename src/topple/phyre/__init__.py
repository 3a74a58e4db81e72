"""PHYRE: its tiers, templates, tasks and folds."""

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

__all__ = [
    "BodyDraft",
    "Fold",
    "H",
    "SceneBuilder",
    "Selection",
    "Setup",
    "Task",
    "TaskId",
    "Template",
    "TemplateError",
    "Tier",
    "UnknownTaskError",
    "W",
    "enumerate_tasks",
    "find_template",
    "lin",
    "load_fold",
    "load_task",
    "load_template",
    "multiples",
    "template",
    "template_task_ids",
    "template_tasks",
    "tier_task_ids",
    "tier_tasks",
]
