"""How a player does in a PHYRE tier, beside RAND and the published agents."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterable

import numpy as np
from fastapi import HTTPException

from topple.phyre.action import sample_actions
from topple.phyre.auccess import MAX_ATTEMPTS, auccess, success_at, success_curve
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Setup
from topple.phyre.published import SOURCE, TABLE_1B, published_agents, published_folds
from topple.phyre.tier import Tier
from topple.player import tables
from topple.player.ids import OWN
from topple.player.models.base import Benchmark, TierName
from topple.player.models.phyre import Curve, Standing
from topple.player.people import Person, Tally, tallies
from topple.player.store import Store
from topple.player.tasks import PhyreTask, published_task

RAND_RUNS = 5  # of 100 attempts each, on every task somebody tried
EARLY = 10  # attempts, of Table 1 (b)
_DRAWN = 250  # actions at a time
_playing = threading.Lock()

_SETUPS = {
    Tier.BALL: (Setup.BALL_WITHIN_TEMPLATE, Setup.BALL_CROSS_TEMPLATE),
    Tier.TWO_BALLS: (Setup.TWO_BALLS_WITHIN_TEMPLATE, Setup.TWO_BALLS_CROSS_TEMPLATE),
}


def play_rand(task: PhyreTask, runs: int = RAND_RUNS) -> list[int]:
    """For each run, the number of the valid random attempt that solved a task; 0: none did."""
    rng = np.random.RandomState(zlib.crc32(task.name.encode()))
    results = []
    outcomes = np.zeros(0, np.int8)
    for _ in range(runs):
        while len(outcomes) < MAX_ATTEMPTS:
            drawn = task.simulator.outcomes(sample_actions(task.tier, _DRAWN, rng))[0]
            outcomes = np.concatenate([outcomes, drawn[drawn != Outcome.INVALID]])
        solved = np.flatnonzero(outcomes[:MAX_ATTEMPTS] > 0)
        results.append(int(solved[0]) + 1 if len(solved) else 0)
        outcomes = outcomes[MAX_ATTEMPTS:]
    return results


def keep_baselines(store: Store, names: Iterable[str]) -> None:
    """Let RAND play some published tasks, as far as it has not.

    One thread does this at a time, so that live games keep their pace; what is left out is
    made up for when somebody asks for a standing.
    """
    if not _playing.acquire(blocking=False):
        return
    try:
        for name in names:
            with store.reading() as session:
                known = session.get(tables.Baseline, name) is not None
            if not known and not name.startswith(OWN):
                found = play_rand(published_task(name))
                with store.transaction() as session:
                    session.merge(tables.Baseline(subject=name, first_solved=found))
    finally:
        _playing.release()


def _published(tier: Tier) -> list[Curve]:
    curves = []
    for setup in _SETUPS[tier]:
        kind = setup.split.value.replace("_", " ")
        for agent in published_agents():
            folds = published_folds(agent, setup)
            early = TABLE_1B.get(agent, {}).get(setup)
            if folds is not None:
                curves.append(
                    Curve(
                        name=agent,
                        auccess=sum(folds) / len(folds),
                        success_at_10=float(early.split("±")[0]) / 100 if early else None,
                        curve=None,
                        note=f"paper, {kind}, all test tasks",
                    )
                )
    return curves


def _rand(store: Store, names: list[str]) -> Curve | None:
    with store.reading() as session:
        rows = [session.get(tables.Baseline, name) for name in names]
        runs = [row.first_solved for row in rows if row is not None]
    if not runs:
        return None
    pooled = np.array(runs, np.int64).ravel()
    return Curve(
        name="RAND",
        auccess=auccess(pooled),
        success_at_10=success_at(pooled, EARLY),
        curve=success_curve(pooled).tolist(),
        note=f"the same {len(runs)} tasks, {RAND_RUNS} runs",
    )


def tried(store: Store, person: Person, tier: Tier) -> dict[str, Tally]:
    """A player's published tasks of a tier with attempts that count."""
    with store.reading() as session:
        return {
            name: tally
            for name, tally in tallies(session, person.id, Benchmark.PHYRE).items()
            if tally.attempts and not name.startswith(OWN) and _tier(name) is tier
        }


def standing(store: Store, person: Person, tier: Tier) -> Standing:
    """A player's score over the published tasks of a tier they tried."""
    done = tried(store, person, tier)
    first_solved = np.array([tally.solved_at or 0 for tally in done.values()], np.int64)
    rand = _rand(store, list(done))
    return Standing(
        tier=TierName(tier.value),
        tasks=len(done),
        solved=int((first_solved > 0).sum()),
        auccess=auccess(first_solved) if len(done) else None,
        curve=success_curve(first_solved).tolist() if len(done) else None,
        others=[*([rand] if rand else []), *_published(tier)],
        source=SOURCE,
    )


def _tier(name: str) -> Tier | None:
    try:
        return published_task(name).tier
    except HTTPException:
        return None
