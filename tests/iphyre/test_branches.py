from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity
from topple.iphyre import ALL, AT_10_HZ, AT_60_HZ, Elimination, Episode, Plan, game_named, watch
from topple.iphyre.branches import BranchResult, branch_episode
from topple.iphyre.engine.batch import Engine, new_world
from topple.iphyre.engine.edits import AddBall, AddBlock, Edit, edit_world
from topple.iphyre.engine.native import NativeWorld
from topple.iphyre.score import Score


def finished(episode: Episode, plan: Plan = Plan()) -> Score:  # noqa: B008
    due = dict(plan.eliminations)
    while not episode.state.over:
        if episode.tick in due:
            episode.remove(due[episode.tick])
        episode.step()
    return episode.state.score


def test_a_branch_without_edits_does_what_the_episode_does() -> None:
    rng = np.random.default_rng(0)
    for game in ALL[::4]:
        for rules in (AT_10_HZ, AT_60_HZ):
            episode = Episode(game, rules)
            episode.run(int(rng.integers(1, 3 * rules.hz)))
            if episode.solved:
                continue
            episode.remove(game.eliminable[0])
            episode.step()
            later = Plan(tuple(Elimination(episode.tick + 20, b) for b in game.eliminable[1:2]))
            result = branch_episode(episode, [[], []], [Plan(), later], stride=1)
            for k, plan in enumerate((Plan(), later)):
                twin = episode.branch()
                assert finished(twin, plan) == result.scores[k]
                ours = np.hstack((twin.world.poses(), twin.world.velocities()))
                assert ours.tobytes() == result.final[k].tobytes()
                assert result.states is not None
                assert result.frame_count is not None
                frames = int(result.frame_count[k])
                assert result.states[k, frames - 1].tobytes() == result.final[k].tobytes()


def test_results_do_not_depend_on_threads() -> None:
    episode = Episode(game_named("seesaw"))
    episode.run(60)
    ball = len(episode.game.blocks)
    kicks: list[list[Edit]] = [[SetVelocity(ball, (float(v), -50.0))] for v in range(-60, 61, 4)]
    results: list[BranchResult] = [branch_episode(episode, kicks, threads=n) for n in (1, 2, 5)]
    for other in results[1:]:
        assert other.scores == results[0].scores
        assert other.final.tobytes() == results[0].final.tobytes()
    assert len({row.tobytes() for row in results[0].final}) == len(kicks)
    assert episode.tick == 60


def test_edits_are_what_pymunk_does() -> None:
    """Numbers written into Chipmunk's own bodies, and a block removed, against edits."""
    pytest.importorskip("pymunk")
    from topple.iphyre.engine.pymunk_engine import PymunkWorld
    from topple.pymunk_memory import LAYOUT

    rng = np.random.default_rng(1)
    for game in ALL:
        ours = new_world(game.scene, 0.1)
        theirs = new_world(game.scene, 0.1, engine=Engine.PYMUNK)
        assert isinstance(ours, NativeWorld)
        assert isinstance(theirs, PymunkWorld)
        moving = np.flatnonzero(game.scene.is_dynamic)
        for _ in range(8):
            ours.step(7)
            theirs.step(7)
            body = int(rng.choice(moving))
            row = theirs.rows[body]
            vx, vy, spin = rng.normal(0, 80, 3).tolist()
            if rng.random() < 0.5:
                edit_world(ours, [SetVelocity(body, (vx, vy), spin / 50)])
                row[[LAYOUT.vx, LAYOUT.vy, LAYOUT.spin]] = vx, vy, spin / 50
            else:
                x, y = (row[[LAYOUT.x, LAYOUT.y]] + (vx / 9, -abs(vy) / 9)).tolist()
                edit_world(ours, [MoveBody(body, (x, y), spin / 100)])
                row[[LAYOUT.x, LAYOUT.y, LAYOUT.angle]] = x, y, spin / 100
            assert ours.poses().tobytes() == theirs.poses().tobytes()
        edit_world(ours, [RemoveBody(0)])
        theirs.remove(0)
        ours.step(20)
        theirs.step(20)
        assert ours.poses().tobytes() == theirs.poses().tobytes()
        assert ours.velocities().tobytes() == theirs.velocities().tobytes()


def test_added_bodies_and_impulses() -> None:
    game = game_named("support")
    episode = Episode(game)
    episode.run(30)
    ball = len(game.blocks)
    result = branch_episode(
        episode,
        [
            [AddBlock((100.0, 300.0), (400.0, 310.0)), AddBall((250.0, 200.0), 15.0)],
            [AddBall((500.0, 550.0), velocity=(0.0, 30.0)), RemoveBody(0), RemoveBody(1)],
            [RemoveBody(0), RemoveBody(1)],
            [ApplyImpulse(ball, (0.0, -200.0), (255.0, 340.0))],
        ],
    )
    assert [score.solved for score in result.scores[:3]] == [False, True, True]
    assert result.scores[2].removed == 0  # edits are not charged
    assert result.final.shape[1] == game.bodies + 2
    # An impulse off the centre turns the ball.
    assert result.final[3, ball, 2] != 0.0


def test_bad_edits_are_named() -> None:
    episode = Episode(game_named("support"))
    cases: list[tuple[list[Edit], str]] = [
        ([RemoveBody(9)], "branch 1, RemoveBody: there is no body 9, the last is 2"),
        ([MoveBody(0, (1.0, 2.0), 0.0)], "body 0 is static and can only be removed"),
        ([SetVelocity(2, (float("nan"), 0.0))], "not finite or too large"),
        ([AddBall((0.0, 0.0), -1.0)], "has no size"),
        ([AddBall((0.0, 0.0))] * 18, "there are 20 bodies already"),
    ]
    for edits, message in cases:
        with pytest.raises(ValueError, match=message):
            branch_episode(episode, [[], edits])
    with pytest.raises(TypeError, match="is no edit"):
        branch_episode(episode, [["kick"]])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="2 plans for 1 branches"):
        branch_episode(episode, [[]], [Plan(), Plan()])
    pytest.importorskip("pymunk")
    slow = Episode(game_named("support"), replace(AT_10_HZ, engine=Engine.PYMUNK))
    with pytest.raises(ValueError, match="branches need the native engine"):
        branch_episode(slow, [[]])


def test_no_branches_at_all() -> None:
    result = branch_episode(Episode(game_named("hole")), [])
    assert result.scores == []


def test_watch_equals_strided_states() -> None:
    game = game_named("hole")
    trace = watch(game)
    result = branch_episode(Episode(game), [[]], stride=6)
    assert result.states is not None
    frames = int(result.frame_count[0]) if result.frame_count is not None else 0
    np.testing.assert_array_equal(result.states[0, :frames, :, :3], trace.poses[::6][:frames])
