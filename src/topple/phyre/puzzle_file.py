"""Files of puzzles: the scenes of one tier in a JSON file, in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from topple.files import write_whole
from topple.phyre.authoring import FIRST_HUNDRED, Template
from topple.phyre.builder import SceneBuilder
from topple.phyre.scene import Kind, Scene, SceneError
from topple.phyre.scene.codec import scene_data, scene_from_json
from topple.phyre.task import PATTERN, Task, TaskId
from topple.phyre.tier import Tier

OWN = "own"  # the template of scenes whose names are no task ids


def write_puzzles(path: Path, tier: Tier, scenes: Sequence[Scene]) -> None:
    """Write scenes that are played with the balls of a tier."""
    data = {"tier": tier.value, "scenes": [scene_data(scene) for scene in scenes]}
    write_whole(path, json.dumps(data) + "\n")


def read_scenes(path: Path) -> tuple[Tier, list[Scene]]:
    """Read the scenes of a file, and what the player places; a file may be a single scene, too.

    Raises:
        SceneError: The file has no scenes, or one breaks a rule; the message names the file.
        OSError: The file cannot be read.
    """
    tier = Tier.BALL
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        if isinstance(data, dict) and "scenes" in data:
            tier = Tier.parse(str(data.get("tier")))
            scenes = [scene_from_json(json.dumps(row)) for row in data["scenes"]]
        else:
            scene = scene_from_json(text)
            scenes = [scene._replace(name=scene.name or path.stem)]
    except json.JSONDecodeError as error:
        raise SceneError(f"{path}: this is no JSON, {error}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise SceneError(f"{path}: {error}") from None
    if not scenes:
        raise SceneError(f"{path}: there are no scenes in it")
    return tier, scenes


def read_puzzles(path: Path) -> list[Task]:
    """Read the scenes of a file as tasks.

    Raises:
        SceneError: As for :func:`read_scenes`, or a scene has no goal, or two have the same name.
        OSError: The file cannot be read.
    """
    tier, scenes = read_scenes(path)
    for place, scene in enumerate(scenes):
        if scene.goal is None:
            raise SceneError(f"{path}, scene {place}: it has no goal; name two bodies to touch")
    tasks = [scene_task(scene, tier, place) for place, scene in enumerate(scenes)]
    if len({task.id for task in tasks}) < len(tasks):
        raise SceneError(f"{path}: two scenes have the same name; rename one")
    return tasks


def scene_task(scene: Scene, tier: Tier, number: int = 0) -> Task:
    """A scene as a task, under its name if that is a task id."""
    named = PATTERN.fullmatch(scene.name) is not None
    task_id = TaskId.parse(scene.name) if named else TaskId(OWN, number)
    template = Template(task_id.template, tier, FIRST_HUNDRED, {}, _not_built, "")
    return Task(task_id, template, {}, scene, goal_sentence(scene))


def goal_sentence(scene: Scene) -> str:
    """A sentence that says what to do, or nothing if there is no goal."""
    if scene.goal is None:
        return ""
    first, second = (scene.bodies[number] for number in scene.goal[:2])
    one, other = (f"{body.color.name.lower()} {_WORDS[body.kind]}" for body in (first, second))
    return f"Make sure the {one} is touching the {other}."


_WORDS = {kind: kind.name.lower().replace("_", "") for kind in Kind} | {Kind.UNDEFINED: "body"}


def _not_built(_builder: SceneBuilder) -> None:
    """Stand in for the builder of a template that has given scenes."""
