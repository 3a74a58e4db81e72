"""What the pages of puzzles and the reference say is true of the package."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from facts import BEST_PLANS, FILE, best_plans, game_facts, solved_task
from game_pages import game_pages
from packages import OTHER_PACKAGES, PACKAGES
from pages import Pictures
from reference_pages import SOURCE
from template_pages import template_pages
from topple.cli.iphyre import parse_times
from topple.iphyre import ALL, game_named, plan_from_seconds, play
from topple.iphyre.analysis.oracle import read_plans
from topple.iphyre.analysis.store import read_json
from topple.phyre import Simulator, Tier
from topple.phyre.engine.result import Outcome
from topple.phyre.engine_hash import engine_hash

ROOT = Path(__file__).parents[2]
NO_PAGE = {"phyre.templates", "iphyre.games"}  # modules of pages of their benchmarks
FACTS: dict[str, Any] = read_json(FILE)
BEST: dict[str, Any] = read_plans(BEST_PLANS)


class NoPictures(Pictures):
    def add(self, uri: str, key: object, draw: object) -> str:
        return uri


def test_facts_are_of_this_engine_and_of_every_puzzle() -> None:
    assert FACTS["about"]["engine"] == engine_hash()
    assert list(FACTS["solutions"]) == [name for tier in Tier for name in tier.template_ids]
    assert list(FACTS["games"]) == [game.name for game in ALL]


def test_numbers_printed_on_pages_of_templates_solve_their_tasks(tmp_path: Path) -> None:
    for page in template_pages(FACTS, NoPictures(tmp_path)):
        found = re.search(r'action = (\[.*\])\n.*attempt\("(\S+)"', page.text)
        assert found
        action = [float(number) for number in found[1].strip("[]").split(",")]
        assert Simulator(found[2]).attempt(found[2], action).outcome is Outcome.SOLVED


@pytest.mark.parametrize("name", ["support", "unseen_support"])
def test_facts_of_games_come_back(name: str) -> None:
    assert game_facts(game_named(name), BEST) == FACTS["games"][name]


@pytest.mark.parametrize("name", ["00012", "00101"])
def test_solutions_come_back(name: str) -> None:
    assert solved_task(name) == FACTS["solutions"][name]


def test_times_printed_on_pages_of_games_earn_what_is_said(tmp_path: Path) -> None:
    for page in game_pages(FACTS, best_plans(FACTS), NoPictures(tmp_path)):
        command = re.search(r"topple iphyre play (\w+) --times=(\S+)", page.text)
        reward = re.search(r"It earns \*\*(.*)\*\*", page.text)
        assert command
        assert reward
        game = game_named(command[1])
        score = play(game, plan_from_seconds(game, parse_times(command[2])))
        assert score.solved
        assert f"{score.reward:.2f}" == reward[1]


def test_every_package_is_in_the_reference() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    for benchmark in ("phyre", "iphyre"):
        inner = (SOURCE / benchmark).glob("*/__init__.py")
        packages |= {f"{benchmark}.{path.parent.name}" for path in inner}
    assert packages - NO_PAGE <= {*PACKAGES, *OTHER_PACKAGES}
    for name, package in PACKAGES.items():
        for module in package.full_names(name):
            assert find_spec(module), module


def test_the_reference_has_what_the_guides_import() -> None:
    documented = {
        module for name, package in PACKAGES.items() for module in package.full_names(name)
    }
    documented |= {"topple", *(f"topple.{name}" for name in PACKAGES)}  # they export names
    sources = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.py"), ROOT / "README.md"]
    used = {
        module
        for path in sources
        for module in re.findall(
            r"^from (topple[\w.]*) import", path.read_text("utf-8"), re.MULTILINE
        )
    }
    assert used
    assert used <= documented


def test_differences_name_places_that_exist() -> None:
    names = re.findall(
        r"`(topple(?:\.\w+)+)`", (ROOT / "docs" / "differences.md").read_text("utf-8")
    )
    assert len(names) > 40
    for name in names:
        module = name
        rest: list[str] = []
        while True:
            try:
                found: Any = import_module(module)
                break
            except ModuleNotFoundError:
                module, _, last = module.rpartition(".")
                rest.insert(0, last)
        for part in rest:
            found = getattr(found, part)
