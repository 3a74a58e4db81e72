"""Shell completion: the scripts of three shells, and what is offered for half a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import topple
from topple.cli import complete
from topple.cli.options import TEMPLATES

PROGRAM = Path(sys.executable).with_name("topple")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    script = topple("--show-completion").stdout
    assert f"_TOPPLE_COMPLETE=complete_{shell}" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def offered(line: str) -> list[str]:
    """What bash is told for a line that ends in half a word."""
    environment = {
        **os.environ,
        "_TOPPLE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    done = subprocess.run(
        [str(PROGRAM)], env=environment, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("topple s", ["show", "simulate", "sheet", "sweep", "study"]),
        ("topple study ", ["create", "check", "list", "show", "invite", "export", "delete"]),
        ("topple sheet --ti", ["--tier"]),
        ("topple sheet --tier ", ["ball", "two_balls"]),
        ("topple evaluate --agent me", ["mem", "mem-o"]),
        ("topple tasks --setup two_balls_w", ["two_balls_within_template"]),
        ("topple iphyre play see", ["seesaw", "seesaw_angle"]),
        ("topple iphyre games --games basic,noi", None),
        ("topple cache build --templates 00000,0012", [f"00000,0012{k}" for k in range(5)]),
        ("topple analyse difficulty tw", ["two_balls"]),
        ("topple cache build --backend c", ["cpu", "cuda"]),
    ],
)
def test_half_a_word_is_completed(line: str, names: list[str] | None) -> None:
    found = offered(line)
    if names is not None:
        assert found == names
    else:
        assert found[0] == "basic,noisy"
        assert "basic,noisy_hole" in found
        assert all(name.startswith("basic,noi") for name in found)


def test_completion_works_in_bash_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: "bash")
    script = topple("--show-completion").stdout
    asked = (
        "COMP_WORDS=(topple sheet --tier two); COMP_CWORD=3\n"
        '$(complete -p topple | sed -E "s/.*-F ([^ ]+).*/\\1/") topple\n'
        'echo "${COMPREPLY[@]}"\n'
    )
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc"],
        input=f"{script}\n{asked}",
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["two_balls"]


def test_names_are_those_of_the_benchmarks() -> None:
    assert len(TEMPLATES) == 50
    assert len(complete.games()) == 50
    assert {"ppo-i", "dqn", "llm"} <= set(complete.agents())
    assert len(complete.agents()) == len(set(complete.agents()))
