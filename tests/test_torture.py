"""A round of `make test-torture` by every part that no other test runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from torture.__main__ import PARTS, generator, load_part
from torture.rounds import damaged

#: Parts whose checks other tests make with examples of their own.
ELSEWHERE = {"phyre-scenes", "iphyre-games", "iphyre-episodes", "requests", "ray"}
#: Parts that start processes of themselves, and so need a program of their own.
PROGRAMS = {"fault-points", "kills"}
TESTS = Path(__file__).parent


def run(*words: str, extra: Path = TESTS) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{extra}"}
    command = [sys.executable, "-m", "torture", *words]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("name", sorted(set(PARTS) - ELSEWHERE - PROGRAMS))
def test_a_round(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))
    counts: Counter[str] = Counter()
    with load_part(name)(counts, tmp_path) as once:
        once(generator(1, name, 0))
    assert counts.total() > 0


def test_writers_are_killed() -> None:
    """At every fault point of one writer or more, and a few times at any moment."""
    done = run("--part", "fault-points", "--part", "kills", "--rounds", "2", "--json")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["finding"] for report in reports if "finding" in report] == []
    assert done.returncode == 0
    kills = Counter[str]()
    for report in reports:
        kills |= Counter(report["counts"])
    assert kills["kills at fault points"] > 10
    assert kills["kills of sweeps"] == 2


OWN = """
import os
from contextlib import contextmanager

@contextmanager
def fails(counts, folder):
    def once(rng):
        counts["tries"] += 1
        assert rng.integers(10**6) % 2, "an even number"
    yield once

@contextmanager
def crashes(counts, folder):
    yield lambda rng: os.abort()
"""


def test_findings_are_told_and_can_be_repeated(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    own = ["--part", "own:fails", "--seed", "3"]
    done = run(*own, "--part", "own:crashes", "--seconds", "0.2", extra=tmp_path)
    assert done.returncode == 1
    assert "it ended with status -6" in done.stdout
    assert "AssertionError: an even number" in done.stdout
    assert " tries\n" in done.stdout
    assert re.search(r"^\d+ findings \(seed 3\)", done.stdout, re.MULTILINE)
    again = re.search(r"repeat: python -m torture (.*own:fails.*)", done.stdout)
    assert again is not None
    repeated = run(*again[1].split(), extra=tmp_path)
    assert repeated.returncode == 1
    assert "an even number" in repeated.stdout


def test_damage_is_seeded_and_real() -> None:
    content = bytes(range(256)) * 4
    found = [damaged(content, generator(1, "damage", number)) for number in range(50)]
    assert found == [damaged(content, generator(1, "damage", number)) for number in range(50)]
    assert len({name for name, _ in found}) > 5
    assert all(left != content for _, left in found)
