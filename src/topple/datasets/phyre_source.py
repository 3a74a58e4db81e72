"""Attempts on PHYRE tasks, drawn and simulated for a data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice
from math import prod
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
    Field,
    Painted,
    Row,
    Source,
    check_splits,
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
from topple.phyre.engine.buffers import LINE, aligned_zeros, result_buffers
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.request import SCENE_SIZE, Request
from topple.phyre.engine.result import CONTACT_DTYPE, FEATURE_COUNT, STATE_FIELDS, BatchResult
from topple.phyre.engine_hash import engine_hash
from topple.phyre.fold import Setup, load_fold
from topple.phyre.frames import draw_states
from topple.phyre.own import load_template
from topple.phyre.palette import to_rgb, to_rgba
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
_DEVICE_BYTES = 2 << 30  # of observations simulated at once on a GPU, to keep its lanes busy
_NEIGHBOURS = 16  # failures beside a solution that near misses are taken from
_NOTHING: Array = np.empty(0)
_PACKED = 4096  # scenes that are kept packed
_TRIES = 200  # random actions drawn per one that is wanted, at most


class _Packed:
    """Scenes as the engine takes them.

    Attributes:
        place: of each task.
        scenes: of the tasks.
        packed: the same for the engine.
        bodies: [scenes] bodies of each.
        objects: [scenes] bodies that have object features.
    """

    def __init__(self, scenes: Mapping[str, Scene]) -> None:
        self.place = {name: number for number, name in enumerate(scenes)}
        self.scenes = list(scenes.values())
        self.packed = SceneSet(self.scenes)
        self.bodies: Array = self.packed.packed.body_counts()
        self.objects: Array = self.packed.packed.object_counts()

    @cached_property
    def endless(self) -> SceneSet:
        """The scenes without their goals, so that attempts go on when they are solved."""
        return SceneSet([scene._replace(goal=None) for scene in self.scenes])


class _Memory:
    """Memory for the arrays of a batch, which those of the next one take again.

    The system takes as long to give fresh memory as the engine to draw pictures into it.
    """

    def __init__(self) -> None:
        self._block = np.zeros(0, np.uint8)
        self._used = 0  # bytes, also of what did not fit

    def array(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> Array:
        """An array of any content, at the beginning of a cache line."""
        first = self._used
        size = prod(shape) * np.dtype(kind).itemsize
        self._used += size + -size % LINE
        if self._used > len(self._block):
            return np.empty(shape, kind)
        return np.ndarray(shape, kind, self._block, first)

    def clear(self) -> None:
        """Take all of it again, and more if that was not enough."""
        if self._used > len(self._block):
            self._block = aligned_zeros((self._used,), np.uint8)
        self._used = 0


class _Seen(NamedTuple):
    """What attempts of a batch gave, in views without padding."""

    outcome: Array  # [attempts]
    steps: Array  # [attempts]
    balls: Array  # [attempts, balls, 3]
    frames: Array  # [attempts]
    observed: dict[str, list[Array]]  # "states", "objects", "images", "contacts" -> of each attempt


class PhyreSource(Source):
    """PHYRE's attempts; see :class:`topple.datasets.sample.Source`.

    Args:
        spec: what to draw and keep.
        base: the folder that names of files are relative to.
        backend: where states are simulated.
    """

    def __init__(self, spec: Spec, base: Path = Path(), backend: Backend = "cpu") -> None:
        super().__init__(spec, base)
        self.backend = backend
        self._puzzles: dict[str, Task | Scene] = {}
        self._tiers: dict[str, Tier] = {}  # of scenes
        self._packed = _Packed({})
        self._memory = _Memory()
        self.splits = self._chosen()
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

    def _batch(self, rows: Sequence[Row], threads: int | None) -> Batch:
        """Samples of attempts that are simulated together."""
        self._memory.clear()
        packed = self._pack({row.task for row in rows})
        widths = np.array([len(row.draw.action) for row in rows])
        parts = []
        for width in np.unique(widths).tolist():
            places = np.flatnonzero(widths == width)
            some = [rows[k] for k in places.tolist()] if len(places) < len(rows) else rows
            index = np.array([packed.place[row.task] for row in some], np.int32)
            actions = np.array([row.draw.action for row in some]).reshape(len(some), width)
            parts.append((places, self._columns(some, packed, index, actions, threads)))
        return merged(parts)

    def _pack(self, names: set[str]) -> _Packed:
        """The packed scenes of some tasks, kept from batch to batch.

        As many again are packed beside new ones, since they will be met in other shards.
        """
        if not names <= self._packed.place.keys():
            wanted = dict.fromkeys((*self._packed.place, *sorted(names)))
            if len(wanted) > _PACKED:
                wanted = dict.fromkeys(sorted(names))
            else:
                others = (name for some in self.splits.values() for name in some)
                wanted |= dict.fromkeys(islice(others, min(len(wanted), _PACKED)))
            self._packed = _Packed({name: self.scene(name) for name in wanted})
        return self._packed

    def _simulate(
        self, packed: _Packed, index: Array, actions: Array, threads: int | None
    ) -> _Seen:
        """Simulate attempts and keep what is asked for."""
        request = self._request()
        scenes = packed.endless if self.spec.keep.after_solved else packed.packed
        count, balls = len(index), actions.shape[1] // 3
        whole = result_buffers(packed.packed.packed, index, balls, Request(), None)
        observed: dict[str, list[Array]] = {}
        for places in self._groups(packed, index, request, threads):
            some, placed = index[places], actions[places]
            out = None
            if self.backend != "cuda":  # which makes more than one batch: the last may be in use
                taken = self._memory.array
                out = result_buffers(packed.packed.packed, some, balls, request, None, taken)
            options: dict[str, Any] = {"threads": threads, "backend": self.backend}
            seen = simulate_batch(scenes, some, placed, request, out=out, **options)
            if seen.contact_count is not None and (most := int(seen.contact_count.max())) > (
                request.max_contacts
            ):
                larger = replace(request, max_contacts=most)
                seen = simulate_batch(scenes, some, placed, larger, **options)
            for name in ("outcome", "steps", "balls", "frame_count"):
                getattr(whole, name)[places] = getattr(seen, name)
            for name, views in self._views(packed, some, seen).items():
                held = observed.setdefault(name, count * [_NOTHING])
                for place, view in zip(places.tolist(), views, strict=True):
                    held[place] = view
        if self.spec.keep.after_solved:  # the outcome is that of the task, what is seen goes on
            first = Request(max_steps=request.max_steps)
            result = simulate_batch(
                packed.packed, index, actions, first, threads=threads, backend=self.backend
            )
            return _Seen(result.outcome, result.steps, result.balls, whole.frame_count, observed)
        return _Seen(whole.outcome, whole.steps, whole.balls, whole.frame_count, observed)

    def _views(self, packed: _Packed, index: Array, seen: BatchResult) -> dict[str, list[Array]]:
        """What was observed of each attempt, without padding."""
        frames, balls = seen.frame_count.tolist(), seen.balls.shape[1]
        found: dict[str, list[Array]] = {}
        if seen.images is not None:
            found["images"] = [seen.images[k, :count] for k, count in enumerate(frames)]
        for name, counts in (("objects", packed.objects), ("states", packed.bodies)):
            array: Array | None = getattr(seen, name)
            if array is not None:
                widths = np.where(seen.frame_count > 0, counts[index] + balls, 0).tolist()
                found[name] = [
                    array[k, :count, :width]
                    for k, (count, width) in enumerate(zip(frames, widths, strict=True))
                ]
        if seen.contacts is not None:
            found["contacts"] = [seen.contacts_of(k) for k in range(len(frames))]
        return found

    def _groups(
        self, packed: _Packed, index: Array, request: Request, threads: int | None
    ) -> list[Array]:
        """Attempts that are simulated together: those on scenes with as many bodies.

        Their arrays have no padding, so formats need not copy them. Many lanes or threads are kept
        busy by all attempts at once.
        """
        if threads != 1 or self.backend == "cuda" or not (request.states or request.objects):
            return [np.arange(len(index))]
        bodies = packed.bodies[index]
        return [np.flatnonzero(bodies == count) for count in np.unique(bodies)]

    def _columns(
        self,
        rows: Sequence[Row],
        packed: _Packed,
        index: Array,
        actions: Array,
        threads: int | None,
    ) -> Batch:
        keep = self.spec.keep
        seen = self._simulate(packed, index, actions, threads)
        found = {
            **row_columns(rows),
            "template": Column([row.task.split(":")[0] for row in rows]),
            "action": Column(actions),
            "balls": Column(seen.balls),
            "outcome": Column(seen.outcome),
            "steps": Column(seen.steps),
            "goal": Column(packed.packed.packed.goals[index]),
        }
        if keep.text:
            words = [self._words(row.task) for row in rows]
            found["description"] = Column([goal for goal, _ in words])
            found["scene"] = Column([scene for _, scene in words])
        if keep.states:
            found["states"] = Column(seen.observed["states"])
        if keep.features:
            found["features"] = Column(seen.observed["objects"])
        if keep.codes:
            found["codes"] = Column([images[:, ::-1] for images in seen.observed["images"]])
        if keep.rgb:
            found["rgb"] = Column(self._painted(packed, index, seen))
        if keep.masks:
            options = {"threads": threads, "backend": self.backend}
            masks = self._masks(packed, index, seen, options)[:, :, ::-1]
            nearest = np.arange(keep.masks) * SCENE_SIZE // keep.masks
            found["masks"] = Column(
                [
                    masks[k, :count][:, nearest][:, :, nearest]
                    for k, count in enumerate(seen.frames.tolist())
                ]
            )
        if keep.contacts:
            for name in CONTACT_DTYPE.names or ():
                events = seen.observed["contacts"]
                found[f"contact_{name}"] = Column([event[name] for event in events])
        return found

    def _painted(self, packed: _Packed, index: Array, seen: _Seen) -> Painted:
        """Pictures: the engine's, averaged to smaller sizes; larger ones drawn from the shapes."""
        size = self.spec.keep.rgb
        black = self.spec.keep.background == "black"

        def film(number: int) -> Iterator[Array]:
            if size > SCENE_SIZE:
                whole = with_balls(packed.scenes[index[number]], seen.balls[number])
                states = seen.observed["states"][number][:, :, :3].astype(float)
                yield from draw_states(whole, states, size)
                return
            canvas = np.empty((SCENE_SIZE, SCENE_SIZE, 4), np.uint8)
            for codes in seen.observed["images"][number]:
                codes = codes[::-1]
                codes = _SWAPPED[codes] if black else codes
                if size == SCENE_SIZE:
                    yield to_rgba(codes, canvas)
                else:
                    picture = Image.fromarray(to_rgb(codes))
                    yield np.asarray(picture.resize((size, size), Image.Resampling.BOX))

        def paint(number: int) -> Array:
            if size == SCENE_SIZE:
                codes = seen.observed["images"][number][:, ::-1]
                return to_rgb(_SWAPPED[codes] if black else codes)
            pictures = list(film(number))
            return np.array(pictures, np.uint8).reshape(len(pictures), size, size, 3)

        return Painted(len(index), paint, film)

    def _masks(
        self, packed: _Packed, index: Array, seen: _Seen, options: Mapping[str, Any]
    ) -> npt.NDArray[np.uint8]:
        """[attempts, frames, 256, 256] the number of the body at each pixel, row 0 at the bottom.

        The player's balls are made bodies of the scene, which changes no bit of the motion, and
        every body is painted with its number.
        """
        whole = []
        for number, balls in zip(index.tolist(), seen.balls, strict=True):
            placed = with_balls(packed.scenes[number], balls[balls[:, 2] > 0])
            whole.append(placed._replace(goal=None) if self.spec.keep.after_solved else placed)
        pictures = replace(
            self._request(), images=True, objects=False, states=False, max_contacts=0
        )
        made = simulate_batch(
            SceneSet(whole, numbered=True),
            np.arange(len(whole)),
            np.zeros((len(whole), 0)),
            pictures,
            **options,
        )
        assert made.images is not None
        made.images[seen.outcome == 0] = 0  # nothing happens where an action does not fit
        return made.images

    def _described(self, task: str) -> tuple[str, str]:
        """The goal and the scene of a task."""
        scene = self.scene(task)
        return (f"{goal_words(scene)}." if scene.goal else ""), scene_lines(scene)


def _spread(names: Sequence[str], limit: int) -> list[str]:
    """At most so many names, spread evenly."""
    if not limit or limit >= len(names):
        return list(names)
    return [names[number * len(names) // limit] for number in range(limit)]
