"""A program that is killed while it replaces a record loses neither the old record nor the new."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from topple.phyre.fold import Setup
from topple.phyre.selection import TaskSelection
from topple.runs import RunConfig, Runner, RunRecord, read_record, write_record
from topple.runs.record import record_path

CONFIG: RunConfig[TaskSelection] = RunConfig(
    "rand", TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=3), attempts=1
)

# Replaces a record and dies at the given call of the system that a power cut could follow.
KILLED = """
import os, sys
from dataclasses import replace
from pathlib import Path
from topple.runs import read_record, write_record

deadly = int(sys.argv[2])
calls = 0

def counted(function):
    def call(*arguments, **named):
        global calls
        calls += 1
        if calls == deadly:
            os._exit(9)
        return function(*arguments, **named)
    return call

record = read_record(Path(sys.argv[1]))
for name in ("fsync", "replace", "chmod", "close", "unlink"):
    setattr(os, name, counted(getattr(os, name)))
write_record(Path(sys.argv[1]).parent, replace(record, protocol={"version": "new"}))
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> RunRecord[Any, Any]:
    made = Runner(tmp_path_factory.mktemp("cache")).run(CONFIG)
    return replace(made, protocol={"version": "old"})


def test_a_killed_program_leaves_the_old_record_or_the_new_one(
    record: RunRecord[Any, Any], tmp_path: Path
) -> None:
    seen = []
    for deadly in range(1, 40):
        path = write_record(tmp_path, record)
        command = [sys.executable, "-c", KILLED, str(path), str(deadly)]
        status = subprocess.run(command).returncode
        back = read_record(record_path(tmp_path, CONFIG))
        assert back.results.attempts == record.results.attempts
        seen.append(back.protocol["version"])
        if status == 0:
            break
        assert status == 9
    assert seen[0] == "old"
    assert seen[-1] == "new"
    assert seen == sorted(seen, reverse=True), "an old record came back after the new one"
    assert len(seen) > 6  # every call of the two files was a place to die
