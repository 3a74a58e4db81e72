"""Run records of I-PHYRE: complete, comparable, resumable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.folders import folder_contents
from topple.iphyre.phases import Playing
from topple.runs import Runner, RunConfig, find_records, write_record
from topple.runs.game_config import GameRunConfig
from topple.runs.game_run import run_games, sweep_games
from topple.runs.game_store import find_game_records, read_game_record, write_game_record
from topple.runs.record_files import METRICS, RecordError
from topple.iphyre.games import game_named
from topple.iphyre.plan import NO_PLAN
from topple.iphyre.play_log import PlayError
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.split import Split
from topple.phyre.fold import Setup
from topple.iphyre.published import iphyre_table_a4

BASIC = tuple(game.name for game in Split.BASIC.games)
CONFIG = GameRunConfig("random", BASIC)


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    record = run_games(replace(CONFIG, plays=2))
    back = read_game_record(write_game_record(tmp_path, record))
    assert back.config == record.config
    assert back.protocol == record.protocol
    assert back.plays == record.plays
    assert back.averages == record.averages
    assert len(back.plays) == 2 * len(BASIC)


def test_the_random_agent_earns_what_the_paper_says() -> None:
    record = run_games(CONFIG)
    for game, row in iphyre_table_a4().items():
        if game in BASIC:
            assert record.scores[game].reward == pytest.approx(row["Random"], abs=0.05)
    assert record.average.reward == pytest.approx(360.33, abs=0.005)


def test_the_best_play_counts() -> None:
    record = run_games(replace(CONFIG, plays=3))
    for game, score in record.scores.items():
        assert score.reward == max(play.score.reward for play in record.plays if play.game == game)


def test_finished_runs_are_not_run_again(tmp_path: Path) -> None:
    started: list[str] = []
    for _ in range(2):
        list(sweep_games([CONFIG], tmp_path, lambda config: started.append(config.name)))
    assert started == [CONFIG.name]
    before = folder_contents(tmp_path)
    write_game_record(tmp_path, run_games(CONFIG))
    assert folder_contents(tmp_path) == before


def test_records_of_both_benchmarks_share_a_folder(tmp_path: Path) -> None:
    phyre = RunConfig("rand", Setup.BALL_CROSS_TEMPLATE, 0, attempts=1, tasks=5)
    write_record(tmp_path, Runner(tmp_path / "cache").run(phyre))
    write_game_record(tmp_path, run_games(CONFIG))
    assert [record.config for record in find_records(tmp_path)] == [phyre]
    assert [record.config for record in find_game_records(tmp_path)] == [CONFIG]


def test_damage_is_named(tmp_path: Path) -> None:
    folder = write_game_record(tmp_path, run_games(CONFIG))
    (folder / METRICS).write_text("{}")
    with pytest.raises(RecordError, match=folder.name):
        read_game_record(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"games": ()}, "no games"), ({"hz": 30}, "60 or at 10"), ({"plays": 0}, "at least 1")],
)
def test_bad_configs_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(CONFIG, **change)  # type: ignore[arg-type]


def test_plays_are_counted() -> None:
    game = game_named("support")
    playing = Playing([game], AT_10_HZ, np.random.default_rng(0))
    with pytest.raises(PlayError, match="left at tick 1"), playing.episode(game) as episode:
        episode.step()
    with playing.episode(game) as episode:
        while not episode.state.over:
            episode.step()
    assert [play.score for play in playing.log] == [episode.state.score]
    with pytest.raises(PlayError, match="already has its 1 plays"):
        playing.play(game, NO_PLAN)
    with pytest.raises(PlayError, match="already has its 1 plays"), playing.episode(game):
        pass


def test_games_are_solved_within_so_many_plays() -> None:
    record = run_games(replace(CONFIG, games=("support", "angle"), plays=3))
    first = {
        game: next((k for k, made in enumerate(plays, start=1) if made.score.solved), None)
        for game in record.config.games
        if (plays := [made for made in record.plays if made.game == game])
    }
    for count in (1, 2, 3, 100):
        expected = sum(k is not None and k <= count for k in first.values()) / 2
        assert record.solved_within(count) == expected
