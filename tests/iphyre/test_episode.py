from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topple.iphyre import (
    ALL,
    AT_10_HZ,
    AT_60_HZ,
    Elimination,
    Episode,
    EpisodeState,
    Game,
    Plan,
    Rules,
    game_named,
    plan_from_seconds,
    play,
    play_batch,
    watch,
)
from topple.iphyre.engine.batch import Engine, new_world, simulate_batch
from topple.iphyre.episode import step
from topple.iphyre.score import Score, average

GAMES = st.sampled_from(ALL)
RULES = st.sampled_from((AT_10_HZ, AT_60_HZ))


def plans_of(game: Game) -> st.SearchStrategy[Plan]:
    ticks = st.one_of(st.none(), st.floats(0.01, 9.0))
    row = st.lists(ticks, min_size=len(game.eliminable), max_size=len(game.eliminable))
    return row.map(lambda seconds: plan_from_seconds(game, seconds))


def advance(episode: Episode, plan: Plan, until: int) -> None:
    due = dict(plan.eliminations)
    while episode.tick < until:
        if episode.tick in due:
            episode.remove(due[episode.tick])
        episode.step()


def bits(episode: Episode) -> bytes:
    return episode.world.poses().tobytes() + episode.world.velocities().tobytes()


@settings(max_examples=40, deadline=None)
@given(st.data(), GAMES, RULES, st.integers(0, 120), st.integers(1, 120))
def test_restore_and_branch_are_exact(
    data: st.DataObject, game: Game, rules: Rules, when: int, more: int
) -> None:
    plan = data.draw(plans_of(game))
    episode = Episode(game, rules)
    advance(episode, plan, when)
    snapshot = episode.state
    twin = episode.branch()
    assert bits(twin) == bits(episode)
    advance(episode, plan, when + more)
    advance(twin, plan, when + more)
    assert twin.state == episode.state
    assert bits(twin) == bits(episode)
    later = bits(episode)
    episode.restore(snapshot)
    assert episode.state == snapshot
    advance(episode, plan, when + more)
    assert bits(episode) == later


def test_branches_go_their_own_ways() -> None:
    episode = Episode(game_named("support"))
    episode.run(30)
    twin = episode.branch()
    twin.remove(0)
    assert not episode.run(200)
    twin.run(200)
    assert bits(twin) != bits(episode)
    assert twin.state.removed == {0}
    assert episode.state.removed == frozenset()


def test_step_is_pure() -> None:
    start = EpisodeState(game_named("support"), AT_10_HZ)
    first = step(start, 0)
    assert start == EpisodeState(game_named("support"), AT_10_HZ)
    assert first.history == (Elimination(0, 0),)
    assert first.score == Score(-10.1, False, 1, 1)
    assert step(first) == step(first)
    assert step(step(first), 0).history == first.history  # it is gone already


def test_restore_refuses_another_game() -> None:
    with pytest.raises(ValueError, match=r"plays 'hole' .* cannot go to a state of 'fill'"):
        Episode(game_named("hole")).restore(EpisodeState(game_named("fill")))
    with pytest.raises(ValueError, match="under its own rules"):
        Episode(game_named("hole")).restore(EpisodeState(game_named("hole"), AT_10_HZ))


def test_only_gray_blocks_that_are_there_can_be_removed() -> None:
    episode = Episode(game_named("hinder"))
    assert not episode.remove(0)  # black
    assert not episode.remove(4)  # the ball
    assert not episode.remove(99)
    assert episode.remove(1)
    assert not episode.remove(1)
    assert episode.removed == 1


def test_nothing_moves_in_the_first_tick() -> None:
    for game in ALL:
        trace = watch(game)
        np.testing.assert_array_equal(trace.poses[0], trace.poses[1])


@settings(max_examples=25, deadline=None)
@given(st.data(), GAMES, RULES)
def test_play_watch_and_episode_agree(data: st.DataObject, game: Game, rules: Rules) -> None:
    plan = data.draw(plans_of(game))
    score = play(game, plan, rules)
    trace = watch(game, plan, rules)
    assert (trace.solved, len(trace.poses) - 1) == (score.solved, score.ticks)
    assert (~trace.present[-1]).sum() == score.removed
    episode = Episode(game, rules)
    advance(episode, plan, score.ticks)
    assert episode.state.score == score
    assert episode.state.over
    assert episode.world.poses().tobytes() == trace.poses[-1].tobytes()


def test_batches_do_not_depend_on_order() -> None:
    rng = np.random.default_rng(3)
    attempts = [
        (game, plan_from_seconds(game, rng.uniform(0, 6, len(game.eliminable)).tolist()))
        for game in ALL
    ]
    scores = play_batch(attempts)
    order = rng.permutation(len(attempts)).tolist()
    shuffled = play_batch([attempts[k] for k in order])
    assert [scores[k] for k in order] == shuffled
    assert scores == [play(game, plan) for game, plan in attempts]
    assert play_batch([]) == []


def test_threads_do_not_share_worlds() -> None:
    attempts = [(game, plan_from_seconds(game, [1.0] * len(game.eliminable))) for game in ALL]
    alone = play_batch(attempts, AT_10_HZ)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: play_batch(attempts, AT_10_HZ), range(8)))
    assert all(scores == alone for scores in together)


def test_batch_errors_name_the_episode() -> None:
    scene = game_named("support").scene
    request = AT_60_HZ.request
    with pytest.raises(ValueError, match="episode 1: no scene 3"):
        simulate_batch([scene], [0, 3], [[-1] * 3] * 2, request)
    with pytest.raises(ValueError, match="episode 0: removals do not fit 3 bodies"):
        simulate_batch([scene], [0], [[-1, -1]], request)
    with pytest.raises(ValueError, match="removals have shape"):
        simulate_batch([scene], [0, 0], [[-1, -1, -1]], request)


def test_worlds_are_freed_in_any_state() -> None:
    for game in ALL:
        world = new_world(game.scene, 1 / 60, engine=Engine.PYMUNK)
        world.run(20)
        for body in game.eliminable[:1]:
            world.remove(body)
        del world
    gc.collect()


def test_average_of_nothing() -> None:
    with pytest.raises(ValueError, match="no scores"):
        average({})
