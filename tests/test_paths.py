from __future__ import annotations

from pathlib import Path

import pytest

from topple import paths


def test_folders_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOPPLE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TOPPLE_RUNS", str(tmp_path / "runs"))
    assert paths.cache_folder() == tmp_path / "cache"
    assert paths.data_folder() == tmp_path / "data"
    assert paths.runs_folder() == tmp_path / "runs"


@pytest.mark.parametrize(
    ("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")]
)
def test_folders_without_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str
) -> None:
    monkeypatch.delenv("TOPPLE_CACHE", raising=False)
    monkeypatch.delenv("TOPPLE_RUNS", raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert paths.cache_folder() == tmp_path / "topple"
    monkeypatch.delenv(variable)
    assert paths.cache_folder().is_relative_to(Path.home())
    assert paths.runs_folder() == Path("runs")


@pytest.mark.parametrize(
    ("platform", "variable", "below_home"),
    [
        ("linux", "XDG_DATA_HOME", ".local/share/topple"),
        ("win32", "LOCALAPPDATA", "AppData/Local/topple"),
        ("darwin", None, "Library/Application Support/topple"),
    ],
)
def test_the_data_folder_is_the_systems(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    platform: str,
    variable: str | None,
    below_home: str,
) -> None:
    monkeypatch.delenv("TOPPLE_DATA", raising=False)
    monkeypatch.setattr("sys.platform", platform)
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path))
        assert paths.data_folder() == tmp_path / "topple"
        monkeypatch.delenv(variable)
    assert paths.data_folder() == Path.home() / below_home
