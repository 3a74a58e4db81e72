"""What runs the pages notices when a page is wrong."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from support.lesson import Reader


def follow(text: str, folder: Path) -> Reader:
    page = folder / "page.md"
    page.write_text(text)
    with ExitStack() as servers:
        reader = Reader(page, folder, servers)
        reader.follow()
    return reader


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fenced(language: str, *lines: str) -> str:
    return "\n".join([f"```{language}", *lines, "```", "", ""])


def test_blocks_share_names_and_output_is_compared(tmp_path: Path) -> None:
    page = fenced("python", "number = 6") + fenced("python", "print(number * 7)")
    assert follow(page + fenced("text", "42"), tmp_path).compared == 1
    assert follow(page + "prints `42`.", tmp_path).compared == 1
    with pytest.raises(AssertionError, match=r"page\.md, line 10 shows\n41\n.* is\n42"):
        follow(page + fenced("text", "41"), tmp_path)


def test_errors_name_the_line_of_the_page(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        follow("Title\n\n" + fenced("python", "print(1 / 0)"), tmp_path)
    assert caught.traceback[-1].lineno == 3  # counted from 0


def test_commands_have_to_work_and_to_print_what_is_shown(tmp_path: Path) -> None:
    assert follow(fenced("console", "$ echo one", "one", "$ echo two"), tmp_path).compared == 1
    assert follow(fenced("console", "$ seq 5", "1", "...", "5"), tmp_path).compared == 1
    assert follow(fenced("console", "$ echo took 3 s", "took ... s"), tmp_path).compared == 1
    for wrong in (["$ false"], ["$ echo one", "two"], ["$ seq 5", "1", "5"], ["$ echo a", "b ..."]):
        with pytest.raises(AssertionError):
            follow(fenced("console", *wrong), tmp_path)


def test_a_shown_error_is_compared(tmp_path: Path) -> None:
    wrong = "$ topple show 99999:000"
    assert follow(fenced("console", wrong, "error: ...99999..."), tmp_path).compared == 1
    with pytest.raises(AssertionError):
        follow(fenced("console", wrong, "error: all is well"), tmp_path)


def test_words_that_change_are_learned(tmp_path: Path) -> None:
    (tmp_path / "id").write_text("zebra")
    page = "<!-- changes: k3w9 -->\n" + fenced("console", "$ echo $(cat id): 2", "k3w9: 2")
    page += fenced("python", "# file: own.txt", "k3w9") + fenced("python", "print('k3w9')")
    follow(page + fenced("text", "zebra"), tmp_path)
    assert (tmp_path / "own.txt").read_text() == "# file: own.txt\nzebra\n"


def test_listed_commands_are_left_out(tmp_path: Path) -> None:
    follow(fenced("console", "$ make test  # minutes", "$ pip install 'topple[llm]'"), tmp_path)
