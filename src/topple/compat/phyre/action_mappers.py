"""From actions, numbers between 0 and 1, to what the player places."""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from topple.compat.phyre.creator.constants import SCENE_HEIGHT, SCENE_WIDTH
from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.compat.phyre.user_input import build_user_input
from topple.phyre.action import Actions, map_to_balls

EMPTY_USER_INPUT = scene_if.UserInput(flattened_point_list=[], balls=[], polygons=[])


class DimensionType(IntEnum):
    """What a number of an action stands for."""

    POSITION = 0
    SIZE = 1
    ANGLE = 2


_BALL = (DimensionType.POSITION, DimensionType.POSITION, DimensionType.SIZE)


class BallScaler:
    """The size of a ball, and its place in the scene."""

    MIN_RADIUS = 2
    MAX_RADIUS = max(SCENE_WIDTH, SCENE_HEIGHT) // 8

    @classmethod
    def scale(cls, x: float, y: float, radius: float) -> tuple[float, float, float]:
        """Pixels of three numbers between 0 and 1, before they are rounded."""
        size = radius * (cls.MAX_RADIUS - cls.MIN_RADIUS) + cls.MIN_RADIUS
        return x * (SCENE_WIDTH - 1), y * (SCENE_HEIGHT - 1), size


class ActionMapper:
    """What an action of a tier places."""

    OCCLUSIONS_ALLOWED: ClassVar[bool] = False
    KEEP_SPACE_AROUND_BODIES: ClassVar[bool] = False
    DIMENSION_TYPES: ClassVar[tuple[DimensionType, ...]]

    def sample(self, valid_only: bool = True, rng: np.random.RandomState | None = None) -> Actions:
        """A random action; ``valid_only`` draws until its balls lie in the scene and apart."""
        rng = np.random.RandomState() if rng is None else rng
        while True:
            action = rng.uniform(size=len(self.DIMENSION_TYPES))
            if not valid_only or self.action_to_user_input(action)[1]:
                return action

    def action_to_user_input(self, action: npt.ArrayLike) -> tuple[scene_if.UserInput, bool]:
        """What an action places, in whole pixels, and whether it fits a scene without bodies."""
        array = np.asarray(action, np.float64)
        width = len(self.DIMENSION_TYPES)
        if array.shape != (width,):
            raise ValueError(f"the action has shape {array.shape}; it has {width} numbers")
        if not np.isfinite(array).all():
            return EMPTY_USER_INPUT, False
        valid, balls = map_to_balls(array[None])
        return (build_user_input(balls=balls[0]), True) if valid[0] else (EMPTY_USER_INPUT, False)


class SingleBallActionMapper(ActionMapper):
    """One ball: x, y and radius."""

    DIMENSION_TYPES = _BALL


class TwoBallsActionMapper(ActionMapper):
    """Two balls: x, y and radius of one, then of the other."""

    DIMENSION_TYPES = 2 * _BALL


ACTION_MAPPERS: dict[str, type[ActionMapper]] = {
    "ball": SingleBallActionMapper,
    "two_balls": TwoBallsActionMapper,
}
MAIN_ACITON_MAPPERS = frozenset(ACTION_MAPPERS)  # the original's spelling


def get_action_mapper(name: str) -> ActionMapper:
    """The mapper of a tier.

    Raises:
        ValueError: Topple has no such tier.
    """
    if name not in ACTION_MAPPERS:
        known = " or ".join(map(repr, ACTION_MAPPERS))
        why = "; ramps are not simulated" if name == "ramp" else ""
        raise ValueError(f"unknown tier {name!r}: use {known}{why}")
    return ACTION_MAPPERS[name]()
