"""The simulator: actions on tasks, one or many thousand at a time.

It finds tasks by their names and hands their packed scenes to
:func:`topple.phyre.engine.native.simulate_batch`; every call crosses into C++ once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions, discrete_actions
from topple.phyre.engine.backend import Backend, check_backend
from topple.phyre.engine.native import SceneSet, draw_scenes, map_actions, simulate_batch
from topple.phyre.engine.request import Keep, Request
from topple.phyre.engine.result import AttemptResult, BatchResult, Outcome
from topple.phyre.features import scene_features
from topple.phyre.task_set import Choice, TaskKey, TaskKeys, TaskSet
from topple.phyre.tier import Tier
from topple.progress import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

SEARCH_CHUNK = 1000  # actions tried at once when looking for solutions
FIRST_CONTACT_BUFFER = 4096  # events; most attempts need fewer


class Simulator:
    """Tasks, ready for actions.

    An action is a vector of numbers between 0 and 1: x, y and radius of each ball. Scenes
    are built and packed on first use. Results do not depend on batching or on the number
    of threads, and threads may share a simulator: attempts leave nothing behind in it.

    Args:
        tasks: a tier, a template or its id, a task or its id, a scene of your own, or an
            iterable of these, such as ``load_fold(setup, 0).train``.
        tier: what an action places; by default that of the tasks.
        threads: at most this many; all cores by default.
        backend: where batches run: "cpu", "cuda", or "auto" for large ones on a GPU, if any.

    Examples:
        >>> simulator = Simulator("00002")  # the 100 tasks of a template
        >>> simulator.attempt("00002:017", [0.4, 0.8, 0.3]).outcome
        <Outcome.NOT_SOLVED: -1>
    """

    def __init__(
        self,
        tasks: Choice | Iterable[Choice],
        tier: Tier | str | None = None,
        *,
        threads: int | None = None,
        backend: Backend = "cpu",
    ) -> None:
        self.tasks = TaskSet(tasks, tier)
        self.threads = threads
        self.backend = check_backend(backend)

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the tasks, in order; of bare scenes, their names."""
        return self.tasks.names

    @property
    def tier(self) -> Tier:
        """What an action places."""
        return self.tasks.tier

    @property
    def action_size(self) -> int:
        """How many numbers an action has."""
        return self.tier.action_size

    @property
    def scenes(self) -> SceneSet:
        """The packed scenes, for calls straight to the engine."""
        return self.tasks.packed

    @property
    def goals(self) -> npt.NDArray[np.int32]:
        """[tasks, 3] first body, second body, steps they have to touch; -1, -1, 0: no goal."""
        return self.scenes.packed.goals.copy()

    def initial_images(self, tasks: TaskKeys | None = None) -> npt.NDArray[np.uint8]:
        """[tasks, 256, 256] colour codes before the action; row 0 is the bottom row."""
        return draw_scenes(self.scenes, self.tasks.find_all(tasks))

    def initial_features(self, task: TaskKey) -> npt.NDArray[np.float32]:
        """[objects, 14] object features before the action, see topple.phyre.features."""
        return scene_features(self.scenes, self.tasks.find(task))

    def attempt(
        self, task: TaskKey, action: npt.ArrayLike, *, contacts: bool = False, **keep: Unpack[Keep]
    ) -> AttemptResult:
        """Tries one action on one task.

        Args:
            task: its id, place, or value.
            action: [action_size] numbers between 0 and 1.
            contacts: keep every contact event, however many there are.
            **keep: what else to simulate and keep, as in Request: ``images=True,
                stride=10``, ``stable=True`` and so on.
        """
        array = np.asarray(action, dtype=np.float64)
        if array.shape != (self.action_size,):
            raise ValueError(
                f"the action has shape {array.shape}; in tier {self.tier.value!r} it is a "
                f"vector of {self.action_size} numbers"
            )
        return self._one(task, array, contacts, keep)

    def rollout(
        self, task: TaskKey, *, contacts: bool = False, **keep: Unpack[Keep]
    ) -> AttemptResult:
        """What happens on a task when nothing is placed; arguments as for ``attempt``."""
        return self._one(task, np.zeros(0), contacts, keep)

    def _one(self, task: TaskKey, action: Actions, contacts: bool, keep: Keep) -> AttemptResult:
        place = self.tasks.find(task)
        request = Request(**keep)
        if contacts:
            request = replace(request, max_contacts=max(request.max_contacts, FIRST_CONTACT_BUFFER))
        batch = self._simulate([place], action[None], request)
        if contacts and batch.contact_count is not None:
            needed = int(batch.contact_count[0])
            if needed > request.max_contacts:
                batch = self._simulate([place], action[None], replace(request, max_contacts=needed))
        return batch.attempt(0)

    def attempts(
        self,
        tasks: TaskKeys,
        actions: npt.ArrayLike,
        *,
        progress: Progress | None = None,
        **keep: Unpack[Keep],
    ) -> BatchResult:
        """Tries many actions in one call, on all cores.

        Args:
            tasks: [attempts] a task for each action, or one task for all of them.
            actions: [attempts, action_size], or one action for all tasks.
            progress: called with (attempts done, attempts in all) now and then.
            **keep: what else to simulate and keep, as in Request.

        Returns:
            A row for each pair; see BatchResult for the arrays and their shapes.
        """
        places, array = self._pairs(tasks, actions)
        return self._simulate(places, array, Request(**keep), progress)

    def outcomes(
        self,
        actions: npt.ArrayLike,
        tasks: TaskKeys | None = None,
        *,
        stable: bool = False,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.int8]:
        """Tries every action on every task.

        Args:
            actions: [actions, action_size].
            tasks: on which tasks; all by default.
            stable: also tell stable from unstable solutions.
            progress: called with (attempts done, attempts in all) now and then.

        Returns:
            [tasks, actions] values of Outcome.
        """
        places = self.tasks.find_all(tasks)
        array = self._matrix(actions)
        index = np.repeat(places, len(array))
        batch = self._simulate(
            index, np.tile(array, (len(places), 1)), Request(stable=stable), progress
        )
        return batch.outcome.reshape(len(places), len(array))

    def valid(self, tasks: TaskKeys, actions: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """[attempts] whether each action fits its task; arguments as for ``attempts``."""
        return map_actions(self.scenes, *self._pairs(tasks, actions))[0]

    def balls(self, tasks: TaskKeys, actions: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """[attempts, balls, 3] x, y and radius in whole pixels; zero where invalid."""
        return map_actions(self.scenes, *self._pairs(tasks, actions))[1]

    def solutions(
        self,
        task: TaskKey,
        count: int = 1,
        *,
        budget: int = 10_000,
        stable: bool = False,
        actions: npt.ArrayLike | None = None,
    ) -> Actions:
        """Looks for solutions of a task by trying a fixed list of actions in order.

        Args:
            task: its id, place, or value.
            count: stop when so many are found.
            budget: try at most so many actions.
            stable: take only solutions that all half-pixel neighbours that fit share.
            actions: [actions, action_size] what to try; by default the tier's fixed list.

        Returns:
            [found, action_size] the first solutions in the list; fewer than ``count``,
            perhaps none, if the budget ran out.
        """
        if count < 1 or budget < 1:
            raise ValueError(f"count is {count} and budget {budget}; both are at least 1")
        listed = discrete_actions(self.tier, budget) if actions is None else self._matrix(actions)
        place = self.tasks.find(task)
        wanted = Outcome.STABLY_SOLVED if stable else Outcome.SOLVED
        found = np.zeros((0, self.action_size))
        for start in range(0, min(budget, len(listed)), SEARCH_CHUNK):
            chunk = listed[start : min(start + SEARCH_CHUNK, budget)]
            outcome = self._simulate([place] * len(chunk), chunk, Request(stable=stable)).outcome
            found = np.concatenate([found, chunk[outcome == wanted]])
            if len(found) >= count:
                break
        return found[:count]

    def _simulate(
        self,
        places: npt.ArrayLike,
        actions: Actions,
        request: Request,
        progress: Progress | None = None,
    ) -> BatchResult:
        return simulate_batch(
            self.scenes,
            places,
            actions,
            request,
            threads=self.threads,
            progress=progress,
            backend=self.backend,
        )

    def _matrix(self, actions: npt.ArrayLike) -> Actions:
        array = np.asarray(actions, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.action_size:
            raise ValueError(
                f"the actions have shape {array.shape}; in tier {self.tier.value!r} they are a "
                f"matrix with {self.action_size} columns"
            )
        return array

    def _pairs(
        self, tasks: TaskKeys, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.int32], Actions]:
        places = self.tasks.find_all(tasks)
        array = self._matrix(np.atleast_2d(np.asarray(actions, dtype=np.float64)))
        count = max(len(places), len(array)) if len(places) and len(array) else 0
        if len(places) not in (1, count) or len(array) not in (1, count):
            raise ValueError(
                f"there are {len(places)} tasks and {len(array)} actions; give as many of "
                "both, or one of either"
            )
        shape = (count, self.action_size)
        return np.broadcast_to(places, count), np.broadcast_to(array, shape)
