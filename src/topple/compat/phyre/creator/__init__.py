"""The original's constants for authors; templates are written with `topple.phyre.template`."""

from topple.compat.phyre.creator import constants
from topple.compat.phyre.creator.constants import SCENE_HEIGHT, SCENE_WIDTH, SolutionTier

__all__ = ["SCENE_HEIGHT", "SCENE_WIDTH", "SolutionTier", "constants"]
