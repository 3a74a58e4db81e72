"""Examples and notebooks: short, quick, numbered, and what they print is true."""

from __future__ import annotations

import re
import runpy
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))
MAX_LINES = 60
MAX_SECONDS = 60
FACTS = {
    "01_first_attempt": r"a guess: NOT_SOLVED\na solution: \[.*\] SOLVED",
    "02_batch": r"00000:000 +\d+ of +\d+ attempts solve it",
    "03_own_puzzle": r"solved by \[.*\] in \d+ frames",
    "04_environment": r"random actions: solved after 21\neight slots: 9 of 3,200",
    "05_own_agent": r"above AUCCESS 0\.142, solved 22%.*\nrand  AUCCESS 0\.074, solved 14%",
    "06_iphyre_plan": r"26 of 1,000 random plans solve it(.*\n)+it earns 981\.00",
    "07_iphyre_vector": r"54 of 1248 episodes solved",
    "08_what_if": r"as it is: SOLVED\nwithout the red ball: NOT_SOLVED\nkicked: 86 of 121",
    "09_film": r"00112:000 SOLVED(.*\n)+angle solved in 65 frames(.*\n)+both.gif: 164 frames",
    "10_train": r"random +basic +360\.3, 4 of 10 solved\nppo-i ",
    "11_records": r"SAC-I \(tuned\) +\d+\.\d\d in 50 games",
    "12_compat": r"PHYRE: AUCCESS 0\.3395 on 5 dev tasks\nI-PHYRE: .* solves 14 of 40",
    "13_stable_baselines3": r" 500 episodes played.*\n3,500 episodes played",
    "14_rllib": r"100 episodes, mean -?0\.\d+\n200 episodes, mean",
    "15_imagine": r"130 imagined solutions, 129 of them(.*\n)+imagined: SOLVED .* NOT_SOLVED",
    "iphyre_tour": r"reward=981\.0, solved=True(.*\n)+33 of 899 moments work",
    "phyre_tour": r"200 of 5288 valid(.*\n)+SOLVED by(.*\n)+without the red ball: NOT_SOLVED",
}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_run(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    start = time.perf_counter()
    runpy.run_path(str(path), run_name="__main__")
    assert time.perf_counter() - start < MAX_SECONDS
    assert re.search(FACTS[path.stem], capsys.readouterr().out)


def test_scripts_are_short_and_numbered() -> None:
    assert [path.name[:3] for path in SCRIPTS] == [f"{k + 1:02d}_" for k in range(len(SCRIPTS))]
    for path in SCRIPTS:
        assert len(path.read_text().splitlines()) < MAX_LINES, path.name


def test_the_list_has_all() -> None:
    listed = re.findall(r"\]\((.*?\.(?:py|ipynb))\)", (EXAMPLES / "README.md").read_text())
    assert listed == [str(path.relative_to(EXAMPLES)) for path in (*SCRIPTS, *NOTEBOOKS)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        assert not cell.get("outputs"), f"{path.name} is kept without outputs"
        assert cell.get("execution_count") is None
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    folder = {"metadata": {"path": str(tmp_path)}}
    start = time.perf_counter()
    NotebookClient(notebook, timeout=MAX_SECONDS, resources=folder).execute()
    assert time.perf_counter() - start < MAX_SECONDS
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert re.search(FACTS[path.stem], "".join(output.get("text", "") for output in outputs))
    assert sum("image/png" in output.get("data", {}) for output in outputs) > 1
