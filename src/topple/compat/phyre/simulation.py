"""What the original's simulator returns: statuses, simulations and object features."""

from __future__ import annotations

import math
from enum import Enum, IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.compat.phyre.interface.scene.ttypes import ShapeType
from topple.compat.phyre.interface.shared.ttypes import Color
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.engine.result import FEATURE_COUNT, Outcome
from topple.phyre.features import ANGLE, COLOR, DIAMETER, KIND, X, Y
from topple.phyre.scene.jar import DIAGONAL_WIDTH_TO_HEIGHT, jar_centre_height

Features = npt.NDArray[np.floating[Any]]


class SimulationStatus(IntEnum):
    """How an action on a task ended."""

    NOT_SOLVED = Outcome.NOT_SOLVED
    INVALID_INPUT = Outcome.INVALID
    SOLVED = Outcome.SOLVED
    UNSTABLY_SOLVED = Outcome.UNSTABLY_SOLVED
    STABLY_SOLVED = Outcome.STABLY_SOLVED

    # Python 3.11 changed both for enumerations of numbers; logs of the original keep these.
    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, format_spec: str) -> str:
        return format(int(self), format_spec)

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


class PositionShift(Enum):
    """Which way a jar is moved between the middle of its floor and its centre of mass."""

    TO_CENTER_OF_MASS = 1
    FROM_CENTER_OF_MASS = 2


def jar_height(diameter: Any) -> float:
    """The height of a jar in pixels, computed in the precision of its diameter."""
    return math.sqrt(diameter**2 / (1 + DIAGONAL_WIDTH_TO_HEIGHT**2))


def finalize_featurized_objects(
    featurized_objects: Features,
    shift_direction: PositionShift = PositionShift.TO_CENTER_OF_MASS,
) -> Features:
    """Features with their jars moved; features of the simulator have been moved already.

    Args:
        featurized_objects: [frames, objects, 14]; it stays as it is. A jar is an object
            whose one-hot entry is exactly 1. Its diameter is that of the first frame.
        shift_direction: which way to move them.
    """
    assert isinstance(shift_direction, PositionShift), shift_direction
    moved = np.copy(featurized_objects)
    is_jar = moved[:, :, KIND.start + ShapeType.JAR - 1] == 1
    if not is_jar.any():
        return moved
    diameters = moved[0, is_jar[0], DIAMETER] * SCENE_SIZE
    heights = map(jar_height, diameters)
    # The centre of a jar that is too small to have a shape is its origin.
    rises = [jar_centre_height(height) if height > 1 else 0.0 for height in heights]
    rise = np.tile(rises, len(moved))
    angles = moved[is_jar][:, ANGLE] * 2 * math.pi
    shift = np.stack([-1 * rise * np.sin(angles), rise * np.cos(angles)], axis=-1) / SCENE_SIZE
    sign = 1.0 if shift_direction is PositionShift.TO_CENTER_OF_MASS else -1.0
    moved[is_jar, X : Y + 1] += shift * sign
    return moved


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

    Raises:
        AssertionError: the features have another shape.
    """

    _NUM_FEATURES = FEATURE_COUNT
    _X_INDEX, _Y_INDEX, _ANGLE_INDEX, _DIAMETER_INDEX = X, Y, ANGLE, DIAMETER
    _SHAPE_START_INDEX, _SHAPE_END_INDEX = KIND.start, KIND.stop
    _COLOR_START_INDEX, _COLOR_END_INDEX = COLOR.start, COLOR.stop
    _STATE_START_INDEX, _STATE_END_INDEX = X, DIAMETER

    def __init__(self, featurized_objects: Features) -> None:
        shape = featurized_objects.shape
        assert len(shape) == 3 and shape[-1] == FEATURE_COUNT, (  # noqa: PT018
            f"the features have shape {shape}; it has to be (frames, objects, {FEATURE_COUNT})"
        )
        self.features = featurized_objects
        self.xs = featurized_objects[:, :, X]
        self.ys = featurized_objects[:, :, Y]
        self.angles = featurized_objects[:, :, ANGLE]
        self.states = featurized_objects[:, :, X:DIAMETER]
        # What does not change is taken from the first frame.
        self.diameters = featurized_objects[0, :, DIAMETER]
        self.shapes_one_hot = featurized_objects[0, :, KIND]
        self.colors_one_hot = featurized_objects[0, :, COLOR]

    @property
    def shapes(self) -> list[str]:
        """[objects] BALL, BAR, JAR or STANDINGSTICKS."""
        kinds = 1 + np.argmax(self.shapes_one_hot, axis=1)
        return [ShapeType._VALUES_TO_NAMES[kind] for kind in kinds.tolist()]

    @property
    def colors(self) -> list[str]:
        """[objects] RED, GREEN, BLUE, PURPLE, GRAY or BLACK."""
        codes = 1 + np.argmax(self.colors_one_hot, axis=1)
        return [Color._VALUES_TO_NAMES[code] for code in codes.tolist()]

    @property
    def num_objects(self) -> int:
        """How many objects there are."""
        return len(self.diameters)

    @property
    def num_user_inputs(self) -> int:
        """How many of them the player placed; they come last."""
        return self.colors.count("RED")

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
