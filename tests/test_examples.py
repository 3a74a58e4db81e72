from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_examples_are_numbered() -> None:
    assert [path.name[:3] for path in EXAMPLES] == [f"{k + 1:02d}_" for k in range(len(EXAMPLES))]


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = (ROOT / "README.md").read_text().split("```python\n")[1:]
    for block in blocks:
        exec(block.split("```")[0], {})
    assert Path("solved.gif").stat().st_size


def test_the_readme_links_to_what_is_there() -> None:
    for part in (ROOT / "README.md").read_text().split("](")[1:]:
        target = part.split(")")[0]
        assert target.startswith("https://") or (ROOT / target).exists(), target
