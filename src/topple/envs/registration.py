"""The environments' names. Entry points are strings, so naming them loads nothing."""

from __future__ import annotations

import gymnasium as gym

ENVIRONMENTS = (
    (
        "topple/PhyreBall-v0",
        "topple.envs.phyre:PhyreBallEnv",
        "topple.envs.phyre_vector:ball",
    ),
    (
        "topple/PhyreTwoBalls-v0",
        "topple.envs.phyre:PhyreTwoBallsEnv",
        "topple.envs.phyre_vector:two_balls",
    ),
    (
        "topple/IPhyreInAdvance-v0",
        "topple.envs.iphyre:IPhyreInAdvanceEnv",
        "topple.envs.iphyre_vector:in_advance",
    ),
    (
        "topple/IPhyreOnTheFly-v0",
        "topple.envs.iphyre:IPhyreOnTheFlyEnv",
        "topple.envs.iphyre_vector:on_the_fly",
    ),
    (
        "topple/IPhyreCombined-v0",
        "topple.envs.iphyre:IPhyreCombinedEnv",
        "topple.envs.iphyre_vector:combined",
    ),
)


def register_all() -> None:
    """Make the names known to `gymnasium.make` and `gymnasium.make_vec`; repeat at will."""
    for name, entry_point, vector_entry_point in ENVIRONMENTS:
        if name not in gym.registry:
            gym.register(name, entry_point=entry_point, vector_entry_point=vector_entry_point)
