"""Outcomes and trajectories against those of the original package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.tally import Tally
from topple.iphyre import (
    AT_10_HZ,
    AT_60_HZ,
    Game,
    Kind,
    Plan,
    Score,
    game_named,
    plan_from_seconds,
    plan_in_advance,
    play_batch,
    watch,
)
from topple.iphyre.agents.rand import paper_games, play_random
from topple.iphyre.engine.native import scene_set, simulate
from topple.iphyre.engine.scene import Scene
from topple.iphyre.episode import removal_table
from topple.iphyre.published import IPHYRE_TABLE_A2, iphyre_table_a4, iphyre_table_a4_means
from topple.iphyre.score import average, averages
from topple.iphyre.split import Split

Times = list[float | None]
RULES = {60: AT_60_HZ, 10: AT_10_HZ}


def plan_at(hz: int, game: Game, times: Times) -> Plan:
    """The plan of the simulator at 60 Hz, and of the environment at 10 Hz."""
    if hz == 60:
        return plan_from_seconds(game, times)
    action = np.zeros(6, dtype=np.float32)
    action[: len(times)] = [(time or 0.0) / 15 for time in times]
    return plan_in_advance(game, action)


def agree(score: Score, solved: bool, ticks: int, removed: int, reward: float) -> bool:
    return (score.solved, score.ticks, score.removed) == (solved, ticks, removed) and (
        abs(score.reward - reward) < 1e-6
    )


@pytest.mark.parametrize(("column", "hz"), [(1, 60), (2, 10)])
def test_committed_plans(golden: Any, tally: Tally, column: int, hz: int) -> None:
    attempts, expected = [], []
    for name, rows in golden("iphyre_plans.json")["games"].items():
        game = game_named(name)
        for row in rows:
            attempts.append((game, plan_at(hz, game, row[0])))
            expected.append(row[column])
    scores = play_batch(attempts, RULES[hz])
    assert len(scores) == 300
    assert any(row[0] for row in expected)
    equal = [agree(s, *e) for s, e in zip(scores, expected, strict=True)]
    tally(f"I-PHYRE plans committed here, at {hz} Hz", equal.count(False), len(equal))
    assert all(equal)


@pytest.mark.parametrize(("column", "hz"), [("sim60", 60), ("env10", 10)])
def test_all_golden_plans(shared: Any, tally: Tally, column: str, hz: int) -> None:
    attempts, expected = [], []
    for name, rows in shared("golden_plans.json.xz")["games"].items():
        game = game_named(name)
        for row in rows:
            attempts.append((game, plan_at(hz, game, row["times"])))
            out = row[column]
            expected.append((bool(out["success"]), out["steps"], out["n_elim"], out["reward"]))
    scores = play_batch(attempts, RULES[hz])
    equal = [agree(s, *e) for s, e in zip(scores, expected, strict=True)]
    tally(f"I-PHYRE plans at {hz} Hz", equal.count(False), len(equal))
    assert len(equal) == 5000
    assert all(equal)


def compare_frames(
    game: Game, times: Times, solved: bool, ticks: int, frames: Any, turning: float = 0.0
) -> None:
    """Compare a trajectory; `turning` is the tolerance in games with blocks that turn."""
    trace = watch(game, plan_at(60, game, times))
    assert trace.solved == solved
    assert len(trace.poses) == ticks + 1
    for tick, *bodies in frames:
        for body, *numbers in bodies:
            ours = np.concatenate((trace.poses[tick, body], trace.velocities[tick, body]))
            if game.springs:
                # Two versions of the engine differ in the last bits of a spring's impulse;
                # velocities in px/s follow suit, and the numbers are rounded to 8 decimals.
                np.testing.assert_allclose(ours[:2], numbers[:2], rtol=0, atol=1.5e-8)
                np.testing.assert_allclose(ours[2:], numbers[2:], rtol=0, atol=1e-6)
            elif turning and any(block.kind is Kind.BLUE for block in game.blocks):
                np.testing.assert_allclose(ours, numbers, rtol=0, atol=turning)
            else:
                assert [round(float(number), 8) for number in ours] == numbers


def test_committed_trajectories(golden: Any) -> None:
    games = golden("iphyre_traj.json")["games"]
    assert len(games) == 9
    for name, (times, solved, ticks, frames) in games.items():
        # The C library's sine and cosine differ between processors in the last bit.
        compare_frames(game_named(name), times, solved, ticks, frames, turning=1e-3)


def test_all_golden_trajectories(shared: Any) -> None:
    for name, rows in shared("golden_traj.json.xz")["games"].items():
        for row in rows:
            game = game_named(name)
            compare_frames(game, row["times"], bool(row["success"]), row["steps"], row["frames"])


@pytest.mark.parametrize(("column", "hz"), [("sim60", 60), ("env10", 10)])
def test_final_states_are_equal_to_the_bit(shared: Any, tally: Tally, column: str, hz: int) -> None:
    """The golden plans were made with the reference, so every bit has to agree."""
    games = shared("golden_plans.json.xz")["games"]
    scenes: list[Scene] = []
    plans, index, expected = [], [], []
    for name, rows in games.items():
        game = game_named(name)
        for row in rows:
            plans.append(plan_at(hz, game, row["times"]))
            index.append(len(scenes))
            expected.append(row[column]["final"])
        scenes.append(game.scene)
    request, count = RULES[hz].request, len(plans)
    batch = simulate(
        scene_set(tuple(scenes), request.params, request.dt),
        np.array(index, np.int32),
        removal_table(plans),
        np.full(count, request.builds, np.int64),
        np.full(count, request.ticks, np.int32),
        request.out,
        threads=2,
        final=True,
        bodies=12,
    )
    assert batch.final is not None
    wrong = [
        k
        for k, bodies in enumerate(expected)
        if any(batch.final[k, int(b), :3].tolist() != pose for b, pose in bodies.items())
    ]
    tally(f"final states of I-PHYRE plans at {hz} Hz, every bit", len(wrong), count)
    assert wrong == []


def test_random_column(tally: Tally) -> None:
    """Forty of forty entries of Table A4, its mean, and Table A2's two random numbers."""
    scores = {name: state.score for name, state in play_random(paper_games()).items()}
    table = iphyre_table_a4()
    equal = [game for game, row in table.items() if abs(scores[game].reward - row["Random"]) < 0.05]
    tally("games in the Random column of Table A4", len(table) - len(equal), len(table))
    assert len(equal) == len(table) == 40
    means = averages(scores)
    for split in (Split.BASIC, Split.UNSEEN_BASIC):
        assert round(means[split].reward, 2) == IPHYRE_TABLE_A2["Random"][split]
    forty = average({game: scores[game] for game in table}).reward
    assert forty == pytest.approx(iphyre_table_a4_means()["Random"], abs=0.0051)
