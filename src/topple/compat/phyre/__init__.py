"""The names of the original `phyre` package, for code written for it.

Change `import phyre` to `import topple.compat.phyre as phyre`. Statuses, images, features,
folds and scores are those of the original. Differences:

* The setups are the four of the paper, and beside them the balanced ones of Topple; tasks
  of the Virtual Tools benchmark and ramps are not included.
* Tasks are Topple's Task values, not Thrift objects.
* `get_default_100k_cache` downloads nothing. Outcomes are simulated when they are first
  asked for and kept on disk; its `size` argument asks for fewer actions.
"""

from topple.compat.phyre import (
    action_simulator,
    metrics,
    objects_util,
    simulation,
    simulation_cache,
    vis,
)
from topple.compat.phyre.action_simulator import (
    ActionSimulator,
    SimulationStatus,
    initialize_simulator,
)
from topple.compat.phyre.metrics import (
    MAIN_EVAL_SETUPS,
    MAX_TEST_ATTEMPTS,
    Evaluator,
    eval_setup_to_action_tier,
    get_fold,
    list_eval_setups,
)
from topple.compat.phyre.objects_util import featurized_objects_vector_to_raster
from topple.compat.phyre.simulation import FeaturizedObjects, Simulation
from topple.compat.phyre.simulation_cache import SimulationCache, get_default_100k_cache
from topple.compat.phyre.vis import observations_to_float_rgb, observations_to_uint8_rgb
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Color
from topple.phyre.tier import Tier

ACTION_TIERS = tuple(sorted(tier.value for tier in Tier))
NUM_COLORS = len(Color)
SCENE_WIDTH = SCENE_SIZE
SCENE_HEIGHT = SCENE_SIZE

__all__ = [
    "ACTION_TIERS",
    "MAIN_EVAL_SETUPS",
    "MAX_TEST_ATTEMPTS",
    "NUM_COLORS",
    "SCENE_HEIGHT",
    "SCENE_WIDTH",
    "ActionSimulator",
    "Evaluator",
    "FeaturizedObjects",
    "Simulation",
    "SimulationCache",
    "SimulationStatus",
    "action_simulator",
    "eval_setup_to_action_tier",
    "featurized_objects_vector_to_raster",
    "get_default_100k_cache",
    "get_fold",
    "initialize_simulator",
    "list_eval_setups",
    "metrics",
    "objects_util",
    "observations_to_float_rgb",
    "observations_to_uint8_rgb",
    "simulation",
    "simulation_cache",
    "vis",
]
