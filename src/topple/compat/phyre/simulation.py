"""What the original's simulator returns: statuses, simulations and object features."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.result import FEATURE_COUNT, Outcome
from topple.phyre.features import ANGLE, COLOR, DIAMETER, KIND, X, Y
from topple.phyre.scene import Color, Kind

Features = npt.NDArray[np.float32]

_STATE = slice(X, DIAMETER)  # x, y and angle


class SimulationStatus(IntEnum):
    """How an action on a task ended."""

    NOT_SOLVED = Outcome.NOT_SOLVED
    INVALID_INPUT = Outcome.INVALID
    SOLVED = Outcome.SOLVED
    UNSTABLY_SOLVED = Outcome.UNSTABLY_SOLVED
    STABLY_SOLVED = Outcome.STABLY_SOLVED

    def is_solved(self) -> bool:
        """Whether the goal was reached, stably or not."""
        return self > 0

    def is_stably_solved(self) -> bool:
        """Whether the neighbours of the action solve the task, too."""
        return self is SimulationStatus.STABLY_SOLVED

    def is_not_solved(self) -> bool:
        """Whether the action was valid and in vain."""
        return self is SimulationStatus.NOT_SOLVED

    def is_invalid(self) -> bool:
        """Whether the action did not fit the task."""
        return self is SimulationStatus.INVALID_INPUT


class FeaturizedObjects:
    """Object features of some frames, and views of their parts.

    Attributes:
        features: [frames, objects, 14], see topple.phyre.features.
        xs: [frames, objects] share of the scene's width.
        ys: [frames, objects] share of the scene's height.
        angles: [frames, objects] share of a turn.
        states: [frames, objects, 3] x, y and angle.
        diameters: [objects] share of the scene's width.
        shapes_one_hot: [objects, 4] ball, bar, jar, standing sticks.
        colors_one_hot: [objects, 6] red, green, blue, purple, gray, black.
    """

    def __init__(self, featurized_objects: Features) -> None:
        if featurized_objects.ndim != 3 or featurized_objects.shape[-1] != FEATURE_COUNT:
            raise ValueError(
                f"the features have shape {featurized_objects.shape}; it has to be "
                f"(frames, objects, {FEATURE_COUNT})"
            )
        self.features = featurized_objects
        self.xs = featurized_objects[:, :, X]
        self.ys = featurized_objects[:, :, Y]
        self.angles = featurized_objects[:, :, ANGLE]
        self.states = featurized_objects[:, :, _STATE]
        # What does not change is taken from the first frame.
        self.diameters = featurized_objects[0, :, DIAMETER]
        self.shapes_one_hot = featurized_objects[0, :, KIND]
        self.colors_one_hot = featurized_objects[0, :, COLOR]

    @property
    def shapes(self) -> list[str]:
        """[objects] BALL, BAR, JAR or STANDINGSTICKS."""
        kinds = 1 + np.argmax(self.shapes_one_hot, axis=1)
        return [Kind(kind).name.replace("_", "") for kind in kinds.tolist()]

    @property
    def colors(self) -> list[str]:
        """[objects] RED, GREEN, BLUE, PURPLE, GRAY or BLACK."""
        codes = 1 + np.argmax(self.colors_one_hot, axis=1)
        return [Color(code).name for code in codes.tolist()]

    @property
    def num_objects(self) -> int:
        """How many objects there are."""
        return len(self.diameters)

    @property
    def num_user_inputs(self) -> int:
        """How many of them the player placed; they come last."""
        return self.colors.count(Color.RED.name)

    @property
    def num_scene_objects(self) -> int:
        """How many of them belong to the task."""
        return self.num_objects - self.num_user_inputs


class Simulation:
    """The status of an action, with frames if they were asked for.

    Attributes:
        status: how it ended.
        images: [frames, 256, 256] colour codes, row 0 at the bottom; None if the action is
            invalid or they were not asked for.
        featurized_objects: of the same frames; None in the same cases.
    """

    def __init__(
        self,
        *,
        status: SimulationStatus | None = None,
        images: npt.NDArray[np.uint8] | None = None,
        featurized_objects: Features | None = None,
    ) -> None:
        self.status = status
        self.images = images
        self.featurized_objects = (
            None if featurized_objects is None else FeaturizedObjects(featurized_objects)
        )
