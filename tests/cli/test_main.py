from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from topple import __version__
from topple.cli.main import COMMANDS, app

runner = CliRunner()


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
    for name, mount in COMMANDS.items():
        assert name in done.stdout
        assert mount.summary in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str) -> None:
    result = runner.invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert "Usage: topple" in result.output or f"{name} [OPTIONS]" in result.output
    assert f"topple {name}" in result.output
    assert "--install-completion" not in result.output


def test_version_and_unknown_commands() -> None:
    assert runner.invoke(app, ["--version"]).output == f"topple {__version__}\n"
    result = runner.invoke(app, ["taks"])
    assert result.exit_code == 2
    assert "Did you mean 'tasks'?" in result.output


def test_the_installed_program_runs() -> None:
    program = Path(sys.executable).with_name("topple")
    command = [str(program), "tasks", "--template", "00001", "--ids"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 100
    bad = subprocess.run([str(program), "show", "00001:9999"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: unknown task '00001:9999'")
    assert len(bad.stderr.splitlines()) == 1
