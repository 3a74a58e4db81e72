"""PHYRE tasks, scenes and actions that options name."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.cli.options import FoldOrNone, SetupName
from topple.phyre import (
    Setup,
    Task,
    TaskId,
    Template,
    Tier,
    enumerate_tasks,
    load_fold,
    load_task,
    load_template,
    template_task_ids,
    template_tasks,
    tier_task_ids,
    tier_tasks,
)
from topple.phyre.action import discrete_actions
from topple.phyre.puzzle_file import read_scenes
from topple.phyre.scene import Scene

TASKS_OF_A_TEMPLATE = 100  # as the published templates have


class FoldPart(Enum):
    """The parts of a fold."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True)
class FoldOptions:
    """Options that select the tasks of a part of a fold.

    Options:
        part: PHYRE tasks of the fold. The default is test.
    """

    setup: SetupName = None
    fold: FoldOrNone = None
    part: FoldPart | None = None

    def ids(self) -> list[TaskId] | None:
        """Return the tasks of the part, or None if no setup is named.

        Raises:
            ValueError: There is no such setup, or only a fold or part is named.
        """
        if self.setup is None:
            if self.fold is not None or self.part is not None:
                raise ValueError("--fold and --part need a --setup, such as ball_cross; give one")
            return None
        found = load_fold(Setup.parse(self.setup), self.fold or 0)
        return list(getattr(found, (self.part or FoldPart.TEST).value))


class Puzzle(NamedTuple):
    """A task or scene to show: published, or from a file."""

    name: str
    scene: Scene
    description: str
    task: Task | None  # None for a scene without a template


def find_puzzle(text: str, number: int = 0) -> Puzzle:
    """Find the puzzle of a task id, a scene file (.json) or a template file (.py).

    Args:
        text: an id such as ``00001:042``, or a path.
        number: the number of the task within a template file.

    Raises:
        ValueError: The text is not an id, or the file cannot be read as a scene or template.
        LookupError: No such task is published.
    """
    path = Path(text)
    if path.suffix == ".json":
        _, scenes = read_scenes(path)
        if not 0 <= number < len(scenes):
            raise ValueError(f"{path} has no scene number {number}; it has {len(scenes)}")
        return Puzzle(scenes[number].name, scenes[number], "", None)
    task = _template_task(path, number) if path.suffix == ".py" else load_task(text)
    return Puzzle(str(task.id), task.scene, task.description, task)


def _read_template(path: Path) -> Template:
    try:
        return load_template(path)
    except (ValueError, OSError):
        raise
    except Exception as error:  # the file is a user's program and can fail in any way
        raise ValueError(f"{path}: {type(error).__name__}: {error}") from None


def _template_task(path: Path, number: int) -> Task:
    template = _read_template(path)
    for task in enumerate_tasks(template):
        if task.id.number == number:
            return task
    raise ValueError(f"{path}: template {template.id} has no task number {number}")


def chosen_ids(
    tier: Tier | None, tasks: str | None, of_fold: list[TaskId] | None = None
) -> list[TaskId]:
    """Select published tasks by tier, by a list of tasks and templates, or from a fold.

    Args:
        tier: the tier they must belong to; all of its tasks if nothing else is given.
        tasks: comma-separated task ids and template ids.
        of_fold: the tasks of a fold, if one is given.

    Raises:
        ValueError: Nothing is given, or a task belongs to another tier.
        LookupError: There is no such task or template.
    """
    if tasks is not None and of_fold is not None:
        raise ValueError("give tasks or a fold, not both")
    if of_fold is not None:
        chosen = of_fold
    elif tasks is not None:
        chosen = [task_id for word in tasks.split(",") for task_id in _word_ids(word.strip())]
    elif tier is not None:
        chosen = list(tier_task_ids(tier))
    else:
        raise ValueError("give a --tier, tasks, or a --setup to select tasks")
    if tier is not None:
        for task_id in chosen:
            if task_id.template not in tier.template_ids:
                raise ValueError(f"task '{task_id}' does not belong to tier {tier.value!r}")
    return list(dict.fromkeys(chosen))


def _word_ids(word: str) -> Sequence[TaskId]:
    return [load_task(word).id] if ":" in word else template_task_ids(word)


def chosen_tasks(names: Iterable[str] | None) -> dict[Tier, list[Task]]:
    """Return the tasks of tiers, templates and template files by tier; all if none is named."""
    groups: dict[Tier, list[Task]] = {}
    for name in names or [tier.value for tier in Tier]:
        if name in (tier.value for tier in Tier):
            tasks: Sequence[Task] = tier_tasks(Tier(name))
        elif name.endswith(".py"):
            tasks = list(enumerate_tasks(_read_template(Path(name)), TASKS_OF_A_TEMPLATE))
        else:
            tasks = template_tasks(name)
        for task in tasks:
            groups.setdefault(task.tier, []).append(task)
    return groups


def parse_setups(text: str) -> list[Setup]:
    """Read comma-separated setups."""
    return [Setup.parse(part.strip()) for part in text.split(",")]


def parse_tasks(text: str | None) -> int | tuple[str, ...] | None:
    """Read a number of tasks, or comma-separated task ids."""
    if text is None:
        return None
    return int(text) if text.isdigit() else tuple(word.strip() for word in text.split(","))


def parse_tier(text: str | None) -> Tier | None:
    """Return the tier of this name, or None if no name is given."""
    return None if text is None else Tier.parse(text)


def parse_action(words: Sequence[str]) -> list[float]:
    """Read an action from comma-separated numbers: x, y and radius of each ball.

    Raises:
        ValueError: A word is not a number.
    """
    numbers = []
    for word in ",".join(words).split(",") if words else ():
        try:
            numbers.append(float(word))
        except ValueError:
            raise ValueError(f"{word!r} in an action is not a number; write x,y,radius") from None
    return numbers


def read_actions(text: str, tier: Tier) -> npt.NDArray[np.float64]:
    """Read [actions, 3 * balls] from a .npy file, or take that many of the fixed list.

    Raises:
        ValueError: The file does not contain an array of numbers.
        OSError: The file cannot be read.
    """
    if text.isdigit():
        # The published list was stored in single precision.
        return discrete_actions(tier, int(text)).astype(np.float32).astype(np.float64)
    try:
        loaded = np.load(text, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{text} is not a .npy file with an array of numbers") from None
    if not isinstance(loaded, np.ndarray) or loaded.dtype.kind not in "fiu":
        raise ValueError(f"{text} is not a .npy file with an array of numbers")
    return loaded
