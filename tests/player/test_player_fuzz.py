"""Whatever the OpenAPI document allows, and whatever it forbids: no surprise, no server error."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.testclient import TestClient

from torture.server import call_operations

EXAMPLES = 6  # of each operation, allowed and forbidden ones


def test_every_operation_answers_as_documented(client: TestClient, player: dict[str, str]) -> None:
    app = client.app
    assert isinstance(app, FastAPI)
    seen = call_operations(client, app.openapi(), player, EXAMPLES, 1)
    assert seen["2xx"] > 50
    assert seen["4xx"] > 50
