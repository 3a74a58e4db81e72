"""The command line, called within the process of a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from topple.cli.main import app


def topple(*words: str | Path, code: int = 0, typed: str = "") -> Result:
    """Call `topple` with some words; it has to end with a status."""
    arguments = [str(word) for word in words]
    result = CliRunner().invoke(app, arguments, input=typed, prog_name="topple")
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def topple_json(*words: str | Path) -> Any:
    """What `topple` prints with `--json`."""
    return json.loads(topple(*words, "--json").stdout)


def topple_mistake(*words: str | Path) -> str:
    """The one line that `topple` says about a mistake, with status 2."""
    said = topple(*words, code=2).stderr
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1, said
    return said
