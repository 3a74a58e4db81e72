"""Published scenes and folds, pinned by hashes and compared with the original where present.

``python tests/phyre/test_golden.py`` writes the hashes anew.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from topple.phyre import (
    Fold,
    Setup,
    Task,
    Tier,
    enumerate_tasks,
    find_template,
    load_fold,
    template_tasks,
    tier_tasks,
)
from topple.phyre.fold import SEEDS
from topple.phyre.numbering import instances, published
from topple.phyre.templates import MODULES
from topple.scene import Body, Circle, Color, Goal, Kind, Polygon, Scene, Shape
from topple.scene.codec import scene_bytes

GOLDEN = Path(__file__).parents[1] / "golden"
SCENES = GOLDEN / "phyre_scenes.json"
FOLDS = GOLDEN / "phyre_folds.json"


def scene_hash(tasks: tuple[Task, ...]) -> str:
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(f"{task.id} {task.description}\n".encode())
        digest.update(scene_bytes(task.scene))
    return digest.hexdigest()


def fold_hash(fold: Fold) -> str:
    parts = (" ".join(map(str, ids)) for ids in (fold.train, fold.dev, fold.test))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@pytest.mark.parametrize("template_id", MODULES)
def test_scenes_keep_their_hash(template_id: str) -> None:
    expected = json.loads(SCENES.read_text())[template_id]
    assert scene_hash(template_tasks(template_id)) == expected["scenes"]
    assert find_template(template_id).tuple_count == expected["tuples"]


@pytest.mark.parametrize("setup", Setup)
def test_folds_keep_their_hash(setup: Setup) -> None:
    expected = json.loads(FOLDS.read_text())[setup.value]
    assert [fold_hash(load_fold(setup, seed)) for seed in SEEDS] == expected


def test_scenes_equal_the_published_ones(reference: Path) -> None:
    tasks = {str(task.id): task for tier in Tier for task in tier_tasks(tier)}
    seen = 0
    with lzma.open(reference / "tasks.jsonl.xz", "rt") as lines:
        for line in lines:
            data = json.loads(line)
            task = tasks[data["id"]]
            # As bytes, so that zeros keep their signs.
            assert scene_bytes(task.scene) == scene_bytes(_scene(data)), task.id
            assert task.description == data["description"]
            assert task.tier.name == data["tier"]
            seen += 1
    assert seen == len(tasks) == 5000


def test_folds_equal_the_published_ones(reference: Path) -> None:
    with lzma.open(reference / "folds.json.xz", "rt") as file:
        folds = json.load(file)
    compared = 0
    for name, seeds in folds.items():
        for seed, parts in seeds.items():
            fold = load_fold(Setup.parse(name), int(seed))
            assert list(map(str, fold.train)) == parts["train"]
            assert list(map(str, fold.dev)) == parts["dev"]
            assert list(map(str, fold.test)) == parts["test"]
            compared += 1
    assert compared == 40


@pytest.mark.parametrize("template_id", ["00003", "00021", "00109", "00118"])
def test_numbers_follow_from_grid_and_skips(template_id: str) -> None:
    check_numbering(template_id)


@pytest.mark.slow
@pytest.mark.parametrize("template_id", MODULES)
def test_all_numbers_follow_from_grid_and_skips(template_id: str) -> None:
    check_numbering(template_id)


def check_numbering(template_id: str) -> None:
    """Walk the whole grid and find the published tuples at their numbers."""
    template = find_template(template_id)
    numbers, tuples = published(template_id)
    derived = [instance.tuple_number for instance in instances(template)]
    assert tuple(derived[number] for number in numbers) == tuples
    assert len(derived) == json.loads(SCENES.read_text())[template_id]["buildable"]
    assert numbers[-1] < template.selection.search


def test_enumerated_tasks_equal_loaded_ones() -> None:
    template = find_template("00020")
    assert tuple(enumerate_tasks(template, 100)) == template_tasks("00020")


def _scene(data: dict[str, Any]) -> Scene:
    """A scene of the original, in our types."""
    bodies = tuple(
        Body(
            shapes=tuple(_shape(shape) for shape in body["shapes"]),
            dynamic=body["bodyType"] == "DYNAMIC",
            position=(body["position"][0], body["position"][1]),
            angle=body["angle"],
            color=Color[body["color"]],
            kind=Kind[body["shapeType"].replace("STANDINGSTICKS", "STANDING_STICKS")],
            diameter=body["diameter"],
        )
        for body in data["bodies"]
    )
    assert data["relationship"] == "TOUCHING"
    goal = Goal(data["bodyId1"], data["bodyId2"])
    return Scene(bodies, goal, data["width"], data["height"], data["id"])


def _shape(data: dict[str, Any]) -> Shape:
    if "circle" in data:
        return Circle(data["circle"])
    return Polygon(tuple((x, y) for x, y in data["polygon"]))


def write() -> None:
    """Write the golden files from what the package says now."""
    scenes = {
        template_id: {
            "scenes": scene_hash(template_tasks(template_id)),
            "tuples": find_template(template_id).tuple_count,
            "buildable": sum(1 for _ in instances(find_template(template_id))),
        }
        for template_id in MODULES
    }
    SCENES.write_text(json.dumps(scenes, indent=1) + "\n")
    folds = {s.value: [fold_hash(load_fold(s, seed)) for seed in SEEDS] for s in Setup}
    FOLDS.write_text(json.dumps(folds, indent=1) + "\n")


if __name__ == "__main__":
    write()
