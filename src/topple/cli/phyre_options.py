"""Options that several PHYRE commands take, and what they mean."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from topple.phyre import (
    Setup,
    Task,
    TaskId,
    Tier,
    enumerate_tasks,
    load_fold,
    load_task,
    load_template,
    template_task_ids,
    tier_task_ids,
)
from topple.phyre.action import discrete_actions
from topple.phyre.scene import Scene
from topple.phyre.scene.codec import scene_from_json


class FoldPart(Enum):
    """Which tasks of a fold."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


PartName = Annotated[
    FoldPart | None, typer.Option("--part", help="PHYRE: tasks of the fold; test by default.")
]


class Puzzle(NamedTuple):
    """What can be shown: a published task, or a scene from a file."""

    name: str
    scene: Scene
    description: str
    task: Task | None  # None for a scene without a template


def find_puzzle(text: str, number: int = 0) -> Puzzle:
    """The puzzle of a task id, a scene file (.json) or a template file (.py).

    Args:
        text: an id such as ``00001:042``, or a path.
        number: which task of a template file.

    Raises:
        ValueError: The text is no id and no such file, or the file is wrong.
        LookupError: No such task is published.
    """
    path = Path(text)
    if path.suffix == ".json":
        scene = scene_from_json(path.read_text(encoding="utf-8"))
        return Puzzle(scene.name or path.stem, scene, "", None)
    task = _template_task(path, number) if path.suffix == ".py" else load_task(text)
    return Puzzle(str(task.id), task.scene, task.description, task)


def _template_task(path: Path, number: int) -> Task:
    try:
        template = load_template(path)
    except (ValueError, OSError):
        raise
    except Exception as error:  # the file is a user's program and can fail in any way
        raise ValueError(f"{path}: {type(error).__name__}: {error}") from None
    for task in enumerate_tasks(template):
        if task.id.number == number:
            return task
    raise ValueError(f"{path}: template {template.id} has no task number {number}")


def fold_ids(setup: str | None, fold: int | None, part: FoldPart | None) -> list[TaskId] | None:
    """The tasks of a part of a fold, if a setup is named.

    Raises:
        ValueError: There is no such setup, or a fold of none.
    """
    if setup is None:
        if fold is not None or part is not None:
            raise ValueError("--fold and --part go with --setup, such as ball_cross; name one")
        return None
    found = load_fold(Setup.parse(setup), fold or 0)
    return list(getattr(found, (part or FoldPart.TEST).value))


def chosen_ids(
    tier: Tier | None, tasks: str | None, of_fold: list[TaskId] | None = None
) -> list[TaskId]:
    """Published tasks by tier, by a list of tasks and templates, or of a fold.

    Args:
        tier: keep to this tier; all of its tasks if nothing else is named.
        tasks: task ids and template ids, by commas.
        of_fold: the tasks of a fold, if one was named.

    Raises:
        ValueError: Nothing is named, or what is named is of another tier.
        LookupError: There is no such task or template.
    """
    if tasks is not None and of_fold is not None:
        raise ValueError("name tasks or a fold, not both")
    if of_fold is not None:
        chosen = of_fold
    elif tasks is not None:
        chosen = [task_id for word in tasks.split(",") for task_id in _word_ids(word.strip())]
    elif tier is not None:
        chosen = list(tier_task_ids(tier))
    else:
        raise ValueError("name a --tier, tasks, or a --setup for its folds")
    if tier is not None:
        for task_id in chosen:
            if task_id.template not in tier.template_ids:
                raise ValueError(f"task '{task_id}' is not of tier {tier.value!r}")
    return list(dict.fromkeys(chosen))


def _word_ids(word: str) -> Sequence[TaskId]:
    return [load_task(word).id] if ":" in word else template_task_ids(word)


def parse_tier(text: str | None) -> Tier | None:
    """The tier of this name, if there is a name."""
    return None if text is None else Tier.parse(text)


def parse_action(words: Sequence[str]) -> list[float]:
    """The numbers of an action: x, y and radius of each ball, by commas.

    Raises:
        ValueError: A word is no number.
    """
    numbers = []
    for word in ",".join(words).split(",") if words else ():
        try:
            numbers.append(float(word))
        except ValueError:
            raise ValueError(f"{word!r} in an action is no number: write x,y,radius") from None
    return numbers


def read_actions(text: str, tier: Tier) -> npt.NDArray[np.float64]:
    """[actions, 3 * balls] from a .npy file, or the first of the fixed list by their number.

    Raises:
        ValueError: The file holds no array of numbers.
        OSError: The file cannot be read.
    """
    if text.isdigit():
        # The published list was stored in single precision.
        return discrete_actions(tier, int(text)).astype(np.float32).astype(np.float64)
    try:
        loaded = np.load(text, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{text} is no .npy file with an array of numbers") from None
    if not isinstance(loaded, np.ndarray) or loaded.dtype.kind not in "fiu":
        raise ValueError(f"{text} is no .npy file with an array of numbers")
    return loaded
