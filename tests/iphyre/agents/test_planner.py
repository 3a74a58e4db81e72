"""The planner keeps to its budget and its plays, and finds what random plans do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.phases import play_games
from topple.iphyre.agents.planner import Evaluated, Planner, PlanSearch, simulator_evaluation
from topple.iphyre.episode import play
from topple.iphyre.game import Ball, Game
from topple.iphyre.games import game_named
from topple.iphyre.plan import Rows, random_rows, row_plan
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.selection import GameSelection
from topple.iphyre.tables import columns_of
from topple.runs.agent import Kind
from topple.runs.config import RunConfig
from topple.runs.registry import create_agent
from topple.runs.runner import Runner

GAMES = ("support", "hinder")


def run_games(games: tuple[str, ...], calls: int, **more: Any) -> IPhyreRecord:
    config = RunConfig("planner", GameSelection(games), {"calls": calls}, **more)
    return Runner(Path("unused")).run(config)


def test_the_planner_solves_games_in_one_play_and_counts_its_calls() -> None:
    record = run_games((*GAMES, "hole"), 300, attempts=5)
    assert record.results.average.success_rate == 1.0
    assert len(record.results.plays) == 3
    assert 0 < record.protocol["simulator_calls_in_testing"] <= 900
    assert record.protocol["observation"] == "scene"


def test_more_calls_find_better_plans() -> None:
    rewards = [run_games(GAMES, calls).results.average.reward for calls in (0, 50, 800)]
    assert rewards[0] <= rewards[1] <= rewards[2]
    assert rewards[2] > 970


def test_equal_runs_are_equal() -> None:
    first, again = (run_games(GAMES, 100, seed=3) for _ in range(2))
    assert first.results.plays == again.results.plays


def test_a_game_without_solution_gets_all_its_plays() -> None:
    # At 10 Hz seesaw has no solution at all.
    record = run_games(("seesaw",), 40, attempts=4)
    assert len(record.results.plays) == 4
    assert record.results.plays[0].plan.eliminations == ()
    assert record.results.scores["seesaw"].reward == -15.0


def test_without_calls_it_plays_random_plans() -> None:
    playing = play_games(Planner(calls=0), [game_named("support")], plays=20)
    assert playing.simulator_calls == 0
    assert [each.score.solved for each in playing.log][-1]


def test_a_game_without_gray_blocks_has_one_plan() -> None:
    game = Game("drop", "a ball falls", (), (Ball(300, 300),))
    playing = play_games(Planner(calls=50), [game], plays=3)
    assert playing.simulator_calls == 1
    assert [each.score.solved for each in playing.log] == [True]


@settings(max_examples=25, deadline=None)
@given(calls=st.integers(0, 60), generations=st.integers(1, 8), seed=st.integers(0, 99))
def test_no_plan_is_judged_twice_nor_too_many(calls: int, generations: int, seed: int) -> None:
    seen: list[tuple[int, ...]] = []

    def judge(rows: Rows) -> Evaluated:
        seen.extend(map(tuple, rows.tolist()))
        return Evaluated(100.0 - np.abs(rows - 20).sum(axis=1), rows)

    search = PlanSearch(judge, 2, AT_10_HZ, np.random.default_rng(seed))
    search.run(calls, generations)
    assert len(seen) == len(set(seen)) == search.evaluated <= calls
    values = [found.value for found in search.best()]
    assert values == sorted(values, reverse=True)


def test_the_search_closes_in_on_the_best_times() -> None:
    def judge(rows: Rows) -> Evaluated:
        off = np.abs(rows - np.array([37, 90])).sum(axis=1)
        return Evaluated(np.where((rows >= 0).all(axis=1), 100.0 - off, -1.0), rows)

    search = PlanSearch(judge, 2, AT_10_HZ, np.random.default_rng(0))
    search.run(600, 15)
    assert search.best()[0].value >= 99


def test_the_simulator_says_what_a_play_says() -> None:
    game = game_named("angle")
    rows = random_rows(np.random.default_rng(0), 40, len(game.eliminable), AT_10_HZ)
    judged = simulator_evaluation(game, AT_10_HZ)(rows)
    for row, value, done in zip(rows, judged.values, judged.rows, strict=True):
        score = play(game, row_plan(game, row, AT_10_HZ), AT_10_HZ)
        assert score.reward == pytest.approx(value)
        assert (done >= 0).sum() == score.removed
        # What was not carried out makes no difference.
        assert play(game, row_plan(game, done, AT_10_HZ), AT_10_HZ) == score


@pytest.mark.parametrize(
    ("given_settings", "message"),
    [
        ({"calls": -1}, "calls is -1; it has to be 0 or more"),
        ({"generations": 0}, "generations is 0"),
        ({"calls": "many"}, "has to be a whole number"),
    ],
)
def test_bad_budgets_are_named(given_settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_agent("iphyre", "planner", given_settings)


def test_tables_keep_planners_apart() -> None:
    records = [run_games(GAMES, calls, label=f"planner {calls}") for calls in (0, 20)]
    assert [each.kind for each in columns_of(records)] == [Kind.LEARNED, Kind.ORACLE]
