"""A world one can pause, look at, edit and branch: what planners and causal studies need."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.balls import with_action
from topple.phyre.engine.edits import AddBody, Edit, pack_edits
from topple.phyre.engine.native import SceneSet, Simulation, simulate_branches
from topple.phyre.engine.packing import to_pixels
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import STATE_FIELDS, BatchResult
from topple.phyre.scene import Body, Scene
from topple.progress import Progress


class World:
    """A scene in motion.

    Step a world in one thread only. Another thread may copy, branch and read it meanwhile, and
    gets the state between two steps.

    Args:
        scene: where it starts.
        action: numbers between 0 and 1 for balls to add before the first step.

    Examples:
        >>> world = World(load_task("00000:000").scene, [0.87, 0.87, 0.61])
        >>> world.step(100)
        >>> kicks = [[SetVelocity(4, (v, 0.0))] for v in range(-60, 61, 10)]
        >>> world.branch(kicks).outcome
    """

    def __init__(self, scene: Scene, action: npt.ArrayLike | None = None) -> None:
        self.scene = scene if action is None else with_action(scene, action)
        self._simulation = Simulation(SceneSet([self.scene]))

    def copy(self) -> World:
        """An independent world in the same state: a snapshot, or a branch to step by hand."""
        other = copy(self)
        other._simulation = self._simulation.copy()
        return other

    def step(self, count: int = 1) -> None:
        """Makes steps of a sixtieth of a second."""
        if count < 0:
            raise ValueError(f"count is {count}; it has to be 0 or more")
        for _ in range(count):
            self._simulation.step()

    @property
    def steps_made(self) -> int:
        """How many steps were made since the start."""
        return self._simulation.progress()[0]

    def state(self) -> npt.NDArray[np.float32]:
        """[bodies, 6] of STATE_FIELDS, in pixels, radians and seconds."""
        rows = self._simulation.bodies()
        state = rows[:, : len(STATE_FIELDS)].copy()
        for columns in (slice(0, 2), slice(3, 5)):
            state[:, columns] = to_pixels(state[:, columns])
        return state

    def branch(
        self,
        edits: Sequence[Sequence[Edit]],
        request: Request | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> BatchResult:
        """Runs copies of this world to their ends, each with edits of its own.

        A branch without edits replays what this world itself would do, to the last bit.
        The world stays as it is. Steps are counted from the start of the world, so
        ``Request.max_steps`` limits the whole run; the stability check of
        ``Request.stable`` has no meaning here and is refused.

        Args:
            edits: [branches] the edits of each branch, applied in order.
            request: what to keep of the runs; outcomes alone by default.
            threads: at most this many; all cores by default.
            progress: called with (branches done, branches in all).

        Raises:
            ValueError: if an edit is wrong; the message names the branch.
            SceneError: if an added body breaks a rule of the engine.
        """
        packed = pack_edits(edits, self.scene.bodies)
        # Branches that add the same bodies share a scene.
        kinds: dict[tuple[Body, ...], int] = {}
        index = [
            kinds.setdefault(
                tuple(edit.body for edit in branch if isinstance(edit, AddBody)), len(kinds)
            )
            for branch in edits
        ]
        scenes = SceneSet(
            [self.scene._replace(bodies=self.scene.bodies + added) for added in kinds]
        )
        return simulate_branches(
            scenes,
            index,
            self._simulation,
            packed.start,
            packed.rows,
            request,
            threads=threads,
            progress=progress,
        )
