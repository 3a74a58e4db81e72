"""Thousands of attempts in one call, on all cores."""

from __future__ import annotations

import time

import numpy as np

from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request

tasks = [load_task(template_task_ids(template)[0]) for template in Tier.BALL.template_ids]
scenes = SceneSet([task.scene for task in tasks])  # packed once, used any number of times
actions = discrete_actions(Tier.BALL, 100)

start = time.perf_counter()
result = simulate_batch(
    scenes,
    np.repeat(np.arange(len(tasks)), len(actions)),  # the scene of each attempt
    np.tile(actions, (len(tasks), 1)),  # its action
)
seconds = time.perf_counter() - start

outcome = result.outcome.reshape(len(tasks), len(actions))
print(f"{outcome.size:,} actions in {seconds:.1f} s, {(outcome != 0).mean():.0%} of them valid")
for task, row in zip(tasks, outcome, strict=True):
    print(task.id, f"{(row > 0).sum():3d} of {(row != 0).sum():3d} attempts solve it")

# The same call also returns trajectories, images or object features on request.
kept = simulate_batch(scenes, [0, 1], actions[:2], Request(stride=10, states=True, images=True))
assert kept.states is not None
assert kept.images is not None
print("states", kept.states.shape, "images", kept.images.shape)
