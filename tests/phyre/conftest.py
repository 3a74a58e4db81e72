"""What the tests of the PHYRE package share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "phyre"


@pytest.fixture
def reference() -> Path:
    """The folder with scenes and folds of the original; tests without it are skipped."""
    if not SHARED.is_dir():
        pytest.skip("the reference data is not beside this checkout")
    return SHARED
