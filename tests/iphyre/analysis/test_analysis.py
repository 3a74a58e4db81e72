from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topple.iphyre import (
    AT_10_HZ,
    PUBLISHED,
    PUBLISHED_SPLITS,
    Plan,
    PlanError,
    game_named,
    plan_from_seconds,
    plan_from_ticks,
    play,
)
from topple.iphyre.analysis.failures import Attempted, count_failures, failures_by_split
from topple.iphyre.analysis.oracle import read_plans, search_oracle
from topple.iphyre.analysis.solvability import solvability
from topple.iphyre.analysis.store import StoreError, compute_each
from topple.iphyre.analysis.timing import jitter_success, timing_slack
from topple.iphyre.dataset import collect, load, save
from topple.iphyre.figures import bars_by_game, failure_shares
from topple.iphyre.published import IPHYRE_ORACLE
from topple.iphyre.sampling import draw_times, sample
from topple.iphyre.score import average
from topple.iphyre.split import Split

ORACLE = Path(__file__).resolve().parents[3] / "results" / "iphyre" / "oracle.json"
CENT = 0.005  # the tables print rewards to a hundredth


def test_best_plans_beat_the_paper() -> None:
    """The plans were found by `topple iphyre oracle`; they are played here."""
    plans = read_plans(ORACLE)
    assert list(plans) == [game.name for game in PUBLISHED]
    scores = {g.name: play(g, plan_from_ticks(g, plans[g.name])) for g in PUBLISHED}
    assert all(score.solved for score in scores.values())
    for split in PUBLISHED_SPLITS:
        mean = average({game.name: scores[game.name] for game in split.games}).reward
        assert mean >= IPHYRE_ORACLE[split] - CENT


def test_best_plans_match_the_table(shared: Any) -> None:
    plans = read_plans(ORACLE)
    for row in shared("oracle_table.json")["games"]:
        game = game_named(row["game"])
        score = play(game, plan_from_ticks(game, plans[game.name]))
        assert score.reward >= row["best_reward"] - CENT, game.name


@pytest.mark.parametrize(("name", "best"), [("support", 977.7), ("pendulum", 976.63)])
def test_search(name: str, best: float) -> None:
    game = game_named(name)
    found = search_oracle(game, attempts=1500, seed=1)
    assert found is not None
    assert found.score.reward >= best - CENT
    assert play(game, found.plan) == found.score
    assert play(game, plan_from_ticks(game, found.ticks)) == found.score
    assert search_oracle(game, attempts=1500, seed=1) == found


def test_search_may_fail() -> None:
    assert search_oracle(game_named("seesaw"), attempts=200, rules=AT_10_HZ) is None


def test_slack() -> None:
    game = game_named("seesaw")
    plan = plan_from_seconds(game, [None, 4.821])
    one, whole = timing_slack(game, plan)
    assert (one.body, whole.body) == (5, None)
    assert one[1:] == whole[1:]  # the plan has a single removal
    tick = plan.eliminations[0].tick
    for ms, direction in ((one.earlier_ms, -1), (one.later_ms, 1)):
        edge = tick + direction * round(ms * 60 / 1000)
        assert play(game, plan_from_ticks(game, [None, edge])).solved
        assert not play(game, plan_from_ticks(game, [None, edge + direction])).solved
    assert jitter_success(game, plan, min(one[1:]) - 17) == 1.0
    assert jitter_success(game, plan, 5000) < 1.0
    # Both edges within reach: shifts beyond them fail, and the outermost ticks count half.
    earlier, later = (round(ms * 60 / 1000) for ms in one[1:])
    reach = max(earlier, later) + 2
    lost = (reach - earlier - 0.5) + (reach - later - 0.5)
    exact = 1 - lost / (2 * reach)
    assert jitter_success(game, plan, reach * 1000 / 60) == pytest.approx(exact)
    with pytest.raises(PlanError, match="does not solve 'seesaw'"):
        timing_slack(game, Plan())


def test_solvability_samples_large_games() -> None:
    found = solvability(game_named("direction"), samples=200)
    assert not found.exhaustive
    assert found.plans == 200
    assert 0.1 < found.share < 0.6
    assert found.best_reward is not None
    assert found.best_reward > 940


def test_nothing_solves_seesaw_at_ten_hertz() -> None:
    found = solvability(game_named("seesaw"))
    assert (found.exhaustive, found.plans, found.solved) == (True, 22351, 0)
    assert found.best_ticks is None


@pytest.mark.slow
def test_exhaustive_solvability(shared: Any) -> None:
    for fact in shared("solvability_10hz.json"):
        if fact["mode"].startswith("exhaustive"):
            found = solvability(game_named(fact["game"]))
            assert found.plans == fact["n"]
            assert found.share == pytest.approx(fact["success_fraction"])
            assert found.best_reward == pytest.approx(fact["best_reward"])


def test_failures() -> None:
    oracle = {"support": (0, 1), "hole": (5, 4), "noisy_hole": (4,), "fill": (6, 3)}
    attempts = {
        "support": Attempted((0, 1), True),
        "hole": Attempted((5, 4), False),
        "fill": Attempted((3,), True),
        "noisy_hole": Attempted((2,), False),
    }
    counts = count_failures(attempts, oracle)
    assert counts == (4, 2, 2, 1)
    assert (counts.timing_share, counts.order_share) == (0.5, 0.5)
    by_split = failures_by_split(attempts, oracle)
    assert by_split[Split.BASIC].timing_share == 1.0
    assert by_split[Split.NOISY].timing_share == 0.0
    assert Split.MULTI_BALL not in by_split
    assert count_failures({"support": attempts["support"]}, oracle).timing_share is None
    with pytest.raises(KeyError, match="no plan for spring"):
        count_failures({"spring": Attempted((), False)}, oracle)


def test_draws() -> None:
    rows = [row for row, _ in zip(draw_times(3), range(200), strict=False)]
    assert all(len(row) == 6 and row[3:] == [0.0, 0.0, 0.0] for row in rows)
    times = np.array(rows)[:, :3]
    assert times.max() < 7.0
    np.testing.assert_allclose(times * 10, np.round(times * 10), atol=1e-9)
    assert 0.15 < (times == 0.0).mean() < 0.3


def test_sampling_difficulty(shared: Any) -> None:
    for fact in shared("generate_actions_iterations.json"):
        if fact["iterations"] < 130:
            draws, count = sample(game_named(fact["game"]))
            assert count == fact["iterations"]
            assert [draw.score.solved for draw in draws] == [True] * 50 + [False] * 50


def test_dataset(tmp_path: Path) -> None:
    game = game_named("multi_ball_lever")
    data = collect(game, 3, 2, frame_size=32)
    assert data.solved.tolist() == [True] * 3 + [False] * 2
    assert data.tables.shape == (5, 150, 12, 9)
    assert data.frames.shape == (5, 150, 32, 32, 3)
    for k in range(5):
        filled = data.tables[k].any(axis=(1, 2)).sum()
        assert filled == int(np.ceil(data.seconds[k] * 10 - 1e-9))
        assert data.rewards[k] == pytest.approx(
            1000 * data.solved[k] - 10 * data.removed[k] - data.seconds[k]
        )
        # The last table but one row per ball: not out yet, and soon after for successes.
        assert (data.times[k] <= data.seconds[k]).all()
    path = tmp_path / "lever.npz"
    save(data, path)
    for ours, stored in zip(data, load(path), strict=True):
        np.testing.assert_array_equal(ours, stored)
    assert collect(game, 1, 0).frames.size == 0


def test_store(tmp_path: Path) -> None:
    games = [game_named("hole"), game_named("fill")]
    path = tmp_path / "found.json"
    calls: list[str] = []

    def compute(game: Any) -> dict[str, Any]:
        calls.append(game.name)
        return {"value": len(calls)}

    first = dict(compute_each(path, games[:1], {"seed": 0}, compute))
    both = dict(compute_each(path, games, {"seed": 0}, compute))
    assert calls == ["hole", "fill"]
    assert both[games[0]] == first[games[0]]
    with pytest.raises(StoreError, match=r"found\.json was made with .*'seed': 0.*not .*'seed': 1"):
        list(compute_each(path, games, {"seed": 1}, compute))
    path.write_text("[]")
    with pytest.raises(StoreError, match="holds no results of an analysis"):
        list(compute_each(path, games, {"seed": 0}, compute))
    path.write_text("{")
    with pytest.raises(StoreError, match="is not JSON"):
        list(compute_each(path, games, {"seed": 0}, compute))


def test_figures(tmp_path: Path) -> None:
    bars_by_game({"hole": 3.0, "noisy_hole": 30.0, "own": 5.0}, "x", "y", tmp_path / "a.png", True)
    counts = [("all", count_failures({"hole": Attempted((), False)}, {"hole": (1,)}))]
    failure_shares(counts, "why", tmp_path / "b.svg")
    assert (tmp_path / "a.png").stat().st_size > 3000
    assert b"<svg" in (tmp_path / "b.svg").read_bytes()
