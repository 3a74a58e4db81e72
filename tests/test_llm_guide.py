"""The guide to language models, run as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "llm.md"


def test_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))
    exec(compile(script, str(GUIDE), "exec"), {})
    told = capsys.readouterr().out
    assert re.fullmatch(r"AUCCESS 0\.\d{4}, solved within 10 attempts: \d+%\n", told)
    assert (tmp_path / "exchanges" / "exchanges.jsonl").exists()
