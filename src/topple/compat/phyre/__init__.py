"""The names of the original `phyre` package, for code written for it.

Change `import phyre` to `import topple.compat.phyre as phyre`. Statuses, images, features,
folds and scores are those of the original; `docs/migrating/phyre.md` lists what differs.
"""

from topple.compat.phyre import (
    action_mappers,
    action_simulator,
    creator,
    interface,
    loader,
    metrics,
    objects_util,
    simulation,
    simulation_cache,
    simulator,
    util,
    vis,
)
from topple.compat.phyre.action_simulator import (
    ActionSimulator,
    SimulationStatus,
    initialize_simulator,
)
from topple.compat.phyre.creator.constants import NUM_COLORS, SCENE_HEIGHT, SCENE_WIDTH
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

ACTION_TIERS = tuple(sorted(action_mappers.MAIN_ACITON_MAPPERS))

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
    "action_mappers",
    "action_simulator",
    "creator",
    "eval_setup_to_action_tier",
    "featurized_objects_vector_to_raster",
    "get_default_100k_cache",
    "get_fold",
    "initialize_simulator",
    "interface",
    "list_eval_setups",
    "loader",
    "metrics",
    "objects_util",
    "observations_to_float_rgb",
    "observations_to_uint8_rgb",
    "simulation",
    "simulation_cache",
    "simulator",
    "util",
    "vis",
]
