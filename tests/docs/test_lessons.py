"""Every command and program of the documentation works as it stands there."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.command_tree import parse
from support.lesson import Reader, blocks_of, commands_of, excuse
from topple.compat.iphyre.games import PARAS

ROOT = Path(__file__).parents[2]
OUTSIDE = [ROOT / "README.md", ROOT / "examples" / "README.md"]  # of the site
FOLDERS = ("docs", "docs/environments", "docs/tutorials", "docs/guides", "docs/migrating")
PAGES = [*OUTSIDE, *(page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md")))]
#: Pages that need what a test machine has not, or only list what there is -> where it is tested.
ELSEWHERE = {"gpu.md": "tests/phyre/engine/test_cuda.py", "command_line.md": "tests/cli"}
LESSONS = [
    page
    for page in PAGES
    if page.name not in ELSEWHERE
    and any(block.language in ("python", "console") for block in blocks_of(page))
]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outcomes that pages share; they are the same for everybody."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("page", LESSONS, ids=name)
def test_the_page_runs(
    page: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TOPPLE_CACHE", str(cache))
    monkeypatch.setenv("TOPPLE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TOPPLE_RUNS", raising=False)
    monkeypatch.setitem(PARAS, "mine", {})  # a page puts a game there; it goes again at the end
    with ExitStack() as servers:
        reader = Reader(page, tmp_path, servers)
        reader.follow()
    if page.parent.name in ("tutorials", "migrating"):
        assert reader.compared, "a lesson shows what one will see"


def test_commands_that_are_not_run_exist() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    for page in LESSONS:
        for block in blocks_of(page):
            for command in commands_of(block) if block.language == "console" else ():
                if not excuse(command.text):
                    continue
                if command.text.startswith("make "):
                    assert command.text.split()[1] in targets, command.text
                for found in re.findall(r"topple\[(.*?)\]", command.text):
                    assert set(found.split(",")) <= set(extras), command.text


def test_make_calls_commands_that_exist() -> None:
    commands = re.findall(
        r"^\t\$\(BIN\)/(topple .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    assert len(commands) > 1
    for command in commands:
        parse(command)


@pytest.mark.parametrize("page", OUTSIDE, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    """Of pages that are no part of the site, which checks its own."""
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.slow
def test_make_run_writes_a_report(tmp_path: Path) -> None:
    """The README's first command, in a copy of the repository without its environment."""
    copy = tmp_path / "topple"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".venv", "build", "runs", ".git"))
    subprocess.run(["make", "run"], cwd=copy, check=True)
    assert "AUCCESS" in (copy / "runs" / "quick" / "index.html").read_text()
