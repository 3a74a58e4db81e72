"""The guide's agent, run as the guide says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "own_agent.md"


def test_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent, script = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOPPLE_RUNS", str(tmp_path / "runs"))
    (tmp_path / "lucky.py").write_text(agent)
    exec(compile(script, str(GUIDE), "exec"), {})
    assert re.fullmatch(r"AUCCESS 0\.\d{4}\n", capsys.readouterr().out)
    (record,) = (tmp_path / "runs").iterdir()
    assert (record / "attempts.npz").exists()
    body = agent[agent.index("class Lucky") :]
    assert len([line for line in body.splitlines() if line.strip()]) <= 20
