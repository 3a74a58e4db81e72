"""What tests of the player share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient

MakeClient = Callable[..., TestClient]


def blank(client: TestClient, benchmark: str) -> dict[str, Any]:
    """A simple puzzle to start from."""
    puzzle: dict[str, Any] = client.get(
        "/api/puzzles/blank", params={"benchmark": benchmark}
    ).json()
    return puzzle
