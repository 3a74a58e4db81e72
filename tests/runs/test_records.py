"""Run records and sweeps: complete, comparable, resumable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.folders import folder_contents
from topple.runs import (
    Runner,
    Part,
    RunConfig,
    find_records,
    read_record,
    sweep,
    write_record,
)
from topple.runs.record import RecordError
from topple.runs.store import ATTEMPTS
from topple.phyre.fold import Setup, load_fold

SETUP = Setup.BALL_CROSS_TEMPLATE


def configs(count: int = 3) -> list[RunConfig]:
    return [RunConfig("rand", SETUP, fold, attempts=1) for fold in range(count)]


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("cache"))


def test_a_record_comes_back_as_it_was(laboratory: Runner, tmp_path: Path) -> None:
    record = laboratory.run(configs()[0])
    folder = write_record(tmp_path, record)
    back = read_record(folder)
    assert back.config == record.config
    assert back.protocol == record.protocol
    assert back.provenance == record.provenance
    assert back.tasks == record.tasks
    assert back.attempts == record.attempts
    assert np.array_equal(back.first_solved, record.first_solved)
    assert set(record.templates()) == {task.template for task in record.tasks}


def test_records_without_attempts_score_the_same(laboratory: Runner, tmp_path: Path) -> None:
    record = laboratory.run(configs()[0])
    folder = write_record(tmp_path, record, attempts=False)
    assert not (folder / ATTEMPTS).exists()
    back = read_record(folder)
    assert back.attempts == ()
    assert back.auccess == record.auccess


def test_dev_runs_train_on_train_alone(laboratory: Runner) -> None:
    record = laboratory.run(RunConfig("rand", SETUP, 0, part=Part.DEV, attempts=1))
    fold = load_fold(SETUP, 0)
    assert record.tasks == fold.dev
    assert record.protocol["training_tasks"] == len(fold.train)
    assert record.protocol["trained_on"] == "train"


def test_names_differ_when_configs_do() -> None:
    base = RunConfig("mem", SETUP, 0, {"actions": 10})
    others = [
        RunConfig("mem", SETUP, 0, {"actions": 11}),
        RunConfig("mem", SETUP, 1, {"actions": 10}),
        RunConfig("mem", SETUP, 0, {"actions": 10}, seed=1),
        RunConfig("mem", SETUP, 0, {"actions": 10}, part=Part.DEV),
    ]
    assert len({config.name for config in (base, *others)}) == 5
    assert RunConfig.from_data(base.to_data()) == base
    with pytest.raises(ValueError, match="fold is 10"):
        RunConfig("mem", SETUP, 10)


STOPPED = """
import sys
from pathlib import Path
from topple.runs import Runner, RunConfig, sweep
from topple.phyre.fold import Setup

configs = [RunConfig("rand", Setup.BALL_CROSS_TEMPLATE, fold, attempts=1) for fold in range(3)]
for record in sweep(configs, Runner(Path(sys.argv[1])), Path(sys.argv[2])):
    raise KeyboardInterrupt
"""


def test_a_stopped_sweep_goes_on_where_it_was(laboratory: Runner, tmp_path: Path) -> None:
    undisturbed, stopped = tmp_path / "one", tmp_path / "two"
    list(sweep(configs(), laboratory, undisturbed))
    command = [sys.executable, "-c", STOPPED, str(laboratory.cache), str(stopped)]
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0
    assert len(list(stopped.iterdir())) == 1
    started: list[int] = []
    list(sweep(configs(), laboratory, stopped, on_start=lambda config: started.append(config.fold)))
    assert started == [1, 2]
    assert folder_contents(stopped) == folder_contents(undisturbed)


def test_records_of_another_engine_are_made_again(laboratory: Runner, tmp_path: Path) -> None:
    (config,) = configs(1)
    (record,) = sweep([config], laboratory, tmp_path)
    path = tmp_path / config.name / "provenance.json"
    path.write_text(path.read_text().replace(record.provenance["engine"], "another"))
    started: list[RunConfig] = []
    list(sweep([config], laboratory, tmp_path, on_start=started.append))
    assert started == [config]


def test_folders_are_searched(laboratory: Runner, tmp_path: Path) -> None:
    written = list(sweep(configs(2), laboratory, tmp_path))
    (tmp_path / "notes").mkdir()
    found = list(find_records(tmp_path))
    assert [record.config for record in found] == [record.config for record in written]
    (single,) = find_records(tmp_path / written[0].config.name)
    assert single.config == written[0].config
    with pytest.raises(RecordError, match="is no folder"):
        list(find_records(tmp_path / "nothing"))
    (tmp_path / written[0].config.name / "metrics.json").write_text("{}")
    with pytest.raises(RecordError, match="is no run record"):
        list(find_records(tmp_path))
