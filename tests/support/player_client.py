"""What tests of the player share."""

from __future__ import annotations

from collections.abc import Callable

from fastapi.testclient import TestClient

MakeClient = Callable[..., TestClient]
