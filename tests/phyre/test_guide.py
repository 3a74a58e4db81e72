from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "phyre.md"


def test_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    guide = GUIDE.read_text()
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(block, names)
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"^prints `(.*?)`", guide, re.MULTILINE)
    assert len(promised) == 3
    assert set(promised) <= set(printed)
