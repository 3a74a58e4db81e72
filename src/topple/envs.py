"""Gymnasium environments of both benchmarks; importing this module registers their names.

Entry points are strings, so registering them loads nothing.
"""

from __future__ import annotations

import gymnasium as gym

ENVIRONMENTS = (
    (
        "topple/PhyreBall-v0",
        "topple.phyre.env:PhyreBallEnv",
        "topple.phyre.vector_env:ball",
    ),
    (
        "topple/PhyreTwoBalls-v0",
        "topple.phyre.env:PhyreTwoBallsEnv",
        "topple.phyre.vector_env:two_balls",
    ),
    (
        "topple/IPhyreInAdvance-v0",
        "topple.iphyre.env:IPhyreInAdvanceEnv",
        "topple.iphyre.vector_env:in_advance",
    ),
    (
        "topple/IPhyreOnTheFly-v0",
        "topple.iphyre.env:IPhyreOnTheFlyEnv",
        "topple.iphyre.vector_env:on_the_fly",
    ),
    (
        "topple/IPhyreCombined-v0",
        "topple.iphyre.env:IPhyreCombinedEnv",
        "topple.iphyre.vector_env:combined",
    ),
)
#: What is the same in all environments of a version.
VERSIONS = {
    "v0": "Tasks, games, rewards and endings as published, of the first release of Topple.",
}


def register_all() -> None:
    """Make the names known to `gymnasium.make` and `gymnasium.make_vec`; repeat at will."""
    for name, entry_point, vector_entry_point in ENVIRONMENTS:
        if name not in gym.registry:
            gym.register(name, entry_point=entry_point, vector_entry_point=vector_entry_point)


register_all()
