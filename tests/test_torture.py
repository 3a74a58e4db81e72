"""A round of `make test-torture` by every part that no other test runs."""

from __future__ import annotations

import json
import os
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


def run(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
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


def test_a_finding_is_told_and_can_be_repeated(tmp_path: Path) -> None:
    """A part that crashes and one that fails, as their process and the program tell it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, torture.__main__ as t\nt.PARTS.clear()\n"
    )


def test_damage_is_seeded_and_real() -> None:
    content = bytes(range(256)) * 4
    found = [damaged(content, generator(1, "damage", number)) for number in range(50)]
    assert found == [damaged(content, generator(1, "damage", number)) for number in range(50)]
    assert len({name for name, _ in found}) > 5
    assert all(left != content for _, left in found)
