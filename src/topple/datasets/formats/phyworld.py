"""The files that phyworld's code reads: films of a scene's attempts in one HDF5 file.

``SPLIT/10003:000.hdf5`` holds the films of scene 0 of combination 3 as MP4 streams
(``video_streams``), the actions (``action_streams``) and the object features of every frame
(``object_streams``).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import h5py
import numpy as np

from topple.datasets.formats import ShardReader, Target
from topple.datasets.sample import Batch, Field, Sample, Source, film_frames
from topple.files import whole_file
from topple.media.files import mp4_bytes, read_mp4

LIBRARIES = ("h5py", "av")
LOSSY = ("video",)
FPS = Fraction(5)  # of the films; a second of them is 100 steps of the world
_FIRST = 10_000  # number of the first combination's template


def stored_fields(source: Source) -> dict[str, Field]:
    """What phyworld keeps of an attempt."""
    size = source.spec.keep.rgb
    return {
        "video": Field("uint8", (None, size, size, 3), "film, as MP4", True),
        "action": source.fields["action"],
        "objects": source.fields["features"],
    }


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Write the attempts on a scene as one file."""
    task = target.source.splits[target.shard.split][target.shard.number]
    template, _, scene = task.partition(":")
    number = template.removeprefix("combination-")
    digits = f"{_FIRST + int(number)}" if number != template else template
    name = f"{target.shard.split}/{digits}:{scene}.hdf5"
    actions, objects, films = [], [], []
    for batch in batches:
        for row in range(len(batch["key"])):
            actions.append(batch["action"][row].copy())
            objects.append(batch["features"][row].copy())
            films.append(mp4_bytes(film_frames(batch["rgb"], row), FPS))
    with whole_file(target.folder / name) as temporary, h5py.File(temporary, "w") as file:
        options: dict[str, Any] = {"track_times": False}
        file.create_dataset("action_streams", data=np.array(actions), **options)
        file.create_dataset("object_streams", data=np.array(objects), **options)
        streams = file.create_dataset(
            "video_streams", (len(films),), h5py.vlen_dtype(np.uint8), **options
        )
        for row, content in enumerate(films):
            streams[row] = np.frombuffer(content, np.uint8)
    return [name]


class Reader(ShardReader):
    """The attempts on a scene."""

    def __getitem__(self, number: int) -> Sample:
        with h5py.File(self._path) as file:
            return {
                "video": read_mp4(file["video_streams"][number].tobytes()),
                "action": file["action_streams"][number],
                "objects": file["object_streams"][number],
            }


def expected(sample: Sample, source: Source) -> Sample:
    """What is stored of a sample, made again."""
    film = read_mp4(mp4_bytes(sample["rgb"], FPS))
    return {"video": film, "action": sample["action"], "objects": sample["features"]}
