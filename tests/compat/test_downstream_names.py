"""The script that tells which names of the originals somebody's program uses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "downstream_names.py"


def run(folder: Path, *options: str) -> str:
    command = [sys.executable, str(SCRIPT), str(folder), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_names_of_files_and_notebooks(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import numpy as np\n"
        "import phyre, phyre.simulator\n"
        "from phyre.interface.scene import ttypes as scene_if\n"
        "from iphyre.games import PARAS as games\n"
        "from .phyre import ours\n"
        "sim = phyre.initialize_simulator(ids, 'ball').tier\n"
        "print(phyre.SimulationStatus.SOLVED.name, np.phyre)\n"
        "scene_if.UserInput(balls=[scene_if.Vector(1, 2)])\n"
        "phyre.simulator.magic_ponies(0, scene_if.UserInput())\n"
        "games.keys()\n"
        "phyre.creator.define_task\n"
    )
    cells = [
        {"cell_type": "markdown", "source": ["import phyre.nothing"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "from phyre import vis, secrets"]},
    ]
    (tmp_path / "look.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "old.py").write_text("print 'Python 2'")
    found = json.loads(run(tmp_path, "--json"))
    assert found == {
        "names": 12,
        "found": 10,
        "missing": {"phyre.creator.define_task": 1, "phyre.secrets": 1},
        "unread": ["old.py"],
    }
    *_, total, unread = run(tmp_path).splitlines()
    assert total == "10 of 12 names and 12 of 14 uses are in topple.compat"
    assert unread.endswith("old.py")


def test_objects_of_classes(tmp_path: Path) -> None:
    (tmp_path / "search.py").write_text(
        "import iphyre\n"
        "from iphyre.simulator import IPHYRE, PARAS\n"
        "demo = IPHYRE('hole', fps=10)\n"
        "for body in demo.space.bodies: print(body.position)\n"
        "demo.check_terminate()\n"
        "other = iphyre.simulator.IPHYRE()\n"
        "other.eli_mask\n"
        "class Search:\n"
        "    def __init__(self):\n"
        "        self.demo = IPHYRE('hole')\n"
        "        self.demo.get_property\n"
        "        self.game = PARAS.keys()\n"
    )
    found = json.loads(run(tmp_path, "--json"))
    assert found["missing"] == {"iphyre.simulator.IPHYRE().check_terminate": 1}
    listed = run(tmp_path)
    for name in ("space", "eli_mask", "get_property"):
        assert f"iphyre.simulator.IPHYRE().{name}\n" in listed
