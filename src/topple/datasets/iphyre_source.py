"""Episodes of I-PHYRE games, drawn and played for a data set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from topple.datasets.attempts import Attempts, read_attempts
from topple.datasets.sample import (
    COMMON,
    Array,
    Batch,
    Column,
    Field,
    Row,
    Source,
    check_splits,
    generator,
    picture_fields,
    row_columns,
    text_fields,
)
from topple.datasets.spec import SPLITS, Spec, SpecError
from topple.iphyre.dataset import walk
from topple.iphyre.engine.batch import MAX_BODIES, NEVER, Outcomes, simulate_batch
from topple.iphyre.engine.native import scene_set, simulate
from topple.iphyre.episode import scores_of
from topple.iphyre.game import Game
from topple.iphyre.game_file import load_games
from topple.iphyre.games import game_named
from topple.iphyre.observe import COLUMNS, object_table
from topple.iphyre.pictures import draw, draw_masks
from topple.iphyre.plan import queued, random_rows, removals, row_plan
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.iphyre.scramble import scramble
from topple.iphyre.split import Split
from topple.iphyre.variants import vary
from topple.llm.iphyre.scene import game_lines
from topple.runs.benchmark import find_benchmark

GOAL = "Get every red ball out of the scene through the bottom by removing gray blocks."
_CHUNK_BYTES = 128 << 20  # of observations kept at once
_JITTER = 0.5  # s, by which a near miss differs from a solution, at most
_ROUNDS = 8  # of changing solutions until enough fail


class IPhyreSource(Source):
    """I-PHYRE's episodes; see :class:`topple.datasets.sample.Source`.

    The action of a draw is a tick per gray block, in the game's order, or NEVER.

    Args:
        spec: what to draw and keep.
        base: the folder that names of files are relative to.
    """

    def __init__(self, spec: Spec, base: Path = Path()) -> None:
        super().__init__(spec, base)
        self.rules: Rules = AT_60_HZ if spec.keep.hz == AT_60_HZ.hz else AT_10_HZ
        self._games: dict[str, Game] = {}
        self.splits = self._chosen()
        self._known = lru_cache(maxsize=None)(self._played)
        self._lines = lru_cache(maxsize=None)(lambda name: game_lines(self.game(name)))

    @property
    def engine(self) -> str:
        """The hash of the engine."""
        return find_benchmark("iphyre").engine_hash()

    @cached_property
    def fields(self) -> dict[str, Field]:
        """What a sample holds."""
        keep = self.spec.keep
        found = {
            **COMMON,
            "action": Field("int32", (None,), "tick of removal of each gray block; -1 for never"),
            "solved": Field("bool", (), "whether every ball got out"),
            "ticks": Field("int32", (), "played, the solving one included"),
            "removed": Field("int32", (), "blocks removed"),
            "reward": Field("float64", (), "earned by the episode"),
        }
        found |= text_fields(keep)
        if keep.states:
            about = "x, y (pixels), angle, and their changes per second, of each body"
            found["states"] = Field("float64", (None, None, 6), about)
            found["present"] = Field("bool", (None, None), "whether each body is still there")
        if keep.features:
            about = "object table in pixels, see topple.iphyre.observe"
            found["features"] = Field("float32", (None, MAX_BODIES, COLUMNS), about)
        found |= picture_fields(keep)
        return found

    def game(self, name: str) -> Game:
        """A game by its name."""
        return self._games[name] if name in self._games else game_named(name)

    # Games.

    def _chosen(self) -> dict[str, list[str]]:
        tasks = self.spec.tasks
        splits: dict[str, list[str]] = {}
        for part in SPLITS:
            if names := getattr(tasks, part):
                found = [game for name in names for game in self._named(name)]
                splits[part] = list(dict.fromkeys(found))[: tasks.limit or None]
        if (tasks.variants or tasks.scrambled) and "train" not in splits:
            raise SpecError("tasks.variants and tasks.scrambled need games of tasks.train")
        bases = [self.game(name) for name in splits.get("train", ())]
        made = [
            vary(base, f"{base.name}_variant_{k}", generator(self.spec.seed, base.name, str(k)))
            for base in bases
            for k in range(tasks.variants)
        ]
        made += [
            scramble(bases, f"scrambled_{k}", generator(self.spec.seed, "scrambled", str(k)))
            for k in range(tasks.scrambled)
        ]
        self._games.update({game.name: game for game in made})
        if made:
            splits["train"] += [game.name for game in made]
        check_splits(splits, "game")
        return splits

    def _named(self, name: str) -> list[str]:
        if name.endswith((".json", ".py")):
            games = load_games(self.base / name)
            self._games.update({game.name: game for game in games})
            return [game.name for game in games]
        if name in (split.value for split in Split):
            return [game.name for game in Split(name).games]
        return [game_named(name).name]

    # Draws.

    def _nothing(self, task: str, count: int, rng: np.random.Generator) -> Array:
        return np.full((count, len(self.game(task).eliminable)), NEVER, np.int32)

    def _random(self, task: str, count: int, rng: np.random.Generator) -> Array:
        rows = random_rows(rng, count, len(self.game(task).eliminable), self.rules)
        return queued(rows, self.rules)

    def _near_misses(self, task: str, count: int, rng: np.random.Generator) -> Array:
        """Solutions with one removal left out or moved by up to half a second, which fail."""
        solving, failing = self._known(task)
        kept = [failing[:0]]
        for _ in range(_ROUNDS):
            if not len(solving) or sum(map(len, kept)) >= count:
                break
            near = solving[rng.integers(len(solving), size=4 * count)].copy()
            block = rng.integers(near.shape[1], size=len(near))
            far = max(1, round(_JITTER * self.rules.hz))
            moved = near[np.arange(len(near)), block] + rng.integers(-far, far + 1, len(near))
            stays = rng.random(len(near)) < 0.5
            ticks = np.where(stays | (near[np.arange(len(near)), block] < 0), NEVER, moved)
            near[np.arange(len(near)), block] = np.where(ticks < 0, NEVER, ticks)
            near = queued(near, self.rules)
            kept.append(near[~self._solved(self.game(task), near)])
        return np.concatenate(kept)[:count]

    def _agent(self, task: str, count: int, rng: np.random.Generator) -> Array:
        rows = list(self._plays.get(task, ())[:count])
        return np.array(rows, np.int32).reshape(len(rows), len(self.game(task).eliminable))

    @cached_property
    def _plays(self) -> Attempts:
        places = [self.base / name for name in self.spec.actions.records]
        return read_attempts(places, self.spec, self.games())

    def games(self) -> dict[str, Game]:
        """All games by their names."""
        return {name: self.game(name) for names in self.splits.values() for name in names}

    def _played(self, name: str) -> tuple[Array, Array]:
        """Random plans of a game that solve it, and those that do not."""
        rng = generator(self.spec.seed, name, "candidates")
        rows = self._random(name, self.spec.actions.candidates, rng)
        solved = self._solved(self.game(name), rows)
        return rows[solved], rows[~solved]

    def _solved(self, game: Game, rows: Array) -> Array:
        index, table = np.zeros(len(rows), np.int32), removals(game, rows)
        return simulate_batch([game.scene], index, table, self.rules.request).solved

    # Samples.

    def _batch_size(self) -> int:
        """Episodes that are played together, by about the bytes of one."""
        keep = self.spec.keep
        frames = self.rules.tick_limit // keep.stride + 2
        pictures = 3 * keep.rgb**2 + keep.masks**2
        return max(1, _CHUNK_BYTES // (frames * (pictures + 8192)))

    def _batch(self, rows: Sequence[Row], threads: int | None) -> Batch:
        """Samples of episodes that are played together."""
        names = sorted({row.task for row in rows})
        games = {name: self.game(name) for name in names}
        request, stride = self.rules.request, self.spec.keep.stride
        actions = [np.array(row.draw.action, np.int32) for row in rows]
        due = np.concatenate(
            [
                removals(games[row.task], action[None])
                for row, action in zip(rows, actions, strict=True)
            ]
        )
        batch = simulate(
            scene_set(tuple(game.scene for game in games.values()), request.params, request.dt),
            np.array([names.index(row.task) for row in rows], np.int32),
            due,
            np.full(len(rows), request.builds, np.int64),
            np.full(len(rows), request.ticks, np.int32),
            request.out,
            threads=threads,
            stride=stride,
            bodies=max(game.bodies for game in games.values()),
        )
        assert batch.states is not None
        scores = scores_of(Outcomes(batch.solved, batch.ticks, batch.removed), self.rules)
        played = np.array([score.ticks for score in scores], np.int32)
        sizes = np.column_stack([played // stride + 1, [games[row.task].bodies for row in rows]])
        ticks = np.arange(batch.states.shape[1])[:, None] * stride
        due = due[:, None, : batch.states.shape[2]]
        inside = (np.arange(len(ticks)) < sizes[:, :1])[:, :, None]
        inside = inside & (np.arange(batch.states.shape[2]) < sizes[:, 1:])[:, None]
        present = Column(((due < 0) | (ticks < due)) & inside, sizes)
        states = Column(
            np.where(inside[..., None], batch.states, 0.0),
            np.column_stack([sizes, np.full(len(rows), batch.states.shape[3])]),
        )
        found = {
            **row_columns(rows),
            "action": Column(actions),
            "solved": Column(np.array([score.solved for score in scores], np.bool_)),
            "ticks": Column(played),
            "removed": Column(np.array([score.removed for score in scores], np.int32)),
            "reward": Column(np.array([score.reward for score in scores], np.float64)),
        }
        return found | self._observed(rows, played, states, present)

    def _observed(
        self, rows: Sequence[Row], ticks: Array, states: Column, present: Column
    ) -> Batch:
        keep = self.spec.keep
        found: Batch = {}
        games = [self.game(row.task) for row in rows]
        if keep.text:
            found["description"] = Column([GOAL] * len(rows))
            found["scene"] = Column([self._lines(row.task) for row in rows])
        if keep.states:
            found |= {"states": states, "present": present}
        if keep.features:
            found["features"] = Column(
                [self._tables(row, int(last)) for row, last in zip(rows, ticks, strict=True)]
            )
        seen = [
            (game, list(zip(states[k][:, :, :3], present[k], strict=True)))
            for k, game in enumerate(games if keep.rgb or keep.masks else ())
        ]
        if keep.rgb:
            found["rgb"] = Column(
                [
                    np.array([draw(g.scene, *frame, g.eliminable, keep.rgb) for frame in frames])
                    for g, frames in seen
                ]
            )
        if keep.masks:
            found["masks"] = Column(
                [
                    np.array([draw_masks(g.scene, *frame, keep.masks) for frame in frames])
                    for g, frames in seen
                ]
            )
        return found

    def _tables(self, row: Row, ticks: int) -> Array:
        """The object table of every frame of an episode."""
        game = self.game(row.task)
        plan = row_plan(game, np.array(row.draw.action, np.int32), self.rules)
        stride, builds = self.spec.keep.stride, self.rules.request.builds
        worlds = walk(game, plan, self.rules, builds, ticks, stride)
        return np.array([object_table(world, game.eliminable) for world in worlds], np.float32)
