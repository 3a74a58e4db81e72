"""Sizes, colours by role, and tiers, as the original's authors knew them."""

from __future__ import annotations

from enum import IntEnum

from topple.compat.phyre.interface.shared.constants import USER_BODY_COLOR
from topple.compat.phyre.interface.shared.ttypes import Color
from topple.phyre.engine.request import SCENE_SIZE

SCENE_WIDTH = SCENE_SIZE
SCENE_HEIGHT = SCENE_SIZE

ROLE_TO_COLOR_ID = {
    "BACKGROUND": Color.WHITE,
    "USER_BODY": USER_BODY_COLOR,
    "STATIC": Color.BLACK,
    "STATIC_OBJECT": Color.PURPLE,
    "DYNAMIC": Color.GRAY,
    "DYNAMIC_SUBJECT": Color.BLUE,
    "DYNAMIC_OBJECT": Color.GREEN,
}
STATIC_COLOR_IDS = {Color.BLACK, Color.PURPLE}
DYNAMIC_COLOR_IDS = {Color.GRAY, Color.GREEN, Color.BLUE}
NUM_COLORS = len(ROLE_TO_COLOR_ID)

DYNAMIC_VALUES = frozenset(["dynamic", "static"])
FACTORY_OBJECT_TYPES = frozenset(["ball", "bar", "box", "jar", "standingsticks"])
ALL_OBJECT_TYPES = FACTORY_OBJECT_TYPES | {
    "poly",
    "compound",
    "left-wall",
    "right-wall",
    "top-wall",
    "bottom-wall",
}


class SolutionTier(IntEnum):
    """Tiers of the original; Topple has the tasks of the first two."""

    BALL = 1
    TWO_BALLS = 2
    RAMP = 3
    PRE_BALL = 4
    PRE_TWO_BALLS = 5
    PRE_RAMP = 6
    SINGLE_OBJECT = 7
    GENERAL = 8
    VIRTUAL_TOOLS = 9


def color_to_name(color_id: int) -> str:
    """The name of a colour code, in lower case."""
    return Color._VALUES_TO_NAMES[color_id].lower()


def color_to_id(color_name: str) -> int:
    """The code of a colour by its name."""
    return Color._NAMES_TO_VALUES[color_name.upper()]
