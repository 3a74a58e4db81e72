"""Fixtures that read golden data, of the repository or from beside it."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "iphyre"

Reader = Callable[[str], Any]


@pytest.fixture(scope="session")
def golden() -> Reader:
    """Reads a golden file of the repository."""
    return lambda name: json.loads((ROOT / "tests" / "golden" / name).read_text())


@pytest.fixture(scope="session")
def shared() -> Reader:
    """Reads a full golden file of I-PHYRE from beside the repository, where it is there."""

    def read(name: str) -> Any:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"{path} is not there")
        if path.suffix != ".xz":
            return json.loads(path.read_text())
        with lzma.open(path) as file:
            return json.load(file)

    return read
