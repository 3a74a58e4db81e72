"""The object prior: place the ball above or below something that moves.

Listed actions are tried in order, but only those whose first ball is centred over or under
a dynamic body, give or take five pixels. The baseline of Allen and others, published with
the original benchmark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.phases import Testing
from topple.phyre.scene import Body, Circle, Scene
from topple.runs.agent import Observation, Traits, Untrained

MARGIN = 5.0  # pixels on either side of a body


def columns(scene: Scene) -> list[tuple[float, float]]:
    """The ranges of x, between 0 and 1, that lie above or below a dynamic body."""
    ranges = []
    for body in scene.bodies:
        if body.dynamic:
            xs = _extent(body)
            ranges.append(((min(xs) - MARGIN) / SCENE_SIZE, (max(xs) + MARGIN) / SCENE_SIZE))
    return ranges


def _extent(body: Body) -> list[float]:
    xs = []
    for shape in body.shapes:
        if isinstance(shape, Circle):
            xs += [body.position[0] - shape.radius, body.position[0] + shape.radius]
        else:
            cosine, sine = math.cos(body.angle), math.sin(body.angle)
            xs += [body.position[0] + x * cosine - y * sine for x, y in shape.vertices]
    return xs


@dataclass
class ObjectPrior(Untrained):
    """The agent that prefers the columns of bodies that move.

    Attributes:
        actions: number of listed actions that are its candidates.
    """

    actions: int = 10_000

    @property
    def traits(self) -> Traits:
        """It observes the bodies of the scene."""
        return Traits(observation=Observation.SCENE, candidates=self.actions)

    def act(self, testing: Testing) -> None:
        """Try the candidates of each task in the order of the list."""
        x = testing.actions(self.actions)[:, 0]
        for task in testing.tasks:
            testing.attempt_listed(task, np.flatnonzero(self._likely(x, task.scene)).tolist())

    def _likely(self, x: npt.NDArray[np.float64], scene: Scene) -> npt.NDArray[np.bool_]:
        likely = np.zeros(len(x), bool)
        for low, high in columns(scene):
            likely |= (x > low) & (x < high)
        return likely
