"""The code in the guide to I-PHYRE learners runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "iphyre_learners.md"


def test_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(GUIDE), "exec"), {"__name__": "guide"})
    assert re.fullmatch(r"\d+ of 10 solved\n", capsys.readouterr().out)
