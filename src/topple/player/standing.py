"""How a player compares with the agents and people of the papers, in either benchmark."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterable
from statistics import fmean
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import select

from topple.iphyre.published import (
    IPHYRE_CITATION,
    IPHYRE_HUMAN,
    IPHYRE_ORACLE,
    IPHYRE_TABLE_A2,
    IPHYRE_TABLE_A4_PLAYERS,
    iphyre_table_a4,
)
from topple.iphyre.split import Split
from topple.phyre.action import sample_actions
from topple.phyre.auccess import MAX_ATTEMPTS, auccess, success_at, success_curve
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Setup
from topple.phyre.published import SOURCE, TABLE_1B, published_agents, published_folds
from topple.phyre.tier import Tier
from topple.player.errors import NotFoundError
from topple.player.ids import OWN
from topple.player.models.base import Benchmark
from topple.player.models.iphyre import GameStanding, SplitStanding
from topple.player.models.phyre import Curve, Standing
from topple.player.players import tallies
from topple.player.puzzles import PhyreTask, published_task
from topple.player.store import Store
from topple.player.tables import Attempt, Baseline, Player

RAND_RUNS = 5  # of 100 attempts each, on every task somebody tried
EARLY = 10  # attempts, of Table 1 (b)
_DRAWN = 250  # actions at a time
_playing = threading.Lock()
_played: WeakKeyDictionary[Store, set[str]] = WeakKeyDictionary()  # published tasks, by database

_SETUPS = {
    Tier.BALL: (Setup.BALL_WITHIN_TEMPLATE, Setup.BALL_CROSS_TEMPLATE),
    Tier.TWO_BALLS: (Setup.TWO_BALLS_WITHIN_TEMPLATE, Setup.TWO_BALLS_CROSS_TEMPLATE),
}


def play_rand(task: PhyreTask, runs: int = RAND_RUNS) -> list[int]:
    """For each run, the number of the valid random attempt that solved a task, or 0."""
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


def has_baseline(store: Store, name: str) -> bool:
    """Whether RAND is known to have played a task, or does not play it because it is an own one."""
    return name.startswith(OWN) or name in _played.get(store, ())


def store_baselines(store: Store, names: Iterable[str]) -> None:
    """Let RAND play the published ones of these tasks that it has not played yet.

    One thread does this at a time, so that live games run smoothly. Tasks that were left out
    follow when somebody asks for a standing.
    """
    if not _playing.acquire(blocking=False):
        return
    try:
        done = _played.setdefault(store, set())
        for name in names:
            if has_baseline(store, name):
                continue
            with store.reading() as session:
                known = session.get(Baseline, name) is not None
            if not known:
                found = play_rand(published_task(name))
                with store.transaction() as session:
                    session.merge(Baseline(subject=name, first_solved=found))
            done.add(name)
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
                        note=f"published, {kind}, on all test tasks",
                    )
                )
    return curves


def _rand(store: Store, names: list[str]) -> Curve | None:
    with store.reading() as session:
        rows = [session.get(Baseline, name) for name in names]
        runs = [row.first_solved for row in rows if row is not None]
    if not runs:
        return None
    pooled = np.array(runs, np.int64).ravel()
    return Curve(
        name="RAND",
        auccess=auccess(pooled),
        success_at_10=success_at(pooled, EARLY),
        curve=success_curve(pooled).tolist(),
        note=f"on the same {len(runs)} tasks, in {RAND_RUNS} runs",
    )


def phyre_standing(store: Store, player: Player, tier: Tier) -> tuple[Standing, list[str]]:
    """A player's score over the published tasks of a tier they tried, and those tasks."""
    with store.reading() as session:
        done = {
            name: tally
            for name, tally in tallies(session, player, Benchmark.PHYRE).items()
            if tally.attempts and not name.startswith(OWN) and _tier(name) is tier
        }
    first_solved = np.array([tally.solved_at or 0 for tally in done.values()], np.int64)
    rand = _rand(store, list(done))
    standing = Standing(
        tier=tier,
        tasks=len(done),
        solved=int((first_solved > 0).sum()),
        auccess=auccess(first_solved) if len(done) else None,
        curve=success_curve(first_solved).tolist() if len(done) else None,
        others=[*([rand] if rand else []), *_published(tier)],
        source=SOURCE,
    )
    return standing, list(done)


def _tier(name: str) -> Tier | None:
    try:
        return published_task(name).tier
    except NotFoundError:
        return None


def _published_rewards(split: Split) -> dict[str, float]:
    """Mean rewards over a split from the paper: Table 2, A4 or A2."""
    table = iphyre_table_a4()
    if any(game.name not in table for game in split.games):
        return {name: row[split] for name, row in IPHYRE_TABLE_A2.items() if split in row}
    rewards = {"Human": IPHYRE_HUMAN[split], "Oracle": IPHYRE_ORACLE[split]}
    for name in IPHYRE_TABLE_A4_PLAYERS:
        if name not in rewards:
            rewards[name] = round(fmean(table[game.name][name] for game in split.games), 2)
    return rewards


def iphyre_standing(store: Store, player: Player) -> GameStanding:
    """A player's averages by split, over the games they played."""
    query = select(Attempt.subject, Attempt.reward, Attempt.solved).where(
        Attempt.player_id == player.id,
        Attempt.benchmark == Benchmark.IPHYRE.value,
        Attempt.counted,
        Attempt.finished,
    )
    rewards: dict[str, list[float]] = {}
    solved: set[str] = set()
    with store.reading() as session:
        for name, reward, success in session.execute(query.order_by(Attempt.id)):
            rewards.setdefault(name, []).append(reward or 0.0)
            if success:
                solved.add(name)
    splits = []
    for split in Split:
        names = [game.name for game in split.games if game.name in rewards]
        played = [rewards[name] for name in names]
        splits.append(
            SplitStanding(
                split=split.value,
                games=len(names),
                of=len(split.games),
                mean_reward=fmean(map(fmean, played)) if played else None,
                best_reward=fmean(map(max, played)) if played else None,
                success_rate=fmean(name in solved for name in names) if names else None,
                others=_published_rewards(split),
            )
        )
    return GameStanding(splits=splits, source=IPHYRE_CITATION)
