"""New puzzles: scrambled from the bodies of given tasks, or free, from building blocks alone.

There is a third kind in :mod:`topple.phyre.blend`.

A *scrambled* puzzle begins as one of the given tasks. Its bodies are moved, tilted, resized or
left out, bodies of another of the tasks are lent to it, it is mirrored, and the two bodies that
have to touch are drawn anew. A *free* puzzle is made of balls, bars, jars and standing sticks of
random sizes in random places, often in rows, half of them after everything has come to rest; no
task feeds it. Neither ever has a body that overlaps another, see
:func:`~topple.phyre.engine.native.place_bodies`.

Listed actions are then simulated on each scene, and a scene is kept if some of them solve it, but
fewer than 60 %. The same seed gives the same puzzles, on any number of threads and any back end,
and more puzzles begin with fewer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre import shapes
from topple.phyre.action import listed_actions
from topple.phyre.builder import WALL_BODIES
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.backend import Backend, device_for
from topple.phyre.engine.native import MAX_BODIES, SceneSet, place_bodies, simulate_batch
from topple.phyre.engine.packing import offsets
from topple.phyre.engine.request import SCENE_SIZE, Request
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Fold
from topple.phyre.likeness import parts
from topple.phyre.scene import Body, Circle, Color, Goal, Kind, Scene, Shape
from topple.phyre.scene.jar import DIAGONAL_WIDTH_TO_HEIGHT
from topple.phyre.task import Task, TaskId, load_task
from topple.phyre.tier import Tier
from topple.progress import Progress

ACTIONS = 256  # simulated on each scene
MOST_SOLVED = 0.6  # of the valid ones; an easier scene is no puzzle
CHUNK = 64  # scenes drawn together; part of what a seed means
TOGETHER = 16  # chunks simulated together on a GPU
LIST_LENGTH = 100_000  # listed actions, of which scenes take turns to be tried with

# How often each change is made to a scrambled scene, or to a body of it.
MIRRORED, MIXED, STAYS, TILTED, RESIZED, OLD_GOAL = 0.5, 0.5, 0.35, 0.2, 0.3, 0.25
LEFT_OUT = (0.0, 0.0, 0.1, 0.3)  # of the bodies of a scene
LENT = (0.15, 0.7)  # of the bodies of another task
SPREADS = (4.0, 12.0, 30.0, 70.0)  # pixels, of a body's move
SHIFT = 50.0  # pixels, of bodies that move together
TILT = 0.4  # radians
RAISE = 3.0  # pixels, of a body that would overlap another where it is
STRETCH = 0.35  # of the logarithm of a scale

# The sizes of free bodies, as scales of the scene builder, and how often each kind comes.
SCALES = {
    Kind.BALL: (0.04, 0.25),
    Kind.BAR: (0.04, 1.0),
    Kind.JAR: (0.12, 0.5),
    Kind.STANDING_STICKS: (0.15, 0.7),
}
SHARES = {Kind.BALL: 0.36, Kind.BAR: 0.46, Kind.JAR: 0.12, Kind.STANDING_STICKS: 0.06}
DYNAMIC = {Kind.BALL: 0.6, Kind.BAR: 0.3, Kind.JAR: 0.75, Kind.STANDING_STICKS: 0.75}
GROUPS = (3, 12)  # of bodies in a free scene, at least and fewer than
ROWS, LONGEST_ROW = 0.25, 7  # how many groups are rows, and bodies of a row at most
ROW_STEP = 45.0  # pixels from one body of a row to the next, about
FLOOR, ON_THE_GROUND, SETTLED = 0.4, 0.3, 0.5  # how often
PLACES = 6  # tried for a free body
SETTLE_STEPS = 150

_MAKERS: dict[Kind, Callable[[float], shapes.Outline]] = {
    Kind.BALL: shapes.ball,
    Kind.BAR: shapes.bar,
    Kind.JAR: shapes.jar,
    Kind.STANDING_STICKS: shapes.standing_sticks,
}
_LIMIT = MAX_BODIES - len(WALL_BODIES) - Tier.TWO_BALLS.balls
_LEAST, _MOST = (np.array([0.0, *ends]) for ends in zip(*SCALES.values(), strict=True))  # by kind

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Puzzles:
    """New puzzles, with the outcomes of some listed actions on each.

    Attributes:
        tier: what the actions place.
        scenes: the puzzles.
        tried: [puzzles, actions] numbers of the listed actions that were simulated on each.
        outcomes: [puzzles, actions] what came of them.
        made_of: [puzzles, 2] numbers of the source's tasks that bodies come from; -1: of none.
        drawn: scenes that were put together, also those that were not kept.
        simulated: attempts that were simulated on all of them.
    """

    tier: Tier
    scenes: tuple[Scene, ...]
    tried: npt.NDArray[np.int32]
    outcomes: Outcomes
    made_of: Ints
    drawn: int
    simulated: int

    def __len__(self) -> int:
        return len(self.scenes)


class Draft(NamedTuple):
    """Scenes in the making: their bodies one scene after the other, without walls."""

    scene: Ints  # [bodies] the scene of each, not falling
    outline: npt.NDArray[np.int32]  # [bodies, places] as numbered by the source
    pose: Floats  # [bodies, places, 3] pixels and radians, the best place first
    dynamic: Flags  # [bodies]
    goal: Ints  # [bodies] 1 and 2: the bodies that had to touch; 0: others
    made_of: Ints  # [scenes, 2] numbers of the tasks that bodies come from; -1: of none


class OutlineTable:
    """Outlines by number, each listed once."""

    def __init__(self) -> None:
        self.shapes: list[tuple[Shape, ...]] = []
        self.kind: list[Kind] = []
        self.diameter: list[float] = []
        self.low: list[float] = []  # pixels from the origin down to the lowest point, upright
        self._known: dict[tuple[Shape, ...], int] = {}
        self._scaled: dict[tuple[int, int], int] = {}

    def add(self, parts: tuple[Shape, ...], kind: Kind, diameter: float) -> int:
        """The number of an outline."""
        if parts not in self._known:
            self._known[parts] = len(self.shapes)
            self.shapes.append(parts)
            self.kind.append(kind)
            self.diameter.append(diameter)
            self.low.append(
                max(
                    part.radius if isinstance(part, Circle) else -min(y for _, y in part.vertices)
                    for part in parts
                )
            )
        return self._known[parts]

    def scaled(self, kinds: Ints, scales: Floats) -> npt.NDArray[np.int32]:
        """[bodies] numbers of outlines, with scales rounded to whole pixels."""
        steps = np.maximum(np.rint(scales * SCENE_SIZE), 1).astype(np.int64)
        found = np.empty(len(kinds), np.int32)
        for place, key in enumerate(zip(kinds.tolist(), steps.tolist(), strict=True)):
            if key not in self._scaled:
                made = _MAKERS[Kind(key[0])](key[1] / SCENE_SIZE)
                self._scaled[key] = self.add(made.shapes, made.kind, made.diameter)
            found[place] = self._scaled[key]
        return found


class Source:
    """Where scenes come from.

    Attributes:
        name: one word for the puzzles.
        statics_overlap: whether static bodies may overlap each other.
        is_whole: whether a scene is left out if there is no place for a body that lies in it.
        tier: what actions place.
        outlines: the shapes of all bodies drawn so far.
    """

    name: ClassVar[str]
    statics_overlap: ClassVar[bool]
    is_whole: ClassVar[bool] = False

    def __init__(self, tier: Tier) -> None:
        self.tier = tier
        self.outlines = OutlineTable()

    def draw(self, count: int, rng: np.random.Generator) -> Draft:
        """Draw scenes, before overlaps are refused."""
        raise NotImplementedError

    def settles(self, count: int, rng: np.random.Generator) -> Flags:
        """[scenes] whether bodies come to rest before a scene begins; none do by default."""
        return np.zeros(count, bool)

    def prefer(self, tried: npt.NDArray[np.int32], made_of: Ints, rng: np.random.Generator) -> None:
        """Put promising actions in the place of some that are to be simulated; none by default.

        Args:
            tried: [scenes, actions] numbers of listed actions.
            made_of: [scenes, 2] tasks that scenes are made of.
            rng: for all random choices.
        """


def _scale(body: Body) -> float:
    """The scale that the scene builder would take for a body; 0 if its kind has none."""
    if body.kind is Kind.BALL:
        return (body.diameter - 1) / SCENE_SIZE
    if body.kind is Kind.JAR:
        return body.diameter / math.sqrt(1 + DIAGONAL_WIDTH_TO_HEIGHT**2) / SCENE_SIZE
    if body.kind is Kind.UNDEFINED:
        return 0.0
    return math.sqrt(max(body.diameter**2 - shapes.BAR_HEIGHT**2, 0.0)) / SCENE_SIZE


class OfTasks(Source):
    """Scenes made of the bodies of tasks.

    Args:
        tasks: of one tier; see :func:`train_tasks` for those of a fold.
    """

    statics_overlap = True  # as those of many tasks do

    def __init__(self, tasks: Sequence[Task]) -> None:
        if not tasks:
            raise ValueError("there are no tasks to make puzzles of; give at least one")
        super().__init__(tasks[0].tier)
        if any(task.tier is not self.tier for task in tasks):
            raise ValueError("the tasks are of both tiers; give those of one")
        outline, pose, dynamic, goal, kind, scale, counts = [], [], [], [], [], [], []
        for task in tasks:
            own = parts(task.scene)
            counts.append(len(own))
            for part, body in own:
                outline.append(self.outlines.add(body.shapes, body.kind, body.diameter))
                pose.append((*body.position, body.angle))
                dynamic.append(part.dynamic)
                goal.append(part.role)
                kind.append(part.kind)
                scale.append(_scale(body))
        # [tasks + 1] where the bodies of each begin, and [bodies] what they are.
        self.start = np.concatenate([[0], np.cumsum(counts)])
        self.outline, self.pose = np.array(outline, np.int32), np.array(pose, np.float64)
        self.dynamic, self.goal = np.array(dynamic, bool), np.array(goal)
        self.kind, self.scale = np.array(kind), np.array(scale)

    def bodies_of(self, tasks: Ints) -> tuple[Ints, Ints]:
        """[bodies] the place of the task that each body of some tasks belongs to, and the body."""
        counts = np.diff(self.start)[tasks]
        place = np.repeat(np.arange(len(tasks)), counts)
        return place, np.arange(len(place)) + np.repeat(self.start[tasks] - _before(counts), counts)


class Scrambled(OfTasks):
    """Scenes made of the bodies of one task or two, moved and changed."""

    name = "scrambled"

    def draw(self, count: int, rng: np.random.Generator) -> Draft:
        """Draw scenes, each from one task or two."""
        made_of = np.full((count, 2), -1)
        made_of[:, 0], *own = self._lend(np.arange(count), np.ones(count), 0.0, rng)
        mixed = np.flatnonzero(rng.random(count) < MIXED)
        made_of[mixed, 1], *lent = self._lend(mixed, rng.uniform(*LENT, len(mixed)), SHIFT, rng)
        scene, body, pose = (np.concatenate(pair) for pair in zip(own, lent, strict=True))
        goal = np.concatenate([self.goal[own[1]], np.zeros(len(lent[1]), np.int64)])
        left_out = rng.choice(LEFT_OUT, count)
        keep = rng.random(len(scene)) >= left_out[scene]
        order = np.flatnonzero(keep)[np.argsort(scene[keep], kind="stable")]
        scene, body, pose, goal = scene[order], body[order], pose[order], goal[order]
        old = self.outline[body]
        moved, outline = pose.copy(), old.copy()
        self._resize(moved, outline, body, rng)
        self._move(moved, scene, count, rng)
        tilted = rng.random(len(scene)) < TILTED
        moved[tilted, 2] += rng.normal(0, TILT, int(tilted.sum()))
        between = pose.copy()
        between[:, :2] = (moved[:, :2] + pose[:, :2]) / 2
        # Some tasks begin with a plank that dips into what it lies on.
        raised = pose + np.array((0, RAISE, 0))
        return Draft(
            scene,
            np.stack([outline, old, old, old], axis=1),
            np.stack([moved, between, pose, raised], axis=1),
            self.dynamic[body],
            np.where((rng.random(count) < OLD_GOAL)[scene], goal, 0),
            made_of,
        )

    def _lend(
        self, scenes: Ints, share: Floats, shift: float, rng: np.random.Generator
    ) -> tuple[Ints, Ints, Ints, Floats]:
        """A random task for each scene, and its bodies, mirrored and shifted together."""
        task = rng.integers(len(self.start) - 1, size=len(scenes))
        place, body = self.bodies_of(task)
        taken = rng.random(len(place)) < share[place]
        place, body = place[taken], body[taken]
        pose = self.pose[body].copy()
        mirrored = (rng.random(len(scenes)) < MIRRORED)[place]
        pose[mirrored] = pose[mirrored] * (-1, 1, -1) + (SCENE_SIZE, 0, 0)
        pose[:, :2] += rng.uniform(-shift, shift, (len(scenes), 2))[place]
        return task, scenes[place], body, pose

    def _resize(
        self, pose: Floats, outline: npt.NDArray[np.int32], body: Ints, rng: np.random.Generator
    ) -> None:
        """Give some bodies another size; they keep standing where they stand."""
        chosen = np.flatnonzero((rng.random(len(body)) < RESIZED) & (self.kind[body] > 0))
        kinds = self.kind[body[chosen]]
        factor = np.exp(rng.normal(0, STRETCH, len(chosen)))
        scale = np.clip(self.scale[body[chosen]] * factor, _LEAST[kinds], _MOST[kinds])
        resized = self.outlines.scaled(kinds, scale)
        low = np.array(self.outlines.low)
        pose[chosen, 1] += low[resized] - low[outline[chosen]]
        outline[chosen] = resized

    def _move(self, pose: Floats, scene: Ints, count: int, rng: np.random.Generator) -> None:
        """Move some bodies of each scene together, and most of them a little by themselves."""
        together = rng.random(len(scene)) < rng.uniform(0, 1, count)[scene]
        shift = rng.uniform(-SHIFT, SHIFT, (count, 2)) * (rng.random((count, 1)) < 0.5)
        pose[:, :2] += shift[scene] * together[:, None]
        goes = rng.random(len(scene)) >= STAYS
        spread = rng.choice(SPREADS, count)[scene] * goes
        pose[:, :2] += rng.normal(0, 1, (len(scene), 2)) * spread[:, None]


class Free(Source):
    """Scenes made of building blocks, which no task feeds.

    Args:
        tier: what actions place.
    """

    name = "free"
    statics_overlap = False

    def settles(self, count: int, rng: np.random.Generator) -> Flags:
        """Half of the scenes begin at rest."""
        return rng.random(count) < SETTLED

    def draw(self, count: int, rng: np.random.Generator) -> Draft:
        """Draw scenes: groups of one body or a row of equal ones, static ones first."""
        groups = rng.integers(*GROUPS, size=count)
        scene = np.repeat(np.arange(count), groups)
        every = len(scene)
        kinds = rng.choice([int(kind) for kind in SHARES], every, p=list(SHARES.values()))
        scale = np.exp(rng.uniform(np.log(_LEAST[kinds]), np.log(_MOST[kinds])))
        dynamic = rng.random(every) < np.array([0.0, *DYNAMIC.values()])[kinds]
        first = np.flatnonzero(np.diff(scene, prepend=-1))
        dynamic[first] = True  # something has to move
        places = self._places(kinds, scale, rng)
        rows = np.where(rng.random(every) < ROWS, rng.integers(2, LONGEST_ROW + 1, every), 1)
        rows[first] = 1
        step = rng.normal(0, ROW_STEP, (every, 2)) * (rng.random((every, 2)) < 0.7)
        member = np.arange(rows.sum()) - np.repeat(_before(rows), rows)
        group = np.repeat(np.arange(every), rows)
        pose = places[group]
        pose[..., :2] += (step[group] * member[:, None])[:, None]
        outline = self.outlines.scaled(kinds, scale)[group]
        floors = np.flatnonzero(rng.random(count) < FLOOR)
        bar = self.outlines.scaled(np.array([int(Kind.BAR)]), np.ones(1))
        at = (SCENE_SIZE / 2, shapes.BAR_HEIGHT / 2, 0.0)
        scene = np.concatenate([floors, scene[group]])
        dynamic = np.concatenate([np.zeros(len(floors), bool), dynamic[group]])
        outline = np.concatenate([np.repeat(bar, len(floors)), outline])
        pose = np.concatenate([np.tile(at, (len(floors), PLACES, 1)), pose])
        order = np.lexsort((dynamic, scene))
        outline = np.repeat(outline[order, None], PLACES, axis=1)
        none = np.zeros(len(order), np.int64)
        no_task = np.full((count, 2), -1)
        return Draft(scene[order], outline, pose[order], dynamic[order], none, no_task)

    def _places(self, kinds: Ints, scale: Floats, rng: np.random.Generator) -> Floats:
        """[bodies, PLACES, 3] random places; most things are level or upright."""
        every = len(kinds)
        pose = np.empty((every, PLACES, 3))
        pose[..., :2] = rng.uniform(0, SCENE_SIZE, (every, PLACES, 2))
        ground = rng.random(every) < ON_THE_GROUND
        bar = kinds == Kind.BAR
        draw = rng.random(every)
        tilt = rng.uniform(-math.pi / 2, math.pi / 2, every)
        turned = np.where(draw < 0.25, math.pi / 2, 0.0)
        turned = np.where(draw > 0.6, tilt, turned)
        other = np.where(draw < 0.1, math.pi, np.where(draw > 0.85, tilt, 0.0))
        angle = np.where(bar, turned, np.where(kinds == Kind.BALL, 0.0, other))
        pose[..., 2] = angle[:, None]
        numbers = self.outlines.scaled(kinds, scale)
        low = np.array(self.outlines.low)[numbers]
        height = np.where(bar & (draw < 0.25), scale * SCENE_SIZE / 2, low)
        pose[ground, :, 1] = height[ground, None]
        return pose


def stream(
    source: Source,
    seed: int,
    *,
    actions: int = ACTIONS,
    threads: int | None = None,
    backend: Backend = "cpu",
) -> Iterator[Puzzles]:
    """Puzzles without end, some at a time.

    Args:
        source: where scenes come from.
        seed: of all random choices.
        actions: listed actions that are simulated on each scene. Scenes take turns, so that
            together they meet the whole list.
        threads: at most this many; all cores by default.
        backend: where they are simulated.
    """
    for number in count_from():
        yield make_part(source, seed, number, actions=actions, threads=threads, backend=backend)


def make_part(
    source: Source,
    seed: int,
    number: int,
    *,
    actions: int = ACTIONS,
    threads: int | None = None,
    backend: Backend = "cpu",
) -> Puzzles:
    """The puzzles with one place in a stream, without those before them; see :func:`stream`."""
    windows = LIST_LENGTH // actions
    if not 1 <= actions <= LIST_LENGTH:
        raise ValueError(f"actions is {actions}; simulate 1 to {LIST_LENGTH} on each scene")
    listed = listed_actions(source.tier, LIST_LENGTH)
    together = 1 if device_for(backend, TOGETHER * CHUNK * actions) is None else TOGETHER
    scenes: list[Scene] = []
    origins: list[Ints] = []
    turn: list[int] = []
    for chunk in range(number * together, (number + 1) * together):
        drawn, pairs = _scenes(source, np.random.default_rng([seed, chunk]), threads)
        turn += range(chunk * CHUNK, chunk * CHUNK + len(drawn))
        scenes += drawn
        origins.append(pairs)
    first = np.array(turn, np.int64) % windows * actions
    tried = (first[:, None] + np.arange(actions)).astype(np.int32)
    made_of = np.concatenate(origins)
    source.prefer(tried, made_of, np.random.default_rng([seed, number, 1]))
    place = np.repeat(np.arange(len(scenes)), actions)
    packed = SceneSet(scenes)
    result = simulate_batch(packed, place, listed[tried.ravel()], threads=threads, backend=backend)
    outcomes = result.outcome.reshape(len(scenes), actions)
    solved, valid = (outcomes > 0).sum(axis=1), (outcomes != Outcome.INVALID).sum(axis=1)
    kept = np.flatnonzero((solved > 0) & (solved < MOST_SOLVED * valid))
    chosen = tuple(scenes[place] for place in kept.tolist())
    return Puzzles(
        *(source.tier, chosen, tried[kept], outcomes[kept], made_of[kept]),
        drawn=together * CHUNK,
        simulated=len(place),
    )


def make(
    source: Source,
    count: int,
    seed: int,
    *,
    actions: int = ACTIONS,
    threads: int | None = None,
    backend: Backend = "cpu",
    progress: Progress | None = None,
) -> Puzzles:
    """A number of puzzles, named after their source, the seed and their place.

    Args:
        source: where scenes come from.
        count: how many.
        seed: of all random choices.
        actions: listed actions that are simulated on each scene.
        threads: at most this many; all cores by default.
        backend: where they are simulated.
        progress: called with (puzzles made, puzzles in all).

    Raises:
        ValueError: The source gives no puzzles.
    """
    parts: list[Puzzles] = []
    made = 0
    for part in stream(source, seed, actions=actions, threads=threads, backend=backend):
        parts.append(part)
        made += len(part)
        if progress:
            progress(min(made, count), count)
        if made >= count:
            break
        if len(parts) == _PATIENCE and not made:
            raise ValueError(
                f"none of {sum(part.drawn for part in parts):,} scenes can be solved by {actions} "
                "listed actions; try more of them"
            )
    name = f"{source.name}-{seed}"
    scenes = [scene for part in parts for scene in part.scenes][:count]
    return Puzzles(
        source.tier,
        tuple(scene._replace(name=str(TaskId(name, place))) for place, scene in enumerate(scenes)),
        np.concatenate([part.tried for part in parts])[:count],
        np.concatenate([part.outcomes for part in parts])[:count],
        np.concatenate([part.made_of for part in parts])[:count],
        sum(part.drawn for part in parts),
        sum(part.simulated for part in parts),
    )


_PATIENCE = 100  # chunks without a puzzle before giving up


def train_tasks(fold: Fold, tasks: Sequence[TaskId] | None = None) -> list[Task]:
    """The tasks of a fold that puzzles may be made from: those to learn from, or some of them.

    Raises:
        ValueError: A task is one that the fold keeps back, or none of its tasks.
    """
    for task in tasks or ():
        if task not in fold.train:
            part = "a dev" if task in fold.dev else "a test" if task in fold.test else "no"
            raise ValueError(
                f"task '{task}' is {part} task of fold {fold.seed} of {fold.setup.value}; puzzles "
                "are made of train tasks alone, so leave it out"
            )
    return [load_task(task) for task in (fold.train if tasks is None else tasks)]


def _before(counts: Ints) -> Ints:
    """[rows] the sum of the counts before each."""
    sums: Ints = np.cumsum(counts) - counts
    return sums


def _scenes(
    source: Source, rng: np.random.Generator, threads: int | None
) -> tuple[list[Scene], Ints]:
    """One chunk of scenes, as many as have two bodies of which one can move, and their tasks."""
    drawn = source.draw(CHUNK, rng)
    draft = _placed(source, drawn, threads)
    settles = source.settles(CHUNK, rng)
    if settles.any():
        draft = _placed(source, _settled(source, draft, settles, threads), threads)
    ends = _goals(draft, rng)
    bodies = _bodies(source.outlines, draft, ends)
    starts = offsets(np.bincount(draft.scene, minlength=CHUNK).tolist()).tolist()
    scenes = []
    usable = (ends >= 0).all(axis=1)
    if source.is_whole:
        usable &= _count_inside(draft) == _count_inside(drawn)
    complete = np.flatnonzero(usable)
    for scene in complete.tolist():
        start, end = starts[scene : scene + 2]
        goal = Goal(*(len(WALL_BODIES) + body - start for body in ends[scene].tolist()))
        scenes.append(Scene((*WALL_BODIES, *bodies[start:end]), goal))
    return scenes, draft.made_of[complete]


def _count_inside(draft: Draft) -> Ints:
    """[scenes] how many bodies have their centres in the scene."""
    centre = draft.pose[:, 0, :2]
    inside = ((centre >= 0) & (centre <= SCENE_SIZE)).all(axis=1)
    return np.bincount(draft.scene[inside], minlength=CHUNK)


def _placed(source: Source, draft: Draft, threads: int | None) -> Draft:
    """The bodies that fit, each in one place."""
    starts = offsets(np.bincount(draft.scene, minlength=CHUNK).tolist())
    parts = source.outlines.shapes
    chosen = place_bodies(
        parts,
        starts,
        draft.outline,
        draft.pose,
        draft.dynamic,
        limit=_LIMIT,
        threads=threads,
        statics_overlap=source.statics_overlap,
    )
    kept = np.flatnonzero(chosen >= 0)
    place = chosen[kept]
    return Draft(
        draft.scene[kept],
        draft.outline[kept, place][:, None],
        draft.pose[kept, place][:, None],
        draft.dynamic[kept],
        draft.goal[kept],
        draft.made_of,
    )


def _settled(source: Source, draft: Draft, settles: Flags, threads: int | None) -> Draft:
    """Let the bodies of some scenes move until they rest, or nearly so."""
    nothing = np.full((CHUNK, 2), -1)
    bodies = _bodies(source.outlines, draft, nothing)
    starts = offsets(np.bincount(draft.scene, minlength=CHUNK).tolist())
    chosen = np.flatnonzero(settles & (np.diff(starts) > 0))
    scenes = [Scene((*WALL_BODIES, *bodies[starts[scene] : starts[scene + 1]])) for scene in chosen]
    request = Request(max_steps=SETTLE_STEPS, final_state=True)
    actions = np.zeros((len(scenes), 0))
    result = simulate_batch(
        SceneSet(scenes), np.arange(len(scenes)), actions, request, threads=threads
    )
    assert result.final_state is not None  # asked for above
    pose = draft.pose.copy()
    for row, scene in enumerate(chosen.tolist()):
        start, end = starts[scene : scene + 2]
        states = result.final_state[row, len(WALL_BODIES) :][: end - start, :3]
        moved = draft.dynamic[start:end]
        pose[start:end, 0][moved] = states[moved]
    return draft._replace(pose=pose)


def _goals(draft: Draft, rng: np.random.Generator) -> Ints:
    """[scenes, 2] the bodies that have to touch, or -1: as before, or drawn anew.

    The first is dynamic. The second is one of the dynamic bodies as often as one of all.
    """
    every = len(draft.scene)
    found = np.full((CHUNK, 2), -1)
    lucky = rng.random((every, 2))
    prefers = (rng.random(CHUNK) < 0.5)[draft.scene]
    for end in (0, 1):
        score = lucky[:, end] + (draft.dynamic & (prefers | (end == 0)))
        if end == 0:
            score[~draft.dynamic] = -1
        else:
            score[found[found[:, 0] >= 0, 0]] = -1
        order = np.lexsort((score, draft.scene))
        order = order[score[order] >= 0]
        last = np.flatnonzero(np.diff(draft.scene[order], append=CHUNK))
        found[draft.scene[order[last]], end] = order[last]
    old = np.full((CHUNK, 2), -1)
    for end in (0, 1):
        bodies = np.flatnonzero(draft.goal == end + 1)
        old[draft.scene[bodies], end] = bodies
    kept = (old >= 0).all(axis=1)
    found[kept] = old[kept]
    return found


def _bodies(outlines: OutlineTable, draft: Draft, ends: Ints) -> list[Body]:
    """The bodies, in the colours of their parts in the puzzle."""
    color = np.where(draft.dynamic, Color.GRAY, Color.BLACK)
    for end, moving in ((1, Color.BLUE), (0, Color.GREEN)):
        number = ends[ends[:, end] >= 0, end]
        color[number] = np.where(draft.dynamic[number], moving, Color.PURPLE)
    palette, table, kinds = list(Color), outlines.shapes, outlines.kind
    return [
        Body(
            table[outline],
            dynamic,
            (x, y),
            angle,
            palette[code],
            kinds[outline],
            outlines.diameter[outline],
        )
        for outline, (x, y, angle), dynamic, code in zip(
            draft.outline[:, 0].tolist(),
            draft.pose[:, 0].tolist(),
            draft.dynamic.tolist(),
            color.tolist(),
            strict=True,
        )
    ]
