"""The tables of docs/results are those that the records give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from result_tables import MARK, PAGES, ROOT, TABLES, filled


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_tables_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert filled(text) == text, "run `make results`"


def test_every_table_is_in_a_page() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES.glob("*.md")]
    shown = [found[2] for text in texts for found in MARK.finditer(text)]
    assert sorted(shown) == sorted(TABLES)
    assert all(text.count("<!-- table:") == len(MARK.findall(text)) for text in texts)


def test_a_wrong_number_is_noticed() -> None:
    page = PAGES / "phyre_baselines.md"
    wrong = re.sub(r"10 of 10", "9 of 10", page.read_text(encoding="utf-8"), count=1)
    assert filled(wrong) == page.read_text(encoding="utf-8")


def test_make_writes_them() -> None:
    assert "website/result_tables.py" in (ROOT / "Makefile").read_text(encoding="utf-8")
