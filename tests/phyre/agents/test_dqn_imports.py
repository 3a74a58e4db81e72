"""Training has to run on machines that have little more than PyTorch."""

from __future__ import annotations

import subprocess
import sys

ABSENT = ("typer", "rich", "gymnasium", "pymunk", "cffi", "matplotlib", "ray")
PROGRAM = f"""
import sys
for name in {ABSENT!r}:
    sys.modules[name] = None  # importing it now fails
import topple.phyre.agents.dqn, topple.runs.training, topple.runs.record
"""
NO_TORCH = """
import sys
sys.modules["torch"] = None
from topple.cli.main import main
sys.argv = ["topple", *"train --agent dqn --setup ball_within --smoke".split()]
main()
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


def test_training_needs_no_library_of_the_command_line() -> None:
    found = run(PROGRAM)
    assert found.returncode == 0, found.stderr


def test_without_torch_one_line_says_what_to_install() -> None:
    found = run(NO_TORCH)
    assert found.returncode == 2
    assert found.stderr == "error: agent 'dqn' needs torch: pip install 'topple[agents]'\n"
