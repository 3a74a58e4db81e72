"""Attempts on PHYRE tasks, drawn and simulated for a data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.spatial import KDTree

from topple import paths
from topple.datasets.attempts import Attempts, read_attempts
from topple.datasets.combinations import combination_tasks
from topple.datasets.sample import (
    COMMON,
    SOURCES,
    Array,
    Batch,
    Column,
    Draw,
    Field,
    Row,
    Source,
    check_splits,
    draw_by_kind,
    merged,
    picture_fields,
    row_columns,
    text_fields,
)
from topple.datasets.spec import SPLITS, Spec, SpecError
from topple.llm.phyre.scene import goal_words, scene_lines
from topple.phyre.action import listed_actions
from topple.phyre.cache.action_cache import ACTION_CACHE, ActionCache
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.balls import with_balls
from topple.phyre.engine.buffers import result_buffers
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.request import SCENE_SIZE, Request
from topple.phyre.engine.result import CONTACT_DTYPE, FEATURE_COUNT, STATE_FIELDS, BatchResult
from topple.phyre.engine_hash import engine_hash
from topple.phyre.fold import Setup, load_fold
from topple.phyre.frames import draw_states
from topple.phyre.own import load_template
from topple.phyre.palette import to_rgb
from topple.phyre.puzzle_file import read_scenes, write_puzzles
from topple.phyre.scene import Scene
from topple.phyre.scramble import Scrambled, make
from topple.phyre.simulator import FIRST_CONTACT_BUFFER
from topple.phyre.task import Task, enumerate_tasks, load_task
from topple.phyre.task_set import TaskSet
from topple.phyre.tier import Tier

SCRAMBLED = f"{SOURCES}/scrambled.json"  # the tasks that were made for a data set
_TASKS_OF_A_TEMPLATE = 100  # of your own, as the published ones have
_SWAPPED = np.array([6, 1, 2, 3, 4, 5, 0], np.uint8)  # black and white change places
_CHUNK_BYTES = 128 << 20  # of observations in a batch
_DEVICE_BYTES = 1 << 30  # of observations simulated at once on a GPU, to keep its lanes busy
_NEIGHBOURS = 16  # failures beside a solution that near misses are taken from
_TRIES = 200  # random actions drawn per one that is wanted, at most


class _Packed(NamedTuple):
    """Scenes as the engine takes them."""

    place: dict[str, int]  # of each task
    scenes: list[Scene]
    packed: SceneSet


class PhyreSource(Source):
    """PHYRE's attempts; see :class:`topple.datasets.sample.Source`.

    Args:
        spec: what to draw and keep.
        base: the folder that names of files are relative to.
        backend: where states are simulated.
    """

    def __init__(self, spec: Spec, base: Path = Path(), backend: Backend = "cpu") -> None:
        self.spec, self.base, self.backend = spec, base, backend
        self._puzzles: dict[str, Task | Scene] = {}
        self._tiers: dict[str, Tier] = {}  # of scenes
        self._packed = _Packed({}, [], SceneSet([]))
        self._pictures: dict[int, npt.NDArray[np.uint8]] = {}  # memory for those of a batch
        self.splits = self._chosen()
        self._drawn = lru_cache(maxsize=None)(self._draw)
        self._known = lru_cache(maxsize=1)(self._sorted_out)  # for all kinds of draws of a task
        self._words = lru_cache(maxsize=None)(self._described)
        self.cache_folder = paths.cache_folder()

    @property
    def engine(self) -> str:
        """The hash of the engine."""
        return engine_hash()

    @cached_property
    def tier(self) -> Tier:
        """What actions place."""
        tiers = {self._tier_of(task) for tasks in self.splits.values() for task in tasks}
        if len(tiers) > 1:
            raise SpecError("tasks are of both tiers; build a data set of each")
        return tiers.pop()

    @cached_property
    def fields(self) -> dict[str, Field]:
        """What a sample holds."""
        keep = self.spec.keep
        found = {
            **COMMON,
            "template": Field("str", (), "id of the template"),
            "action": Field("float64", (None,), "x, y and radius of each ball, from 0 to 1"),
            "balls": Field("float64", (None, 3), "x, y and radius of each ball in pixels"),
            "outcome": Field("int8", (), "-1 not solved, 0 invalid, 1 solved"),
            "steps": Field("int32", (), "last step if solved, else the limit; 0 if invalid"),
            "goal": Field("int32", (3,), "the two bodies that have to touch, and for how long"),
        }
        found |= text_fields(keep)
        if keep.states:
            about = "x, y (pixels), angle, and their changes per second, of each body"
            found["states"] = Field("float32", (None, None, len(STATE_FIELDS)), about)
        if keep.features:
            about = "PHYRE's object features, see topple.phyre.features"
            found["features"] = Field("float32", (None, None, FEATURE_COUNT), about)
        if keep.codes:
            about = "colour codes 0 to 6, first row on top"
            found["codes"] = Field("uint8", (None, SCENE_SIZE, SCENE_SIZE), about, True)
        found |= picture_fields(keep)
        if keep.contacts:
            for name in CONTACT_DTYPE.names or ():
                kind = str(CONTACT_DTYPE[name])
                found[f"contact_{name}"] = Field(kind, (None,), "of each contact event")
        return found

    # Tasks.

    def _chosen(self) -> dict[str, list[str]]:
        tasks = self.spec.tasks
        splits: dict[str, list[str]] = {}
        if tasks.setup:
            fold = load_fold(Setup.parse(tasks.setup), tasks.fold)
            for part in SPLITS:
                if part in tasks.parts:
                    splits[part] = [str(task) for task in getattr(fold, part)]
        else:
            for part in SPLITS:
                if names := getattr(tasks, part):
                    found = [task for name in names for task in self._named(name)]
                    splits[part] = list(dict.fromkeys(found))
        splits = {part: _spread(names, tasks.limit) for part, names in splits.items()}
        if tasks.scrambled:
            if "train" not in splits:
                raise SpecError("tasks.scrambled needs tasks of train to take pieces of")
            splits["train"] += self._scrambled(splits["train"], tasks.scrambled)
        check_splits(splits, "task")
        return splits

    def _scrambled(self, names: Sequence[str], count: int) -> list[str]:
        """New tasks of pieces of others; a data set keeps them."""
        path = self.base / SCRAMBLED
        if path.exists():
            return self._add(*read_scenes(path))
        tasks = [task for name in names if isinstance(task := self._puzzle(name), Task)]
        if not tasks:
            raise SpecError("tasks.scrambled needs tasks of templates, not only scenes in files")
        made = make(Scrambled(tasks), count, self.spec.seed, backend=self.backend)
        return self._add(made.tier, made.scenes)

    def keep_scrambled(self) -> None:
        """Write scrambled tasks beside the data, so that no worker has to make them again."""
        path = self.base / SCRAMBLED
        if not path.exists():
            made = self.splits["train"][-self.spec.tasks.scrambled :]
            write_puzzles(path, self.tier, list(map(self.scene, made)))

    def _add(self, tier: Tier, scenes: Sequence[Scene]) -> list[str]:
        names = [scene.name for scene in scenes]
        self._puzzles.update(zip(names, scenes, strict=True))
        self._tiers.update(dict.fromkeys(names, tier))
        return names

    def _named(self, name: str) -> list[str]:
        """The tasks of one name, which may be a file or combinations of bodies."""
        if name.endswith(".json"):
            return self._add(*read_scenes(self.base / name))
        if name.startswith("combinations:"):
            held = combination_tasks(name.removeprefix("combinations:"), self.spec.seed)
            return self._add(Tier.BALL, list(held))
        if not name.endswith(".py"):
            return list(TaskSet(name).names)
        tasks = enumerate_tasks(load_template(self.base / name), _TASKS_OF_A_TEMPLATE)
        found = {str(task.id): task for task in tasks}
        self._puzzles.update(found)
        return list(found)

    def _puzzle(self, task: str) -> Task | Scene:
        return self._puzzles[task] if task in self._puzzles else load_task(task)

    def _tier_of(self, task: str) -> Tier:
        if task not in self._puzzles:
            template = task.split(":")[0]
            return next(tier for tier in Tier if template in tier.template_ids)
        puzzle = self._puzzles[task]
        return self._tiers[task] if isinstance(puzzle, Scene) else puzzle.tier

    def scene(self, task: str) -> Scene:
        """The scene of a task."""
        puzzle = self._puzzle(task)
        return puzzle if isinstance(puzzle, Scene) else puzzle.scene

    # Draws.

    def draw(self, task: str) -> list[Draw]:
        """All attempts of a task; the same each time."""
        return self._drawn(task)

    def _draw(self, task: str) -> list[Draw]:
        """All attempts of a task, kind by kind."""

        def draw(kind: str, count: int, rng: np.random.Generator) -> Array:
            found: Array = getattr(self, f"_{kind}")(task, count, rng)
            return found

        return draw_by_kind(self.spec, task, draw)

    def _nothing(self, task: str, count: int, rng: np.random.Generator) -> Array:
        return np.zeros((count, 0))

    def _random(self, task: str, count: int, rng: np.random.Generator) -> Array:
        """Uniform over the actions, or over those that fit the task."""
        if self.spec.actions.keep_invalid:
            return rng.random((count, self.tier.action_size))
        scenes = SceneSet([self.scene(task)])
        kept: list[Array] = []
        for _ in range(_TRIES):
            drawn = rng.random((2 * count + 8, self.tier.action_size))
            kept.append(drawn[map_actions(scenes, np.zeros(len(drawn), np.int32), drawn)[0]])
            if sum(map(len, kept)) >= count:
                break
        return np.concatenate(kept)[:count]

    def _listed(self, task: str, count: int, rng: np.random.Generator) -> Array:
        return listed_actions(self.tier, min(count, self.spec.actions.candidates))

    def _solutions(self, task: str, count: int, rng: np.random.Generator) -> Array:
        solving, _ = self._known(task)
        return rng.permutation(solving)[:count]

    def _failures(self, task: str, count: int, rng: np.random.Generator) -> Array:
        _, failing = self._known(task)
        return failing[rng.permutation(len(failing))[:count]]

    def _near_misses(self, task: str, count: int, rng: np.random.Generator) -> Array:
        """Failures nearest to solutions, each beside another solution while there are some."""
        solving, failing = self._known(task)
        if not len(solving) or not len(failing):
            return failing[:0]
        neighbours = min(_NEIGHBOURS, len(failing))
        tree = KDTree(failing, balanced_tree=False, compact_nodes=False)  # asked little
        beside = tree.query(rng.permutation(solving), neighbours)[1]
        ranked = np.reshape(
            beside, (len(solving), neighbours)
        ).T.ravel()  # the nearest of each first
        return failing[list(dict.fromkeys(ranked.tolist()))[:count]]

    def _agent(self, task: str, count: int, rng: np.random.Generator) -> Array:
        return np.array(self._attempts.get(task, [])[:count])

    @cached_property
    def _attempts(self) -> Attempts:
        places = [self.base / name for name in self.spec.actions.records]
        return read_attempts(places, self.spec, {})

    def _sorted_out(self, task: str) -> tuple[Array, Array]:
        """The listed actions that solve a task, and those that do not."""
        puzzle = self._puzzle(task)
        count = self.spec.actions.candidates
        listed = listed_actions(self.tier, count)
        if isinstance(puzzle, Scene):
            index = np.zeros(count, np.int32)
            outcome = simulate_batch(
                SceneSet([puzzle]), index, listed, backend=self.backend
            ).outcome
        else:
            outcome = self._cache.outcomes([puzzle], count)[0]
        return listed[outcome > 0], listed[outcome < 0]

    @cached_property
    def _cache(self) -> ActionCache:
        return ActionCache(self.cache_folder / ACTION_CACHE, self.tier)

    # Samples.

    def _batch_size(self) -> int:
        return max(1, _CHUNK_BYTES // self._bytes())

    def made_together(self) -> int:
        """Attempts that are simulated at once: many on a GPU, else those of a batch."""
        return _DEVICE_BYTES // self._bytes() if self.backend == "cuda" else 1

    def _bytes(self) -> int:
        """About the bytes of an attempt's observations."""
        keep = self.spec.keep
        frames = self._request().frames
        pictures = SCENE_SIZE**2 * (bool(keep.codes) + bool(keep.masks) + 3 * bool(keep.rgb))
        contacts = FIRST_CONTACT_BUFFER * CONTACT_DTYPE.itemsize * keep.contacts
        return frames * (pictures + 1024) + contacts + 1

    def _request(self) -> Request:
        keep = self.spec.keep
        return Request(
            max_steps=keep.max_steps,
            stride=keep.stride,
            images=keep.codes or 0 < keep.rgb <= SCENE_SIZE,
            objects=keep.features,
            states=keep.states or keep.rgb > SCENE_SIZE,
            max_contacts=FIRST_CONTACT_BUFFER if keep.contacts else 0,
        )

    def _made(self, parts: Sequence[Sequence[Row]], threads: int | None) -> Iterator[Batch]:
        self._pack({row.task for part in parts for row in part})
        yield from super()._made(parts, threads)

    def _pack(self, names: Iterable[str]) -> None:
        """Pack the scenes of some tasks: once for all their batches."""
        place = {name: number for number, name in enumerate(sorted(names))}
        scenes = [self.scene(name) for name in place]
        self._packed = _Packed(place, scenes, SceneSet(scenes))

    def _batch(self, rows: Sequence[Row], threads: int | None) -> Batch:
        """Samples of attempts that are simulated together."""
        names = {row.task for row in rows}
        if not names <= self._packed.place.keys():
            self._pack(names)
        place, scenes, _ = packed = self._packed
        widths = np.array([len(row.draw.action) for row in rows])
        parts = []
        for width in np.unique(widths).tolist():
            places = np.flatnonzero(widths == width)
            some = [rows[k] for k in places.tolist()]
            index = np.array([place[row.task] for row in some], np.int32)
            actions = np.array([row.draw.action for row in some]).reshape(len(some), width)
            made = self._simulate(packed, index, actions, threads)
            parts.append((places, self._columns(some, scenes, index, actions, made)))
        return merged(parts)

    def _simulate(
        self, packed: _Packed, index: Array, actions: Array, threads: int | None
    ) -> dict[str, Any]:
        """Arrays of a batch: the result, and the masks if they are kept."""
        keep, request = self.spec.keep, self._request()
        options: dict[str, Any] = {"threads": threads, "backend": self.backend}
        scenes, played = packed.scenes, packed.packed
        if keep.after_solved:  # the outcome is that of the task, what is seen goes on
            outcome = Request(max_steps=request.max_steps)
            result = simulate_batch(played, index, actions, outcome, **options)
            played = SceneSet([scene._replace(goal=None) for scene in scenes])
        out = self._buffers(played, index, actions, request)
        seen = simulate_batch(played, index, actions, request, out=out, **options)
        if seen.contact_count is not None and (most := int(seen.contact_count.max())) > (
            request.max_contacts
        ):
            larger = replace(request, max_contacts=most)
            seen = simulate_batch(played, index, actions, larger, **options)
        if not keep.after_solved:
            result = seen
        made: dict[str, Any] = {"result": result, "seen": seen}
        if keep.masks:
            made["masks"] = _masks(scenes, index, result, request, keep.after_solved, options)
        return made

    def _buffers(
        self, scenes: SceneSet, index: Array, actions: Array, request: Request
    ) -> BatchResult | None:
        """Arrays of a batch with the pictures of the one before, whose memory is at hand.

        Fresh memory takes as long to get as pictures to draw. A GPU makes more than one batch, so
        the one before may still be in use.
        """
        if not request.images or self.backend == "cuda":
            return None
        count, balls = len(index), actions.shape[1] // 3
        held = self._pictures.get(balls)  # a batch has parts with each number of balls
        if held is None or len(held) < count:
            shape = (max(count, self._batch_size()), request.frames, SCENE_SIZE, SCENE_SIZE)
            held = self._pictures[balls] = np.zeros(shape, np.uint8)
        others = replace(request, images=False)
        fresh = result_buffers(scenes.packed, index, balls, others, None)
        return replace(fresh, images=held[:count])

    def _columns(
        self,
        rows: Sequence[Row],
        scenes: Sequence[Scene],
        index: Array,
        actions: Array,
        made: Mapping[str, Any],
    ) -> Batch:
        keep = self.spec.keep
        result: BatchResult = made["result"]
        seen: BatchResult = made["seen"]
        frames, balls = seen.frame_count, actions.shape[1] // 3
        goals = [
            (goal.first, goal.second, goal.hold_steps) if (goal := scene.goal) else (-1, -1, 0)
            for scene in scenes
        ]
        found = {
            **row_columns(rows),
            "template": Column([row.task.split(":")[0] for row in rows]),
            "action": Column(actions),
            "balls": Column(result.balls),
            "outcome": Column(result.outcome),
            "steps": Column(result.steps),
            "goal": Column(np.array(goals, np.int32)[index]),
        }
        if keep.text:
            words = [self._words(row.task) for row in rows]
            found["description"] = Column([goal for goal, _ in words])
            found["scene"] = Column([scene for _, scene in words])

        def column(array: Array, counts: Sequence[int]) -> Column:
            """Frames of so many bodies in each scene."""
            bodies = np.where(frames > 0, np.array(counts)[index] + balls, 0)
            sizes = np.column_stack([frames, bodies, np.full(len(rows), array.shape[-1])])
            return Column(array, sizes.astype(np.int64))

        if keep.states:
            assert seen.states is not None
            found["states"] = column(seen.states, [len(scene.bodies) for scene in scenes])
        if keep.features:
            assert seen.objects is not None
            kinds = [sum(body.kind != 0 for body in scene.bodies) for scene in scenes]
            found["features"] = column(seen.objects, kinds)
        numbers = range(len(rows))
        if keep.codes:
            assert seen.images is not None
            shown = seen.images[:, :, ::-1]
            found["codes"] = Column([shown[k, : frames[k]] for k in numbers])
        if keep.rgb:
            pictures = [self._rgb(scenes[index[k]], seen, k, int(frames[k])) for k in numbers]
            found["rgb"] = Column(pictures)
        if keep.masks:
            nearest = np.arange(keep.masks) * SCENE_SIZE // keep.masks
            masks = made["masks"][:, :, ::-1]
            found["masks"] = Column(
                [masks[k, : frames[k]][:, nearest][:, :, nearest] for k in numbers]
            )
        if keep.contacts:
            events = [seen.contacts_of(k) for k in numbers]
            for name in CONTACT_DTYPE.names or ():
                found[f"contact_{name}"] = Column([event[name] for event in events])
        return found

    def _rgb(self, scene: Scene, seen: BatchResult, number: int, frames: int) -> Array:
        """Pictures: the engine's, averaged to smaller sizes; larger ones drawn from the shapes."""
        size = self.spec.keep.rgb
        if size > SCENE_SIZE:
            assert seen.states is not None
            whole = with_balls(scene, seen.balls[number])
            drawn = draw_states(whole, seen.states[number, :frames, :, :3].astype(float), size)
            return np.array(drawn, np.uint8).reshape(frames, size, size, 3)
        assert seen.images is not None
        codes = seen.images[number, :frames, ::-1]
        if self.spec.keep.background == "black":
            codes = _SWAPPED[codes]
        pictures = to_rgb(codes)
        if size == SCENE_SIZE:
            return pictures
        shape = (size, size)
        smaller = [Image.fromarray(p).resize(shape, Image.Resampling.BOX) for p in pictures]
        return np.array([np.asarray(p) for p in smaller], np.uint8).reshape(frames, size, size, 3)

    def _described(self, task: str) -> tuple[str, str]:
        """The goal and the scene of a task."""
        scene = self.scene(task)
        return (f"{goal_words(scene)}." if scene.goal else ""), scene_lines(scene)


def _masks(
    scenes: Sequence[Scene],
    index: Array,
    result: BatchResult,
    request: Request,
    after_solved: bool,
    options: Mapping[str, Any],
) -> npt.NDArray[np.uint8]:
    """[attempts, frames, 256, 256] the number of the body at each pixel, row 0 at the bottom.

    The player's balls are made bodies of the scene, which changes no bit of the motion, and
    every body is painted with its number.
    """
    whole = []
    for scene, balls in zip((scenes[k] for k in index.tolist()), result.balls, strict=True):
        placed = with_balls(scene, balls[balls[:, 2] > 0])
        whole.append(placed._replace(goal=None) if after_solved else placed)
    pictures = replace(request, images=True, objects=False, states=False, max_contacts=0)
    seen = simulate_batch(
        SceneSet(whole, numbered=True),
        np.arange(len(whole)),
        np.zeros((len(whole), 0)),
        pictures,
        **options,
    )
    assert seen.images is not None
    seen.images[result.outcome == 0] = 0  # nothing happens where an action does not fit
    return seen.images


def _spread(names: Sequence[str], limit: int) -> list[str]:
    """At most so many names, spread evenly."""
    if not limit or limit >= len(names):
        return list(names)
    return [names[number * len(names) // limit] for number in range(limit)]
