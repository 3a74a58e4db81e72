"""The files that Neural Force Field's code reads: object states of I-PHYRE, ten a second.

``game_seq_data/GAME/0/vectors.npy`` is [150, 12, 13]: the ends and the radius of each body, then
its velocity, angle and spin, then whether it can be removed, whether it moves, and its stick and
spring; zero after the end. ``actions.npy`` has x, y and time of each removal. Solutions come first
(0 to 49 of 100), then failures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import numpy as np

from topple.datasets.formats import ShardReader, Target
from topple.datasets.iphyre_source import IPhyreSource
from topple.datasets.sample import Batch, Field, Sample, Source, batch_samples
from topple.files import whole_file
from topple.iphyre.dataset import FPS, walk
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.observe import COLUMNS, object_table
from topple.iphyre.plan import row_plan
from topple.iphyre.rules import SECONDS

LIBRARIES = ("numpy",)
LOSSY: tuple[str, ...] = ()
_LENGTHS = 5  # columns before the motion


def stored_fields(source: Source) -> dict[str, Field]:
    """What Neural Force Field keeps of an episode."""
    shape = (SECONDS * FPS, MAX_BODIES, COLUMNS + 4)
    return {
        "vectors": Field("float64", shape, "state of each body, ten times a second, in pixels"),
        "actions": Field("float64", (None, 3), "x, y and time in seconds of each removal"),
    }


def expected(sample: Sample, source: Source) -> Sample:
    """What is stored of a sample."""
    own = cast(IPhyreSource, source)
    game, rules = own.game(sample["task"]), own.rules
    plan = row_plan(game, sample["action"], rules)
    vectors = np.zeros((SECONDS * FPS, MAX_BODIES, COLUMNS + 4))
    last = int(sample["ticks"]) - 1
    worlds = walk(game, plan, rules, rules.request.builds, last, rules.hz // FPS)
    for place, world in enumerate(worlds):
        table, here = object_table(world, game.eliminable), np.array(world.present)
        motion = np.zeros((MAX_BODIES, 4))
        moves, poses = world.velocities(), world.poses()
        motion[: game.bodies] = np.column_stack([moves[:, :2], poses[:, 2], moves[:, 2]])
        motion[: game.bodies][~here] = 0.0
        vectors[place] = np.hstack([table[:, :_LENGTHS], motion, table[:, _LENGTHS:]])
    made = [
        (*game.centre(body), tick / rules.hz) for tick, body in plan.eliminations if tick <= last
    ]
    return {"vectors": vectors, "actions": np.array(made, np.float64).reshape(-1, 3)}


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Write the episodes of a game."""
    game = target.source.splits[target.shard.split][target.shard.number]
    solutions = target.spec.actions.counts().get("solutions", 0)
    counts = {"solutions": 0, "failures": solutions}  # where the next of a kind goes
    for sample in batch_samples(batches):
        number = counts[sample["draw"]]
        counts[sample["draw"]] += 1
        for name, array in expected(sample, target.source).items():
            path = target.folder / f"game_seq_data/{game}/{number}/{name}.npy"
            with whole_file(path) as temporary, temporary.open("wb") as file:
                np.save(file, array)
    return [f"game_seq_data/{game}/*/*.npy"]


class Reader(ShardReader):
    """The episodes of a game, by their numbers."""

    def _open(self) -> None:
        home = self._path.parent.parent
        self._folders = sorted(home.glob("*"), key=lambda path: int(path.name))

    def __len__(self) -> int:
        return len(self._folders)

    def __getitem__(self, number: int) -> Sample:
        return {
            name: np.load(self._folders[number] / f"{name}.npy") for name in ("vectors", "actions")
        }
