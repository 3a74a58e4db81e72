"""Checks of an engine elsewhere: inputs, and the SHA-256 of all bits that come out here.

A check is plain data. static/engine/bits.js makes the same attempts, or plays the same plans, in
WebAssembly and compares the hash; `write_probe` writes those that the engine hashes are taken over,
so a page that passes them may put these hashes into the records it exports.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from topple.iphyre.benchmark import IPHYRE
from topple.iphyre.engine.native import scene_set, simulate
from topple.iphyre.engine_hash import probe as iphyre_probe
from topple.iphyre.episode import removal_table
from topple.iphyre.game import Game
from topple.iphyre.plan import Plan
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.phyre.action import Actions
from topple.phyre.benchmark import PHYRE
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import MAX_STEPS, Request
from topple.phyre.engine_hash import probe as phyre_probe
from topple.phyre.task import template_tasks
from topple.phyre.templates import MODULES, find_template

#: The rules by the names that data files and pages call them.
RULES = {"play": AT_60_HZ, "learn": AT_10_HZ}

Check = dict[str, Any]


def engine_probe(templates: Iterable[str] = tuple(MODULES)) -> dict[str, Any]:
    """The hashes of both engines, and the checks that stand for them.

    With fewer templates, those of PHYRE are the ones at the tasks of these.
    """
    tiers = {template_id: find_template(template_id).tier for template_id in templates}
    checks = [phyre_check(name, {0: phyre_probe(tier)}) for name, tier in tiers.items()]
    for name, rules in RULES.items():
        for game, plan in iphyre_probe(rules):
            checks.append(iphyre_check(game, [plan], name, watched=True))
    engine = {benchmark.name: benchmark.engine_hash() for benchmark in (PHYRE, IPHYRE)}
    return {"engine": engine, "checks": checks}


def phyre_check(
    template_id: str,
    attempts: Mapping[int, Actions],
    *,
    max_steps: int = MAX_STEPS,
    stride: int = 0,
) -> Check:
    """A check of attempts at tasks of a template.

    Args:
        template_id: whose tasks.
        attempts: the actions on tasks, which are counted from 0.
        max_steps: of an attempt.
        stride: steps between the frames of which states, features and pictures are compared;
            0 to compare the states at the end.
    """
    tasks = template_tasks(template_id)
    frames = stride > 0
    request = Request(
        max_steps, max(stride, 1), states=frames, objects=frames, images=frames,
        final_state=not frames,
    )  # fmt: skip
    digest = hashlib.sha256()
    scenes = SceneSet([tasks[number].scene for number in attempts])
    counts = [len(actions) for actions in attempts.values()]
    index = np.repeat(np.arange(len(counts)), counts)
    batch = simulate_batch(scenes, index, np.concatenate(list(attempts.values())), request)
    bodies, objects = scenes.packed.body_counts(), scenes.packed.object_counts()
    balls = batch.balls.shape[1]
    for scene in range(len(counts)):
        rows = np.flatnonzero(index == scene)
        digest.update(batch.outcome[rows].tobytes() + batch.steps[rows].astype("<i4").tobytes())
        for row in rows.tolist():
            one = batch.attempt(row)
            for array, width in (
                (one.final_state, bodies[scene] + balls),
                (one.states, bodies[scene] + balls),
                (one.objects, objects[scene] + balls),
            ):
                if array is not None:
                    digest.update(array[..., :width, :].astype("<f4").tobytes())
            if one.images is not None:
                digest.update(one.images.tobytes())
    return {
        "template": template_id,
        "attempts": [[number, actions.tolist()] for number, actions in attempts.items()],
        "max_steps": max_steps,
        "stride": stride,
        "sha256": digest.hexdigest(),
    }


def iphyre_check(
    game: Game, plans: Sequence[Plan], rules_name: str, *, watched: bool = False
) -> Check:
    """A check of plans for a game: of their ends, or of every tick if they are watched."""
    rules: Rules = RULES[rules_name]
    request = rules.request
    count, bodies = len(plans), len(game.scene.radii)
    batch = simulate(
        scene_set((game.scene,), request.params, request.dt),
        np.zeros(count, np.int32),
        removal_table(plans),
        np.full(count, request.builds, np.int64),
        np.full(count, request.ticks, np.int32),
        request.out,
        final=not watched,
        stride=int(watched),
        bodies=bodies,
    )
    digest = hashlib.sha256(batch.solved.tobytes())
    digest.update(batch.ticks.astype("<i4").tobytes() + batch.removed.astype("<i4").tobytes())
    if batch.final is not None:
        digest.update(batch.final.astype("<f8").tobytes())
    if batch.states is not None and batch.frame_count is not None:
        for states, frames in zip(batch.states, batch.frame_count.tolist(), strict=True):
            digest.update(states[:frames].astype("<f8").tobytes())
    return {
        "game": game.name,
        "rules": rules_name,
        "plans": [[list(removal) for removal in plan.eliminations] for plan in plans],
        "watched": watched,
        "sha256": digest.hexdigest(),
    }
