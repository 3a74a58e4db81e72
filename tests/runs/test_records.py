"""Run records and sweeps of both benchmarks: complete, comparable, resumable, checked."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.folders import folder_contents
from topple.iphyre.games import game_named
from topple.iphyre.phases import Testing
from topple.iphyre.plan import NO_PLAN
from topple.iphyre.play_log import PlayError
from topple.iphyre.published import iphyre_table_a4
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import Split
from topple.phyre.fold import Setup, load_fold
from topple.phyre.selection import Part, TaskSelection
from topple.runs import RecordError, RunConfig, Runner, find_records, read_record, write_record
from topple.runs.benchmark import BENCHMARKS, config_from_data, find_benchmark
from topple.runs.record import SUFFIX, record_path

SETUP = Setup.BALL_CROSS_TEMPLATE
BASIC = tuple(game.name for game in Split.BASIC.games)
GAMES: RunConfig[GameSelection] = RunConfig("random", GameSelection(BASIC))
TASKS: RunConfig[TaskSelection] = RunConfig("rand", TaskSelection(SETUP, 0, tasks=20), attempts=1)
BOTH = pytest.mark.parametrize("config", [TASKS, GAMES], ids=BENCHMARKS)


def folds(count: int = 3) -> list[RunConfig[TaskSelection]]:
    return [replace(TASKS, selection=TaskSelection(SETUP, fold)) for fold in range(count)]


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("cache"))


@BOTH
def test_a_record_comes_back_as_it_was(
    config: RunConfig[Any], runner: Runner, tmp_path: Path
) -> None:
    record = runner.run(config)
    back = read_record(write_record(tmp_path, record))
    assert back.config == record.config == config_from_data(record.config.to_data())
    assert back.protocol == record.protocol
    assert back.provenance == record.provenance
    assert back.results.metrics() == record.results.metrics()
    assert back.results.to_data() == record.results.to_data()
    again = tmp_path / "again"
    write_record(again, runner.run(config))
    assert folder_contents(again) == {
        name: content for name, content in folder_contents(tmp_path).items() if "/" not in name
    }


@BOTH
def test_a_record_carries_the_hash_of_its_own_engine(
    config: RunConfig[Any], runner: Runner
) -> None:
    engine = runner.run(config).provenance["engine"]
    assert engine == find_benchmark(config.benchmark).engine_hash()
    others = {find_benchmark(name).engine_hash() for name in BENCHMARKS}
    assert len(others) == len(BENCHMARKS)


def _altered(path: Path, **changes: Any) -> None:
    """Rewrite parts of a record as an honest program would, with a right digest."""
    from topple.runs import record as module

    data = {**json.loads(path.read_text()), **changes}
    data.pop("digest")
    data["digest"] = module._digest(module._canonical(data))
    path.write_text(json.dumps(data))


@BOTH
def test_another_engine_is_refused(config: RunConfig[Any], runner: Runner, tmp_path: Path) -> None:
    (record,) = runner.sweep([config], tmp_path)
    path = record_path(tmp_path, config)
    _altered(path, provenance={**record.provenance, "engine": "another"})
    with pytest.raises(RecordError, match=r"made with engine another.*run it again"):
        list(find_records(tmp_path))
    started: list[RunConfig[Any]] = []
    list(runner.sweep([config], tmp_path, on_start=started.append))
    assert started == [config]
    assert [found.config for found in find_records(tmp_path)] == [config]


@BOTH
def test_damage_is_refused_and_named(
    config: RunConfig[Any], runner: Runner, tmp_path: Path
) -> None:
    path = write_record(tmp_path, runner.run(config))
    text = path.read_text()
    path.write_text(text.replace('"seed": 0', '"seed": 1', 1))
    with pytest.raises(RecordError, match=rf"{path.name} is damaged: its digest"):
        read_record(path)
    path.write_text(text)
    data = json.loads(text)
    _altered(path, metrics={**data["metrics"], next(iter(data["metrics"])): 0.5})
    with pytest.raises(RecordError, match="its metrics are not those of its results"):
        read_record(path)
    infinite = text.replace('"seed": 0', '"seed": 1e999', 1)  # JSON can name it, not write it
    other = json.dumps({**data, "format": 1})
    for content in ("{}", "[]", "not JSON", "[" * 100_000, infinite, other):
        path.write_text(content)
        with pytest.raises(RecordError, match=path.name):
            read_record(path)


def test_attempts_lie_beside_a_record(runner: Runner, tmp_path: Path) -> None:
    record = runner.run(TASKS)
    path = write_record(tmp_path, record)
    assert read_record(path).results.attempts == record.results.attempts
    (arrays,) = tmp_path.glob("*.npz")
    arrays.write_bytes(arrays.read_bytes()[:-1])
    with pytest.raises(RecordError, match=f"{arrays.name} is damaged"):
        read_record(path)
    write_record(tmp_path, record, attempts=False)
    assert not list(tmp_path.glob("*.npz"))
    back = read_record(path)
    assert back.results.attempts == ()
    assert back.results.auccess == record.results.auccess


def test_arrays_that_claim_too_much_are_refused(runner: Runner, tmp_path: Path) -> None:
    """Whoever makes such a file can make its digest, too."""
    path = write_record(tmp_path, runner.run(TASKS))
    (file,) = tmp_path.glob("*.npz")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n"
        size = len(header).to_bytes(2, "little")
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00" + size + header)
    file.write_bytes(buffer.getvalue())
    digest = hashlib.blake2b(buffer.getvalue(), digest_size=16).hexdigest()
    _altered(path, arrays={"file": file.name, "digest": digest})
    with pytest.raises(RecordError, match=rf"{file.name} cannot be used: .*an array of shape"):
        read_record(path)


def test_dev_runs_train_on_train_alone(runner: Runner) -> None:
    config = RunConfig("rand", TaskSelection(SETUP, 0, Part.DEV), attempts=1)
    record = runner.run(config)
    fold = load_fold(SETUP, 0)
    assert record.results.tasks == fold.dev
    assert record.protocol["training_tasks"] == len(fold.train)
    assert record.protocol["trained_on"] == "train"
    assert set(record.results.templates()) == {task.template for task in fold.dev}


def test_names_differ_when_configs_do() -> None:
    base = RunConfig("mem", TaskSelection(SETUP, 0), {"actions": 10})
    others = [
        replace(base, settings={"actions": 11}),
        replace(base, selection=TaskSelection(SETUP, 1)),
        replace(base, seed=1),
        replace(base, variant="other"),
        replace(base, selection=TaskSelection(SETUP, 0, Part.DEV)),
    ]
    assert len({config.name for config in (base, *others)}) == 6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TaskSelection(SETUP, 10), "fold is 10"),
        (lambda: TaskSelection(None, 0), "without a setup has no fold"),
        (lambda: TaskSelection(SETUP, 0, tasks=0), "score at least 1"),
        (lambda: GameSelection(()), "no games"),
        (lambda: GameSelection(BASIC, hz=30), "60 or at 10"),
        (lambda: replace(GAMES, attempts=-1), "attempts is -1"),
        (lambda: replace(TASKS, attempts=101), "attempts is 101; allow 1 to 100"),
    ],
)
def test_bad_configs_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


STOPPED = """
import sys
from pathlib import Path
from topple.phyre import Setup
from topple.phyre.selection import TaskSelection
from topple.runs import RunConfig, Runner

selections = [TaskSelection(Setup.BALL_CROSS_TEMPLATE, fold) for fold in range(3)]
configs = [RunConfig("rand", selection, attempts=1) for selection in selections]
for record in Runner(Path(sys.argv[1])).sweep(configs, Path(sys.argv[2])):
    raise KeyboardInterrupt
"""


def test_an_interrupted_sweep_resumes(runner: Runner, tmp_path: Path) -> None:
    undisturbed, stopped = tmp_path / "one", tmp_path / "two"
    list(runner.sweep(folds(), undisturbed))
    command = [sys.executable, "-c", STOPPED, str(runner.cache), str(stopped)]
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0
    assert len(list(stopped.glob(f"*{SUFFIX}"))) == 1
    started: list[Any] = []
    list(runner.sweep(folds(), stopped, on_start=lambda each: started.append(each.selection.fold)))
    assert started == [1, 2]
    assert folder_contents(stopped) == folder_contents(undisturbed)


def test_records_of_both_benchmarks_share_a_folder(runner: Runner, tmp_path: Path) -> None:
    list(runner.sweep([TASKS, GAMES], tmp_path))
    (tmp_path / "notes").mkdir()
    (tmp_path / "other.json").write_text("{}")
    assert {record.config.benchmark for record in find_records(tmp_path)} == set(BENCHMARKS)
    for config in (TASKS, GAMES):
        (found,) = find_records(tmp_path, benchmark=config.benchmark)
        (single,) = find_records(record_path(tmp_path, config))
        assert found.config == single.config == config
    with pytest.raises(RecordError, match="does not exist"):
        list(find_records(tmp_path / "nothing"))


def test_the_random_agent_earns_what_the_paper_says(runner: Runner) -> None:
    results = runner.run(GAMES).results
    for game, row in iphyre_table_a4().items():
        if game in BASIC:
            assert results.scores[game].reward == pytest.approx(row["Random"], abs=0.05)
    assert results.average.reward == pytest.approx(360.33, abs=0.005)


def test_the_best_play_counts(runner: Runner) -> None:
    results = runner.run(replace(GAMES, attempts=3)).results
    for game, score in results.scores.items():
        assert score.reward == max(play.score.reward for play in results.plays if play.game == game)


def test_plays_are_counted() -> None:
    game = game_named("support")
    testing = Testing([game], AT_10_HZ, np.random.default_rng(0))
    with pytest.raises(ValueError, match="did not play support"):
        testing.results()
    with pytest.raises(PlayError, match="left at tick 1"), testing.episode(game) as episode:
        episode.step()
    with testing.episode(game) as episode:
        while not episode.state.over:
            episode.step()
    assert [play.score for play in testing.results().plays] == [episode.state.score]
    with pytest.raises(PlayError, match="already has its 1 plays"):
        testing.play(game, NO_PLAN)
    with pytest.raises(PlayError, match="already has its 1 plays"), testing.episode(game):
        pass


def test_games_are_solved_within_so_many_plays(runner: Runner) -> None:
    config = replace(GAMES, selection=GameSelection(("support", "angle")), attempts=3)
    results = runner.run(config).results
    first = {
        game: next((k for k, made in enumerate(plays, start=1) if made.score.solved), None)
        for game in config.selection.games
        if (plays := [made for made in results.plays if made.game == game])
    }
    for count in (1, 2, 3, 100):
        expected = sum(k is not None and k <= count for k in first.values()) / 2
        assert results.solved_within(count) == expected


def test_committed_records_are_sound() -> None:
    """Every record in results/ has a right digest, right metrics and this engine's hash."""
    results = Path(__file__).parents[2] / "results"
    if not results.is_dir():
        pytest.skip("the records are not in this distribution")
    counts = {name: len(list(find_records(results / name))) for name in BENCHMARKS}
    assert min(counts.values()) > 100


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", "it has no entry 'format'"),
        ('{"format": 2}', "it has no entry 'digest'"),
        ("[]", "it holds no JSON object"),
        ("3", "it holds no JSON object"),
    ],
)
def test_what_is_missing_is_said_in_words(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / f"other{SUFFIX}"
    path.write_text(text)
    with pytest.raises(RecordError, match=f"is no run record: {reason}"):
        read_record(path)
