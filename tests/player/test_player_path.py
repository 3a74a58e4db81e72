"""The path through both benchmarks: its file, and what it is computed from."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from topple.iphyre.engine_hash import engine_hash as iphyre_hash
from topple.iphyre.games import ALL, game_named
from topple.iphyre.rules import AT_60_HZ
from topple.phyre.engine_hash import engine_hash as phyre_hash
from topple.phyre.templates import MODULES
from topple.player.path import PLANS, compute_path, game_stop, task_stop


@pytest.fixture(scope="module")
def path() -> dict[str, Any]:
    """The file that the page reads."""
    file = files("topple.player") / "static" / "path.json"
    content: dict[str, Any] = json.loads(file.read_text())
    return content


def test_the_path_visits_every_template_and_every_game(path: dict[str, Any]) -> None:
    stops = path["puzzles"]
    assert [stop["benchmark"] for stop in stops] == ["phyre", "iphyre"] * len(MODULES)
    assert {stop["id"][:5] for stop in stops[::2]} == set(MODULES)
    assert {stop["id"] for stop in stops[1::2]} == {game.name for game in ALL}
    shares = [stop["share"] for stop in stops[::2]]
    assert shares == sorted(shares, reverse=True)
    assert path["about"] == {"phyre": phyre_hash(), "iphyre": iphyre_hash(AT_60_HZ), "plans": PLANS}


def test_the_difficulty_is_measured(path: dict[str, Any]) -> None:
    stops = {stop["id"]: stop for stop in path["puzzles"]}
    for template in ("00000", "00101"):
        measured = task_stop(template)
        assert stops[measured["id"]] == measured
    assert stops["support"] == game_stop(game_named("support"))


@pytest.mark.slow
def test_the_file_is_what_the_command_writes(path: dict[str, Any]) -> None:
    assert compute_path() == path
