"""The files that RPIN's code reads: boxes and masks of what moves, once a second.

``images/TEMPLATE/TASK/000.npy`` is the first picture, ``full/…/000_image.hkl`` all of them, and
``labels/…/000_{label,boxes,masks}.hkl`` say whether the attempt solves the task and where the
bodies are. ``splits/`` names the tasks of each split. Pictures have 128 pixels, colour codes, and
row 0 at the bottom, like PHYRE's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import hickle
import numpy as np

from topple.datasets.formats import ShardReader, Target
from topple.datasets.phyre_source import PhyreSource
from topple.datasets.sample import Array, Batch, Field, Sample, Source, batch_samples
from topple.datasets.spec import Spec
from topple.files import whole_file, write_whole
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.fold import Setup, Split, load_fold
from topple.phyre.scene import Color

LIBRARIES = ("hickle", "h5py")
LOSSY: tuple[str, ...] = ()
SIZE = 128  # pixels, of pictures and of the frame that boxes refer to
MASK = 21  # pixels, of a body's mask within its box


def stored_fields(source: Source) -> dict[str, Field]:
    """What RPIN keeps of an attempt."""
    return {
        "image": Field("uint8", (SIZE, SIZE), "first picture, colour codes, row 0 at the bottom"),
        "full": Field("float64", (None, SIZE, SIZE), "all pictures"),
        "label": Field("int64", (), "1 if the attempt solves the task"),
        "boxes": Field("float64", (None, None, 5), "number, left, bottom, right and top of bodies"),
        "masks": Field("float64", (None, None, MASK, MASK), "of each body within its box"),
    }


def expected(sample: Sample, source: Source) -> Sample:
    """What is stored of a sample."""
    scene = cast(PhyreSource, source).scene(sample["task"])
    codes, masks = sample["codes"][:, ::-1], sample["masks"][:, ::-1]
    bodies = [
        number
        for number, body in enumerate(scene.bodies, start=1)
        if body.kind != 0 and body.color not in (Color.BLACK, Color.PURPLE)
    ]
    bodies += [len(scene.bodies) + ball + 1 for ball in range(len(sample["balls"]))]
    boxes = np.zeros((len(codes), len(bodies), 5))
    shapes = np.zeros((len(codes), len(bodies), MASK, MASK))
    scale = (SIZE - 1) / (SCENE_SIZE - 1)
    for frame, mask in enumerate(masks):
        for place, body in enumerate(bodies):
            rows, columns = np.nonzero(mask == body)
            boxes[frame, place, 0] = place
            if len(rows):  # what has left the scene has an empty box
                edges = np.array([columns.min(), rows.min(), columns.max(), rows.max()])
                boxes[frame, place, 1:] = edges * scale
                left, bottom, right, top = edges.tolist()
                inside = mask[bottom : top + 1, left : right + 1] == body
                shapes[frame, place] = resized(inside.astype(np.float64), MASK) >= 0.5
    small = codes[:, ::2, ::2]
    return {
        "image": np.ascontiguousarray(small[0]),
        "full": small.astype(np.float64),
        "label": np.int64(sample["outcome"] == 1),
        "boxes": boxes,
        "masks": shapes,
    }


def resized(picture: Array, size: int) -> Array:
    """A picture of another size, by linear interpolation between the centres of its pixels."""
    for axis in (0, 1):
        length = picture.shape[axis]
        places = np.clip((np.arange(size) + 0.5) * length / size - 0.5, 0, length - 1)
        low = np.minimum(places.astype(int), max(length - 2, 0))
        share = (places - low).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, length - 1)
        one, other = np.take(picture, low, axis), np.take(picture, high, axis)
        picture = one * (1 - share) + other * share
    return picture


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Write the attempts of a task."""
    task = target.source.splits[target.shard.split][target.shard.number]
    place = task.replace(":", "/")
    _write_splits(target.folder, target.spec)
    for number, sample in enumerate(batch_samples(batches)):
        kept = expected(sample, target.source)
        picture = target.folder / f"images/{place}/{number:03d}.npy"
        with whole_file(picture) as path, path.open("wb") as file:
            np.save(file, kept["image"])
        for name, folder, ending in (
            ("full", "full", "image"),
            ("label", "labels", "label"),
            ("boxes", "labels", "boxes"),
            ("masks", "labels", "masks"),
        ):
            value = int(kept[name]) if name == "label" else kept[name]
            with whole_file(target.folder / f"{folder}/{place}/{number:03d}_{ending}.hkl") as path:
                hickle.dump(value, str(path), mode="w", compression="gzip", track_times=False)
    return [f"{folder}/{place}/*" for folder in ("images", "full", "labels")]


def _write_splits(folder: Path, spec: Spec) -> None:
    """The tasks of each split, where the spec is a fold: RPIN trains on train and dev."""
    if not spec.tasks.setup:
        return
    setup = Setup.parse(spec.tasks.setup)
    word = "within" if setup.split is Split.WITHIN_TEMPLATE else "cross"
    fold = load_fold(setup, spec.tasks.fold)
    for split, tasks in (("train", sorted(fold.train + fold.dev)), ("test", fold.test)):
        path = folder / f"splits/{word}_{split}_fold_{spec.tasks.fold}.txt"
        if not path.exists():
            write_whole(path, "".join(f"{task}\n" for task in tasks))


class Reader(ShardReader):
    """The attempts of a task."""

    def _open(self) -> None:
        self._place = self._entry["files"][0].removeprefix("images/").removesuffix("/*")

    def __getitem__(self, number: int) -> Sample:
        def load(folder: str, ending: str) -> Any:
            path = self._folder / folder / self._place / f"{number:03d}_{ending}.hkl"
            return hickle.load(str(path))

        return {
            "image": np.load(self._folder / "images" / self._place / f"{number:03d}.npy"),
            "full": load("full", "image"),
            "label": np.int64(load("labels", "label")),
            "boxes": load("labels", "boxes"),
            "masks": load("labels", "masks"),
        }
