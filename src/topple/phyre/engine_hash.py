"""A name for what the engine does, so that stored outcomes are never mixed with others.

The hash is taken from behaviour: a fixed probe of every published template is simulated and
the bits of its final states are hashed. Two builds that agree on the probe have the same
hash, whatever their compiler, platform or source layout; a build that moves one bit of one
body does not. docs/decisions/0004-engine-hash.md weighs this against hashing the sources.
"""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np

from topple.phyre.action import Actions, discrete_actions
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

PROBE_ACTIONS = 12  # per template: about 400 of the 600 attempts are valid
HASH_BYTES = 8

#: The hash of the engine that agreed with all reference data of the original simulator.
FAITHFUL = "b27c6cf56d1a29af"


def probe(tier: Tier) -> Actions:
    """The actions on the first task of each template that the hash is taken over."""
    return discrete_actions(tier, PROBE_ACTIONS)


@cache
def engine_hash(backend: Backend = "cpu") -> str:
    """The hash of this engine, 16 hexadecimal digits; takes about a third of a second once.

    It is the same on a GPU; asking for that one is a way to check.
    """
    digest = hashlib.blake2b(digest_size=HASH_BYTES)
    for tier in Tier:
        tasks = [load_task(template_task_ids(template)[0]) for template in tier.template_ids]
        actions = probe(tier)
        result = simulate_batch(
            SceneSet([task.scene for task in tasks]),
            np.repeat(np.arange(len(tasks)), len(actions)),
            np.tile(actions, (len(tasks), 1)),
            Request(final_state=True),
            backend=backend,
        )
        assert result.final_state is not None
        digest.update(result.outcome.astype("<i1").tobytes())
        digest.update(result.steps.astype("<i4").tobytes())
        digest.update(result.final_state.astype("<f4").tobytes())
    return digest.hexdigest()
