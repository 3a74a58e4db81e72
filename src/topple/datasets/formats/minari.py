"""Minari: episodes of I-PHYRE's Gymnasium environments, for offline reinforcement learning.

A split becomes one Minari data set, ``topple/NAME-SPLIT-v0``, in the folder: set
``MINARI_DATASETS_PATH`` to it, and ``minari.load_dataset`` finds it. The environment itself plays
the drawn plans; shards hold the episodes until all are there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import h5py
import numpy as np
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage

import topple.envs
from topple.datasets.formats import ShardReader, Target
from topple.datasets.iphyre_source import IPhyreSource
from topple.datasets.sample import Batch, Field, Sample, Source, batch_samples
from topple.datasets.spec import Spec
from topple.files import whole_file
from topple.iphyre.game import MAX_ELIMINABLE
from topple.iphyre.rules import AT_10_HZ

LIBRARIES = ("minari", "h5py", "gymnasium")
LOSSY: tuple[str, ...] = ()
_ENVIRONMENTS = {
    "on_the_fly": "topple/IPhyreOnTheFly-v0",
    "combined": "topple/IPhyreCombined-v0",
    "in_advance": "topple/IPhyreInAdvance-v0",
}
_STEPS = ("observations", "actions", "rewards", "terminations", "truncations")
_OPTIONS = ("key", "task", "draw")  # kept with each episode; the environment's reset takes "game"
_PARTS = "parts"  # folder of shards until they are put together


def stored_fields(source: Source) -> dict[str, Field]:
    """What Minari keeps of an episode."""
    topple.envs.register_all()
    with gym.make(_ENVIRONMENTS[source.spec.strategy]) as env:
        seen, done = env.observation_space, env.action_space
    return {
        **{name: source.fields[name] for name in _OPTIONS},
        "observations": Field(str(seen.dtype), (None, *(seen.shape or ())), "before each action"),
        "actions": Field(str(done.dtype), (None, *(done.shape or ())), "see topple.iphyre.env"),
        "rewards": Field("float64", (None,), "of each step"),
        "terminations": Field("bool", (None,), "whether the game was solved"),
        "truncations": Field("bool", (None,), "whether time was up"),
    }


def expected(sample: Sample, source: Source) -> Sample:
    """Play the plan of a sample in the environment, and keep every step."""
    game, strategy = cast(IPhyreSource, source).game(sample["task"]), source.spec.strategy
    ticks = sample["action"]
    due = {int(tick): block + 1 for block, tick in enumerate(ticks) if tick >= 0}
    times = np.zeros(MAX_ELIMINABLE, np.float32)
    times[: len(ticks)] = np.maximum(ticks, 0) / AT_10_HZ.tick_limit  # 0: never
    kept: dict[str, list[Any]] = {name: [] for name in _STEPS}
    with gym.make(_ENVIRONMENTS[strategy]) as env:
        seen, info = env.reset(options={"game": game})
        over = False
        while not over:
            kept["observations"].append(seen)
            action = due.get(info["tick"], 0) if strategy == "on_the_fly" else times
            seen, reward, ended, cut, info = env.step(action)
            over = ended or cut
            for name, value in zip(_STEPS[1:], (action, reward, ended, cut), strict=True):
                kept[name].append(value)
        kept["observations"].append(seen)
    fields = stored_fields(source)
    arrays = {name: np.array(kept[name], fields[name].dtype) for name in _STEPS}
    return {**{name: sample[name] for name in _OPTIONS}, **arrays}


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Play the episodes of a shard and hold them in one file."""
    name = f"{_PARTS}/{target.shard.name}.npz"
    arrays: dict[str, Any] = {}
    options = []
    for number, sample in enumerate(batch_samples(batches)):
        episode = expected(sample, target.source)
        options.append({word: episode[word] for word in _OPTIONS})
        arrays |= {f"{word}_{number}": episode[word] for word in _STEPS}
    with whole_file(target.folder / name) as temporary, temporary.open("wb") as file:
        np.savez(file, options=np.array(json.dumps(options)), **arrays)
    return [name]


def assemble(folder: Path, spec: Spec, manifest: dict[str, Any]) -> list[str]:
    """Put the shards of every split together; returns the files."""
    topple.envs.register_all()
    files = []
    for split in manifest["splits"]:
        home = f"topple/{spec.name}-{split}-v0"
        shutil.rmtree(folder / home, ignore_errors=True)  # of a build that was killed here
        (folder / home).mkdir(parents=True)
        storage = MinariStorage.new(
            folder / home / "data", env_spec=gym.spec(_ENVIRONMENTS[spec.strategy])
        )
        first = 0
        for entry in (entry for entry in manifest["shards"] if entry["split"] == split):
            storage.update_episodes(_episodes(folder / entry["files"][0], first))
            entry |= {"files": [f"{home}/data/main_data.hdf5"], "first": first}
            first += entry["samples"]
        storage.update_metadata(
            {
                "dataset_id": home,
                "minari_version": version("minari"),
                "author": {f"Topple {manifest['topple']}"},
                "description": f"I-PHYRE, {spec.strategy}, {split}; see README.md",
            }
        )
        files += [f"{home}/data/main_data.hdf5", f"{home}/data/metadata.json"]
    shutil.rmtree(folder / _PARTS)
    return files


def _episodes(part: Path, first: int) -> Iterator[EpisodeBuffer]:
    with np.load(part, allow_pickle=False) as file:
        for number, options in enumerate(json.loads(str(file["options"]))):
            steps = {name: file[f"{name}_{number}"] for name in _STEPS}
            yield EpisodeBuffer(id=first + number, options=options, **steps)


class Reader(ShardReader):
    """The episodes of a shard in the Minari data set that it became a part of."""

    def __getitem__(self, number: int) -> Sample:
        with h5py.File(self._path) as file:
            group = file[f"episode_{self._entry['first'] + number}"]
            words = {name: str(group.attrs[f"options/{name}"]) for name in _OPTIONS}
            return {**words, **{name: group[name][()] for name in _STEPS}}
