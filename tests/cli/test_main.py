from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from support.command_line import topple, topple_json, topple_mistake
from topple import __version__
from topple.cli import tasks
from topple.cli.main import COMMANDS
from topple.runs import registry
from topple.runs.benchmark import BENCHMARKS, find_benchmark


def test_help_lists_every_command_without_importing_them() -> None:
    code = (
        "import sys\n"
        "from topple.cli.main import main\n"
        "sys.argv = ['topple', '--help']\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert not {'numpy', 'PIL', 'topple.phyre'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name, summary in COMMANDS.items():
        assert name in done.stdout
        assert summary in done.stdout


def test_version_and_unknown_commands() -> None:
    assert topple("--version").output == f"topple {__version__}\n"
    assert "Did you mean 'tasks'?" in topple_mistake("taks")


def test_the_installed_program_runs() -> None:
    program = Path(sys.executable).with_name("topple")
    for start in ([str(program)], [sys.executable, "-m", "topple"]):
        command = [*start, "tasks", "--template", "00001", "--ids"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert len(done.stdout.splitlines()) == 100
    bad = subprocess.run([str(program), "show", "00001:9999"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: unknown task '00001:9999'")
    assert len(bad.stderr.splitlines()) == 1


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is nothing to take up again."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "listing", stopped)
    topple("tasks", code=130)


def test_agents_are_listed_with_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = topple_json("agents")
    listed = [(row["benchmark"], row["agent"]) for row in rows]
    assert listed == [(name, agent) for name in BENCHMARKS for agent in find_benchmark(name).agents]
    by_name = {(row["benchmark"], row["agent"]): row for row in rows}
    assert by_name["phyre", "mem-o"]["online"] is True
    assert by_name["phyre", "rand"]["trained by"] == "evaluate"
    assert by_name["iphyre", "ppo-i"]["trained by"] == "train"
    assert by_name["iphyre", "ppo-i"]["included"] is False
    assert by_name["iphyre", "fusion-attention"]["included"] is True

    def without_torch(name: str) -> ModuleType:
        if name.endswith("dqn"):
            raise ModuleNotFoundError(name="torch")
        return import_module(name)

    monkeypatch.setattr(registry, "import_module", without_torch)
    without = {row["agent"]: row for row in topple_json("agents", "--benchmark", "phyre")}
    assert without["dqn"]["trained by"] == "pip install 'topple[agents]'"
