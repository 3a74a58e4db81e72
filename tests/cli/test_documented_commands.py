"""Commands in the documentation: every one can be read, and every command has its place."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command_tree import UsageError, leaf_of, parse, tree

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guides" / "command_line.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LEAVES, GROUPS = tree()
PATHS = {each.path for each in LEAVES} | {each.path for each in GROUPS}


def blocks(text: str) -> Iterator[str]:
    """Lines of shell blocks that call a command of `topple`, with continued lines joined.

    Options of `topple` itself act while they are read: one would install completion here.
    """
    for block in re.findall(r"^ *```(?:console|bash|sh|shell)?\n(.*?)^ *```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.strip().removeprefix("$ ")
            if line.startswith("topple ") and not line.startswith("topple --"):
                yield line


def mentions(text: str) -> Iterator[str]:
    """`topple ...` within sentences."""
    without_blocks = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
    yield from re.findall(r"`(topple [^`]+)`", without_blocks.replace("\n", " "))


def cases(find: Any) -> list[Any]:
    found = ((page.relative_to(ROOT), line) for page in PAGES for line in find(page.read_text()))
    return [pytest.param(line, id=f"{page}: {line}") for page, line in dict.fromkeys(found)]


@pytest.mark.parametrize("line", cases(blocks))
def test_commands_in_blocks_can_be_read(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        parse(line)
    except UsageError as error:
        pytest.fail(f"{line}: {error.format_message()}")


@pytest.mark.parametrize("line", cases(mentions))
def test_commands_in_sentences_exist(line: str) -> None:
    """They may leave out what is needed, and have words that stand for others."""
    words = shlex.split(line, comments=True)[1:]
    leaf = leaf_of(words)
    if leaf is None:
        path = " ".join(word for word in words if not word.startswith(("-", "COMMAND")))
        assert path in PATHS | {""}, f"there is no command {path!r}"
        return
    for word in words:
        if word.startswith("--"):
            name = word.split("=")[0]
            assert name in leaf.names, f"{leaf.path} has no option {name}"


def test_the_guide_has_every_command() -> None:
    text = GUIDE.read_text("utf-8")
    for path in PATHS - {""}:
        assert f"`topple {path}" in text, f"{GUIDE.name} says nothing of {path}"
