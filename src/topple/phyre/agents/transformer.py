"""A transformer over bodies, taught by puzzles without end.

From top to bottom: the settings, training, checkpoints, acting, online learning. The network is in
:mod:`~topple.phyre.agents.transformer_network`, what it learns from in
:mod:`~topple.phyre.agents.lessons`, its updates in
:mod:`~topple.phyre.agents.transformer_updates`, and puzzles come from
:mod:`~topple.phyre.agents.puzzle_supply`.

The network says whether an action solves a scene. It learns from the training tasks and the cached
outcomes of listed actions on them, and from new puzzles: *scrambled* from the training tasks,
*blended*, between two of them (:mod:`topple.phyre.blend`), or *free*, made of no task
(:mod:`topple.phyre.scramble`). Solutions are changed a little to learn
where success ends. Auxiliary targets, where bodies go and how long the goal holds, teach dynamics.
Puzzles are made in the background; how many of them an update may draw from depends on its number
alone, so on a CPU equal seeds give equal weights, unless training is limited by time.

On a scored task the valid listed actions are ranked, the best are changed a little if asked for,
and candidates are tried best first. A failed attempt counts against the candidates beside it. The
online variant also learns from its attempts, task after task.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from topple.phyre.action import Actions
from topple.phyre.agents.belief import attempt_by_belief
from topple.phyre.agents.dqn_updates import UpdateTimer
from topple.phyre.agents.lessons import Lessons
from topple.phyre.agents.memory import Memory
from topple.phyre.agents.mined import changed, mine
from topple.phyre.agents.puzzle_supply import Part, PuzzleSupply, Recipe, SharedParts
from topple.phyre.agents.scene_tokens import SceneTokens
from topple.phyre.agents.task_training import Checkpoint, TaskLearner, chosen_tasks
from topple.phyre.agents.transformer_network import SceneTransformer, predict, rank
from topple.phyre.agents.transformer_updates import WEIGHT_DECAY, TransformerUpdates
from topple.phyre.agents.watched import pick, watch
from topple.phyre.blend import Blended
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.native import SceneSet, valid_actions
from topple.phyre.engine.result import Outcome
from topple.phyre.mirror import mirrored, mirrored_actions
from topple.phyre.phases import Testing, Training
from topple.phyre.scramble import ACTIONS, LIST_LENGTH, Free, Scrambled, Source
from topple.phyre.task import Task, tier_tasks
from topple.runs.agent import UNSAVED, Observation, Report, TrainingOptions, Traits
from topple.runs.belief import Belief
from topple.runs.checkpoint import CheckpointError, half_precision, load_weights
from topple.runs.device import AUTO, chosen_device
from topple.runs.settings import above_zero, at_least, divisible, fraction

#: Settings that cannot be changed after training; the others are for acting.
TRAINING_SETTINGS = (
    *("actions", "tasks", "scrambled", "blended", "free", "puzzle_actions", "task_share", "mined"),
    *(
        "mined_share",
        "watched",
        "auxiliary_weight",
        "width",
        "layers",
        "heads",
        "relations",
        "updates",
        "batch_size",
        "learning_rate",
    ),
    *("pretrained", "data_seed", "shared_puzzles"),
)

_PERIOD, _PERIODS = 200, 20  # updates between which new puzzles join in, at most; periods, at least
_LEAST_PUZZLES = 100  # waited for if time is limited
_FIRST_PUZZLES = 0.1  # of all puzzles are there before the first update
_REPLANNED = 0.5  # of a time limit, from where on it may end the training with fewer updates
_PREPARING = 0.35  # of a time limit, for puzzles that are made before the first update
_WARM_UP = 200  # updates until the learning rate is full
_ROUNDS, _PARENTS = 3, 256  # of refinement; actions that others are derived from
_ONLINE_BATCH = 256  # attempts of an online update
_SEEDS = 2**31


@dataclass(frozen=True, eq=False)
class TransformerCheckpoint(Checkpoint):
    """The state of training; a finished one has weights in half precision and no optimizer."""

    kind: ClassVar[str] = "topple transformer 1"

    tasks: int  # training tasks learned from, also before if it was pretrained
    puzzles: int
    scenes_drawn: int
    seconds: float

    def count_in(self, training: Training) -> None:
        """Count what the training took, puzzles as well."""
        super().count_in(training)
        training.scenes_drawn += self.scenes_drawn
        training.puzzles += self.puzzles
        training.seconds += self.seconds
        training.learned_from = self.tasks


@dataclass
class Transformer(TaskLearner):
    """The agent that ranks actions by a transformer over bodies.

    Attributes:
        actions: listed actions that are tried on every training task, to learn from.
        tasks: training tasks to learn from, evenly spaced in their order; 0: all of them.
        scrambled: puzzles made of the bodies of the training tasks.
        blended: puzzles between two training tasks of a template.
        free: puzzles made of building blocks alone.
        puzzle_actions: listed actions that are simulated on every scene for a puzzle.
        task_share: share of a batch that comes from the training tasks; the rest is puzzles.
        mined: attempts on each scene beside its solutions; 0: none.
        mined_share: share of attempts in a batch that mined ones take the place of.
        watched: attempts on each scene whose motion is learned, too; 0: none.
        auxiliary_weight: weight of what is learned beside the outcome.
        width: size of a token.
        layers: attention layers.
        heads: attention heads of each.
        relations: whether attention depends on how two bodies lie to each other.
        updates: gradient updates in training.
        batch_size: attempts of a batch.
        learning_rate: highest learning rate; it rises at first, then falls to 0 by half a cosine.
        pretrained: checkpoint to start from, which must have seen no tasks; none if empty.
        data_seed: seed of the puzzles; they are the same for all seeds of weights and batches.
        shared_puzzles: whether puzzles are scrambled from all tasks of the tier, and those left out
            that are made of any but the training tasks: then other folds can have the same.
        rank_size: listed actions that are ranked on a task.
        refined: actions beside the best of them that are ranked as well; 0: none.
        failure_penalty: what a failed attempt takes from the logits of candidates beside it; with
            the distance it falls off as a Gaussian. 0: candidates are tried best first.
        failure_radius: standard deviation of that Gaussian.
        likeness_radius: the same for the network's own summaries of attempts, whose distances
            then count as well: a failure takes less from what the network tells apart from it.
            0: summaries do not count.
        near_miss: what a failed attempt that came nearer to the goal than usual adds to the logits
            of candidates beside it; only failures as far from it as usual are then penalized. 0:
            what happened in failed attempts does not count.
        mirrored: whether an action is scored in the mirrored scene, too; logits are averaged.
        memory: what solutions of earlier test tasks made of the same bodies add to the logits of
            candidates beside them, at most. 0: earlier tasks are not remembered.
        online_updates: updates after each finished test task.
        online_learning_rate: learning rate of the online updates.
        device: cpu, cuda, or auto: a GPU if there is one.
        compile: whether the network is compiled by torch.compile, which takes a while first.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "actions": 500,
        "tasks": 50,
        "scrambled": 20,
        "puzzle_actions": 16,
        "mined": 4,
        "watched": 2,
        "width": 32,
        "layers": 2,
        "heads": 4,
        "updates": 60,
        "batch_size": 64,
        "rank_size": 250,
    }

    actions: int = 100_000
    tasks: int = 0
    scrambled: int = 100_000
    blended: int = 0
    free: int = 0
    puzzle_actions: int = ACTIONS
    task_share: float = 0.25
    mined: int = 64
    mined_share: float = 0.5
    watched: int = 4
    auxiliary_weight: float = 1.0
    width: int = 256
    layers: int = 6
    heads: int = 8
    relations: bool = False
    updates: int = 20_000
    batch_size: int = 4096
    learning_rate: float = 3e-4
    pretrained: str = ""
    data_seed: int = 0
    shared_puzzles: bool = False
    rank_size: int = 10_000
    refined: int = 0
    failure_penalty: float = 4.0
    failure_radius: float = 0.1
    likeness_radius: float = 0.0
    near_miss: float = 0.0
    mirrored: bool = False
    memory: float = 0.0
    online_updates: int = 0
    online_learning_rate: float = 1e-4
    device: str = AUTO
    compile: bool = False
    #: Puzzles that trainings on other folds take from as well, with ``shared_puzzles``.
    shared: SharedParts | None = field(default=None, init=False, repr=False)
    #: Why updates were not replayed from a CUDA graph although that was wanted.
    graph_failure: str | None = field(default=None, init=False, repr=False)
    #: Seconds of training so far.
    seconds: float = field(default=0.0, init=False, repr=False)
    _network: SceneTransformer | None = field(default=None, init=False, repr=False)
    _finished: TransformerCheckpoint | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "actions", "puzzle_actions", "width", "layers", "heads", "updates")
        at_least(self, 1, "rank_size")
        at_least(self, 4, "batch_size")
        at_least(self, 0, "tasks", "scrambled", "blended", "free", "mined", "watched")
        at_least(
            self,
            0,
            "auxiliary_weight",
            "refined",
            "data_seed",
            "failure_penalty",
            "likeness_radius",
            "near_miss",
            "memory",
            "online_updates",
            "online_learning_rate",
        )
        above_zero(self, "learning_rate", "failure_radius")
        fraction(self, "task_share", "mined_share")
        divisible(self, "width", "heads")
        if self.shared_puzzles and self.tasks:
            raise ValueError(
                "few puzzles are made of a few tasks alone; with shared_puzzles, learn "
                "from all training tasks (tasks=0)"
            )
        if not self._of_tasks + self.free:
            self.task_share = 1.0
        if max(self.actions, self.rank_size, self.puzzle_actions) > LIST_LENGTH:
            raise ValueError(
                f"actions, puzzle_actions and rank_size count actions of a list of {LIST_LENGTH:,}"
                "; use at most so many"
            )
        self.device = chosen_device(self.device)

    @property
    def traits(self) -> Traits:
        """It observes kinds, colours, sizes and places of all bodies."""
        online = self.online_updates > 0 or self.memory > 0
        return Traits(online, observation=Observation.OBJECTS, candidates=self.rank_size)

    @property
    def _of_tasks(self) -> int:
        """The number of puzzles that are made of training tasks."""
        return self.scrambled + self.blended

    # Training.

    def learn(self, training: Training, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Make the remaining updates, with a report every few seconds.

        Args:
            training: the tasks to learn from.
            options: where to save it. Under a time limit the number of updates is planned once,
                from the rate of the first ones, and nobody waits for puzzles.
        """
        seed = int(training.rng.integers(_SEEDS))
        chosen = chosen_tasks(training, self.tasks)
        digest = self._digest(chosen)
        network = self._network = self._new_network(seed)
        before = self._start_from(training) if self.pretrained else None
        done = 0
        checkpoint = options.checkpoint
        found = TransformerCheckpoint.resume(checkpoint, self, TRAINING_SETTINGS, digest, seed)
        if found is not None:
            load_weights(network, _single(found.network))
            self.updates, self.seconds, done = found.planned, found.seconds, found.done
            if found.is_finished:
                self._finished = found
                return
        start, earlier = time.monotonic(), self.seconds
        listed = training.actions(LIST_LENGTH)
        lessons = Lessons(listed, self.task_share, self.mined_share, self.device)
        outcomes = None
        if self.task_share or (self.blended and not self.shared_puzzles):
            outcomes = training.outcomes(self.actions, chosen)
        if outcomes is not None and self.task_share:
            self._add_tasks(lessons, training, chosen, outcomes)
        if self.compile:
            network.compile_blocks()
        updates = TransformerUpdates(network, lessons, self.auxiliary_weight)
        if found is not None:
            updates.restore(found.optimizer)
        watched = max(2, self.batch_size // 8) if self.auxiliary_weight else 0
        timer = UpdateTimer(options.minutes)
        seconds = None if options.minutes is None else 60 * options.minutes
        begun, made = time.monotonic(), done

        # Those that puzzles are scrambled from count as well.
        seen = len(chosen) if self.task_share or self._of_tasks else 0
        training.learned_from = seen

        def save(finished: bool) -> TransformerCheckpoint:
            self.seconds = earlier + time.monotonic() - start
            return TransformerCheckpoint(
                self.settings,
                options.run or {},
                digest,
                training.tier.action_size,
                seed,
                done,
                self.updates,
                training.simulator_calls,
                half_precision(network.state_dict()) if finished else network.state_dict(),
                {} if finished else updates.optimizer.state_dict()["state"],
                seen + (before.tasks if before else 0),
                training.puzzles,
                training.scenes_drawn,
                self.seconds,
            )

        # What was waited for before is a part of this training as well.
        earlier += self.shared.seconds if self.shared is not None else 0.0
        with self._supply(training, chosen, outcomes) as supply:
            if supply.on_gpu:
                # Time that is spent on shared puzzles serves all folds.
                limit = None if seconds is None or self.shared_puzzles else _PREPARING * seconds
                yield from self._prepare(lessons, supply, training, limit)
                now = time.monotonic()
                if seconds is not None and limit is not None:
                    seconds = max(1.0, seconds - (now - begun))
                begun = now
            while done < self.updates:
                period = min(_PERIOD, max(1, self.updates // _PERIODS))
                number = done // period
                self._add_puzzles(lessons, supply, training, done, patient=seconds is None)
                end = min(self.updates, (number + 1) * period)
                updates.load(lessons.draw(end - done, self.batch_size, watched, seed, number))
                while done < end:
                    timer.start()
                    rates = self._rates(done, min(timer.count, end - done))
                    loss = updates.run(rates)
                    done += len(rates)
                    timer.stop(len(rates))
                    self.graph_failure = updates.failure
                    self.updates = timer.plan(done, self.updates)
                    if seconds is not None:
                        spent = (time.monotonic() - begun) / seconds
                        if spent > _REPLANNED:  # puzzles may have slowed it down since
                            possible = made + (done - made) / min(spent, 1.0)
                            self.updates = max(done, min(self.updates, int(possible)))
                    end = min(end, self.updates)
                    if checkpoint is not None and done == end and timer.is_time_to_save():
                        save(False).write(checkpoint)
                    yield Report(done, self.updates, timer.rate, loss, float(rates[-1]))
        self._finished = save(True)
        load_weights(network, _single(self._finished.network))  # as others will load them
        if checkpoint is not None:
            self._finished.write(checkpoint)

    def _supply(
        self, training: Training, chosen: Sequence[Task], outcomes: Outcomes | None
    ) -> PuzzleSupply:
        """Puzzles of all kinds, made of none but the chosen tasks."""
        sources: list[tuple[Source, int]] = [(Free(training.tier), self.free)]
        allowed = None
        if self._of_tasks:
            pieces = tier_tasks(training.tier) if self.shared_puzzles else chosen
            if self.scrambled:
                sources.append((Scrambled(pieces), self.scrambled))
            if self.blended:
                sources.append((Blended(pieces, self._solutions(outcomes)), self.blended))
            if self.shared_puzzles:
                own = {task.id for task in chosen}
                allowed = np.array([task.id in own for task in pieces])
        recipe = Recipe(
            *(sources, self.data_seed, self.puzzle_actions),
            *(self.mined, self.watched, training.backend),
        )
        return PuzzleSupply(recipe, allowed, None if allowed is None else self.shared)

    def _solutions(self, outcomes: Outcomes | None) -> Sequence[npt.NDArray[np.int32]]:
        """Numbers of the listed actions that solve each task that puzzles are made of."""
        if self.shared_puzzles or outcomes is None:
            return self.shared.solutions if self.shared is not None else ()
        return [np.flatnonzero(row == Outcome.SOLVED).astype(np.int32) for row in outcomes]

    def _digest(self, tasks: Sequence[Task]) -> str:
        """A hash of the training data; puzzles follow from the settings and the tasks."""
        return super()._digest(tasks if self.task_share or self._of_tasks else [])

    def _new_network(self, seed: int = 0) -> SceneTransformer:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = SceneTransformer(
                self.width, self.layers, self.heads, has_relations=self.relations
            )
        return network.to(self.device)

    def _start_from(self, training: Training) -> TransformerCheckpoint:
        """Load pretrained weights, which no task may have fed.

        Raises:
            CheckpointError: It is not finished, of another size or tier, or has seen tasks.
        """
        assert self._network is not None
        found = TransformerCheckpoint.read(Path(self.pretrained))
        if found.tasks or not found.is_finished:
            raise CheckpointError(
                f"{self.pretrained} was trained on tasks, or is not finished; start from one that "
                "was trained with task_share=0, scrambled=0 and blended=0 on free puzzles"
            )
        if found.action_size != training.tier.action_size:
            raise CheckpointError(f"{self.pretrained} was trained for the other tier")
        load_weights(self._network, _single(found.network))
        found.count_in(training)
        self.seconds += found.seconds
        return found

    def _add_tasks(
        self, lessons: Lessons, training: Training, chosen: list[Task], outcomes: Outcomes
    ) -> None:
        scenes = [task.scene for task in chosen]
        actions = training.actions(self.actions)
        rng = np.random.default_rng(self.data_seed)
        mined = mine(scenes, actions, None, outcomes, self.mined, rng, backend=training.backend)
        training.simulator_calls += mined.outcomes.size
        watched = None
        if self.watched:
            scene, column = pick(outcomes, self.watched, rng)
            watched = watch(scenes, scene, actions[column])
            training.simulator_calls += len(scene)
        lessons.add_tasks(chosen, outcomes, mined, watched)

    def _prepare(
        self, lessons: Lessons, supply: PuzzleSupply, training: Training, limit: float | None
    ) -> Iterator[Report]:
        """Have all puzzles made, or those that can be made in so many seconds."""
        start, spent = time.monotonic(), 0.0
        parts: list[Part] = []
        while supply.made < supply.total and (limit is None or spent < limit):
            parts += supply.take(supply.made + 1)
            spent = time.monotonic() - start
            yield Report(supply.made, supply.total, supply.made / spent, preparing=True)
        supply.stop()
        self._learn_from(parts, lessons, training)

    def _add_puzzles(
        self,
        lessons: Lessons,
        supply: PuzzleSupply,
        training: Training,
        done: int,
        *,
        patient: bool,
    ) -> None:
        """Let the puzzles join in that updates from here on may draw from."""
        if patient:
            share = _FIRST_PUZZLES + 2 * done / self.updates
            wanted = math.ceil(supply.total * min(1.0, share))
        else:
            wanted = max(supply.ready(), _LEAST_PUZZLES)
        self._learn_from(supply.take(wanted), lessons, training)

    def _learn_from(self, parts: Sequence[Part], lessons: Lessons, training: Training) -> None:
        lessons.add_puzzles(parts)
        training.puzzles += sum(map(len, parts))
        training.scenes_drawn += sum(part.drawn for part in parts)
        training.simulator_calls += sum(part.simulated for part in parts)

    def _rates(self, done: int, count: int) -> npt.NDArray[np.float32]:
        """[count] learning rates of the next updates: a short rise, then half a cosine to 0."""
        number = np.arange(done, done + count)
        rise = min(_WARM_UP, max(1, self.updates // 10))
        cosine = (1 + np.cos(math.pi * number / self.updates)) / 2
        rates: npt.NDArray[np.float32] = (
            self.learning_rate * cosine * np.minimum(1.0, (number + 1) / rise)
        ).astype(np.float32)
        return rates

    # Checkpoints.

    def load(self, path: Path) -> dict[str, Any]:
        """Load the weights and all settings of training from a finished checkpoint.

        Returns:
            What it was trained for, if that is known.

        Raises:
            CheckpointError: The file cannot be used, or its training was not finished.
        """
        found = TransformerCheckpoint.finished(path, self, TRAINING_SETTINGS)
        self._network = self._new_network()
        load_weights(self._network, _single(found.network))
        self._finished = found
        self.seconds = found.seconds
        return found.run

    # Acting.

    def act(self, testing: Testing) -> None:
        """Rank the candidates on each task and try the best, in order of the tasks' ids."""
        if self._network is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        # A copy, because online learning must not change the trained weights.
        network = copy.deepcopy(self._network) if self.online_updates else self._network
        scenes = SceneTokens(self.device)
        tasks = sorted(testing.tasks, key=lambda task: task.id)
        scenes.add([task.scene for task in tasks])
        twins = self._add_twins(scenes, tasks) if self.mirrored else {}
        listed = testing.actions(self.rank_size)
        rng = np.random.default_rng(testing.rng.integers(_SEEDS))
        online = _Online(network, scenes, self) if self.online_updates else None
        memory = Memory()
        for place, task in enumerate(tasks):
            network.eval()
            # Others would be turned away; with two balls they are half of the list.
            valid = np.flatnonzero(testing.fits(task, self.rank_size))
            if not len(valid):
                continue
            score = partial(self._score, network, scenes, place, twins.get(place))
            scored: _Scored = score(listed[valid])
            if self.refined:
                scored = self._refine(task, scored, score, rng)
            logits = scored.logits
            if self.memory:
                evidence = np.tanh(memory.evidence(task, scored.actions))
                logits = logits + self.memory * torch.from_numpy(evidence).to(logits)
            vectors = beside = self._vectors(scored.actions)
            if self.likeness_radius:
                scale = self.failure_radius / self.likeness_radius
                beside = torch.cat([vectors, scale * functional.normalize(scored.summaries)], dim=1)
            belief = Belief(
                *(logits, beside, self.failure_penalty, self.failure_radius),
                near_miss=self.near_miss,
            )
            tried, outcomes = attempt_by_belief(
                testing, task, valid, scored.actions, belief, until_solved=online is None
            )
            if self.memory:
                memory.add(task, scored.actions[tried], outcomes)
            if online is not None:
                online.learn(place, vectors[torch.from_numpy(tried)], outcomes)

    @staticmethod
    def _add_twins(scenes: SceneTokens, tasks: Sequence[Task]) -> dict[int, int]:
        """Add the mirrored scenes of tasks, where there are any; returns their places."""
        found = [(place, mirrored(task.scene)) for place, task in enumerate(tasks)]
        twins = [(place, scene) for place, scene in found if scene is not None]
        first = len(scenes)
        scenes.add([scene for _, scene in twins])
        return {place: first + number for number, (place, _) in enumerate(twins)}

    def _vectors(self, actions: Actions) -> Tensor:
        return torch.tensor(actions, dtype=torch.float32, device=self.device)

    def _score(
        self,
        network: SceneTransformer,
        scenes: SceneTokens,
        place: int,
        twin: int | None,
        actions: Actions,
    ) -> _Scored:
        """What the network says of actions on a scene and, if there is one, its mirrored twin."""
        logits, summaries = rank(network, scenes, place, self._vectors(actions))
        if twin is not None:
            turned = self._vectors(mirrored_actions(actions))
            logits = (logits + rank(network, scenes, twin, turned)[0]) / 2
        return _Scored(actions, logits, summaries)

    def _refine(
        self,
        task: Task,
        scored: _Scored,
        score: Callable[[Actions], _Scored],
        rng: np.random.Generator,
    ) -> _Scored:
        """The candidates, then further valid ones beside the best, found in rounds."""
        scene = SceneSet([task.scene])
        for _ in range(_ROUNDS):
            best = scored.logits.topk(min(_PARENTS, len(scored.logits))).indices.cpu().numpy()
            near = changed(scored.actions[rng.choice(best, self.refined // _ROUNDS)], rng)
            near = near[valid_actions(scene, near)[0]]
            if len(near):
                scored = scored.followed_by(score(near))
        return scored


class _Scored(NamedTuple):
    """Candidates as the network sees them."""

    actions: Actions
    logits: Tensor  # [candidates]
    summaries: Tensor  # [candidates, width]

    def followed_by(self, others: _Scored) -> _Scored:
        """These candidates, then others."""
        return _Scored(
            np.concatenate([self.actions, others.actions]),
            torch.cat([self.logits, others.logits]),
            torch.cat([self.summaries, others.summaries]),
        )


class _Online:
    """Learning from attempts on scored tasks: from the last task, and from those before it."""

    def __init__(self, network: SceneTransformer, scenes: SceneTokens, agent: Transformer) -> None:
        self._network, self._scenes, self._agent = network, scenes, agent
        self._optimizer = torch.optim.AdamW(
            network.parameters(), lr=agent.online_learning_rate, weight_decay=WEIGHT_DECAY
        )
        self._rng = np.random.default_rng(0)
        self._seen: list[tuple[int, Outcomes]] = []
        self._starts: list[int] = []
        self._tried: list[Tensor] = []

    def learn(self, place: int, tried: Tensor, outcomes: Outcomes) -> None:
        """Make updates after a task is finished.

        Args:
            place: of the task among the scenes.
            tried: [attempts, action_size] what was tried on it.
            outcomes: [attempts] what came of it.
        """
        self._starts.append(sum(map(len, self._tried)))
        self._seen.append((place, outcomes))
        self._tried.append(tried)
        every = torch.cat(self._tried)
        self._network.train()
        for _ in range(self._agent.online_updates):
            half = _ONLINE_BATCH // 2
            rows = [self._draw(len(self._seen) - 1) for _ in range(half)]
            rows += [self._draw(int(self._rng.integers(len(self._seen)))) for _ in range(half)]
            scene, number, solved = zip(*rows, strict=True)
            actions = every[torch.tensor(number, device=every.device)]
            found = predict(self._network, self._scenes, np.array(scene), actions)
            target = torch.tensor(solved, device=every.device)
            loss = functional.binary_cross_entropy_with_logits(found.logit, target)
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            self._optimizer.step()

    def _draw(self, task: int) -> tuple[int, int, float]:
        """An attempt on a task: a solution as often as a failure, if there are both."""
        place, outcomes = self._seen[task]
        solved = outcomes == Outcome.SOLVED
        wanted = np.flatnonzero(solved == bool(self._rng.integers(2)))
        pool = wanted if len(wanted) else np.arange(len(outcomes))
        chosen = int(pool[self._rng.integers(len(pool))])
        return place, self._starts[task] + chosen, float(solved[chosen])


@dataclass
class TransformerOnline(Transformer):
    """The transformer that also learns from its attempts on test tasks."""

    online_updates: int = 5


def _single(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.float() for name, value in weights.items()}
