"""Random I-PHYRE games, plans and episodes: both engines and all ways to play agree."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import reject
from hypothesis import strategies as st

from support.iphyre_reference import ReferenceSlots, actions_for
from topple.iphyre import (
    ALL,
    AT_60_HZ,
    Ball,
    Block,
    Game,
    GameError,
    Plan,
    Rules,
    Strategy,
    plan_from_ticks,
    watch,
)
from topple.iphyre.engine.batch import Engine, trace_episode
from topple.iphyre.engine.scene import LEAST_RADIUS
from topple.iphyre.env_slots import Slots
from topple.iphyre.episode import Episode, play_batch
from topple.iphyre.game import NEAREST, SHORTEST_BLOCK, Kind


def random_plan(game: Game, rules: Rules, rng: np.random.Generator) -> Plan:
    latest = rng.choice((3, 8, 15)) * rules.hz
    ticks = rng.integers(0, latest, len(game.eliminable)).tolist()
    never = rng.random(len(ticks)) < 0.25
    chosen = [None if gone else tick for tick, gone in zip(ticks, never, strict=True)]
    return plan_from_ticks(game, chosen, rules)


def engines_agree(game: Game, plan: Plan, rules: Rules) -> bool:
    pytest.importorskip("pymunk")
    ours = watch(game, plan, rules)
    theirs = watch(game, plan, replace(rules, engine=Engine.PYMUNK))
    return (
        ours.solved == theirs.solved
        and ours.poses.tobytes() == theirs.poses.tobytes()
        and ours.velocities.tobytes() == theirs.velocities.tobytes()
        and (ours.present == theirs.present).all()
    )


PLACES = st.floats(0, 600).map(lambda place: place if place >= NEAREST else 0.0)
POINTS = st.tuples(PLACES, PLACES)
BLOCKS = st.tuples(POINTS, POINTS, st.sampled_from(Kind)).map(lambda row: Block(*row))
BALLS = st.tuples(PLACES, PLACES, st.floats(1, 80)).map(lambda r: Ball(*r))


@st.composite
def own_games(draw: st.DrawFn) -> Game:
    blocks = tuple(draw(st.lists(BLOCKS, max_size=8)))
    balls = tuple(draw(st.lists(BALLS, min_size=1, max_size=12 - len(blocks))))
    bodies = st.integers(0, len(blocks) + len(balls) - 1)
    pairs = st.lists(st.tuples(bodies, bodies), max_size=4)
    try:
        return Game("own", "", blocks, balls, tuple(draw(pairs)), tuple(draw(pairs)))
    except GameError:
        reject()


HUGE = st.floats(-1e308, 1e308)
absurd_ends = st.lists(st.tuples(HUGE, HUGE, HUGE, HUGE), min_size=2, max_size=8)


def check_absurd_ends(rows: list[tuple[float, float, float, float]], hz: int) -> None:
    """No game may have such blocks, but a scene may."""
    blocks = tuple(
        Block((9.0 * k, 9.0), (9.0 * k, 99.0), (Kind.BLUE, Kind.BLACK)[k % 2])
        for k in range(len(rows))
    )
    game = Game("absurd", "", blocks, (Ball(300.0, 100.0), Ball(301.0, 100.0, LEAST_RADIUS)))
    ends = [row for row in rows if math.dist(row[:2], row[2:]) >= SHORTEST_BLOCK]
    scene = game.scene._replace(ends=(*ends, *game.scene.ends[len(ends) :]))
    trace = trace_episode(scene, (), replace(AT_60_HZ, hz=hz).request)
    assert trace.poses.shape[1] == game.bodies


def check_slots(
    strategy: Strategy, rules: Rules, rng: np.random.Generator, engines: tuple[Engine, ...]
) -> int:
    """Every game by both implementations of a strategy; returns how many episodes ended."""
    played: tuple[Slots | ReferenceSlots, ...] = (
        Slots(ALL, len(ALL), strategy, rules),
        *(ReferenceSlots(ALL, len(ALL), strategy, replace(rules, engine=e)) for e in engines),
    )
    arrays = [slots.arrays() for slots in played]
    numbers = np.arange(len(ALL))
    for slots, into in zip(played, arrays, strict=True):
        slots.start(numbers, numbers, into)
    ends, ended = 0, np.zeros(len(ALL), np.bool_)
    for _ in range(160 if strategy is Strategy.ON_THE_FLY else 8):
        actions = actions_for(strategy, rng, len(ALL))
        if strategy is not Strategy.ON_THE_FLY:
            actions[rng.random(actions.shape) < 0.1] = 0.0
            actions[:, 1] = np.where(rng.random(len(ALL)) < 0.3, actions[:, 0], actions[:, 1])
        restart = np.where(ended, rng.permutation(len(ALL)), -1).astype(np.int32)
        for slots, into in zip(played, arrays, strict=True):
            slots.step(actions, into, restart)
        for other, slots in zip(arrays[1:], played[1:], strict=True):
            for ours, theirs in zip(arrays[0], other, strict=True):
                np.testing.assert_array_equal(ours, theirs)
            for ours, theirs in zip(played[0].status(), slots.status(), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        ended = arrays[0].terminated | arrays[0].truncated
        ends += int(ended.sum())
    return ends


def check_ways_to_play(attempts: list[tuple[Game, Plan]], rules: Rules) -> None:
    """A batch in any order and with any threads, a trace and an episode: the same scores."""
    scores = play_batch(attempts, rules, threads=1)
    for threads in (2, 5):
        order = np.random.default_rng(threads).permutation(len(attempts))
        shuffled = play_batch([attempts[k] for k in order], rules, threads=threads)
        assert shuffled == [scores[k] for k in order]
    for (game, plan), score in zip(attempts, scores, strict=True):
        episode = Episode(game, rules)
        while not episode.state.over:
            for tick, body in plan.eliminations:
                if tick == episode.tick:
                    episode.remove(body)
            episode.step()
        assert episode.state.score == score
