"""Published scenes and folds, pinned by hashes and compared with the original where present.

``python tests/phyre/test_golden.py`` writes the hashes anew.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path

import pytest

from support.shared_data import PHYRE, needs_phyre_data, published_scenes
from support.tally import Tally
from topple.phyre import (
    Fold,
    Setup,
    Task,
    Tier,
    enumerate_tasks,
    find_template,
    load_fold,
    load_task,
    template_tasks,
    tier_tasks,
)
from topple.phyre.fold import SEEDS
from topple.phyre.numbering import instances, published
from topple.phyre.scene.codec import scene_bytes
from topple.phyre.templates import MODULES

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


@needs_phyre_data
def test_scenes_equal_the_published_ones(tally: Tally) -> None:
    originals = published_scenes()
    tasks = {str(task.id): task for tier in Tier for task in tier_tasks(tier)}
    assert tasks.keys() == originals.keys()
    # As bytes, so that zeros keep their signs.
    different = [
        task_id
        for task_id, task in tasks.items()
        if scene_bytes(task.scene) != scene_bytes(originals[task_id])
    ]
    tally("scenes, bit for bit", len(different), len(tasks))
    assert not different


@needs_phyre_data
def test_sentences_equal_the_published_ones() -> None:
    with lzma.open(PHYRE / "tasks.jsonl.xz", "rt") as lines:
        for line in lines:
            record = json.loads(line)
            task = load_task(record["id"])
            assert (task.description, task.tier.name) == (record["description"], record["tier"])
            assert record["relationship"] == "TOUCHING"


@needs_phyre_data
def test_folds_equal_the_published_ones(tally: Tally) -> None:
    with lzma.open(PHYRE / "folds.json.xz", "rt") as file:
        folds = json.load(file)
    different = []
    compared = 0
    for name, seeds in folds.items():
        for seed, parts in seeds.items():
            fold = load_fold(Setup.parse(name), int(seed))
            ours = {part: list(map(str, getattr(fold, part))) for part in ("train", "dev", "test")}
            compared += 1
            if ours != parts:
                different.append((name, seed))
    tally("folds", len(different), compared)
    assert compared == 40
    assert not different


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
