from __future__ import annotations

from pathlib import Path

import pytest

from topple import paths


def test_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOPPLE_RUNS", str(tmp_path / "runs"))
    assert paths.cache_folder() == tmp_path / "cache"
    assert paths.runs_folder() == tmp_path / "runs"


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "topple"),
        ("win32", "LOCALAPPDATA", "topple"),
    ],
)
def test_folders_without_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str, expected: str
) -> None:
    monkeypatch.delenv("TOPPLE_CACHE", raising=False)
    monkeypatch.delenv("TOPPLE_RUNS", raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert paths.cache_folder() == tmp_path / expected
    monkeypatch.delenv(variable)
    assert paths.cache_folder().is_relative_to(Path.home())
    assert paths.runs_folder() == Path("runs")
