"""The guides' Python blocks run, and print what the text says they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


@pytest.mark.parametrize(("name", "promises"), [("phyre.md", 3), ("interventions.md", 0)])
def test_the_guide_runs(name: str, promises: int, capsys: pytest.CaptureFixture[str]) -> None:
    guide = (GUIDES / name).read_text()
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(block, names)
    printed = capsys.readouterr().out.splitlines()
    assert printed
    promised = re.findall(r"^prints `(.*?)`", guide, re.MULTILINE)
    assert len(promised) == promises
    assert set(promised) <= set(printed)
