"""Whatever the OpenAPI document allows, and whatever it forbids: no surprise, no server error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as profile
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

EXAMPLES = 6  # of each operation, allowed and forbidden ones


def known_places(client: TestClient, player: dict[str, str]) -> dict[str, str]:
    """Ids of things that are there, so that allowed calls get far."""
    blank = client.get("/api/puzzles/blank", params={"benchmark": "iphyre"}).json()
    study = {"name": "fuzz", "benchmark": "iphyre", "pools": ["basic"]}
    return {
        "task": "00002:017",
        "template": "00002",
        "game": "support",
        "puzzle": client.post("/api/puzzles", json=blank, headers=player).json()["id"],
        "study": client.post("/api/studies", json=study).json()["id"],
        "run": "0123456789abcdef",
        "subject": "support",
        "kind": "gif",
    }


def each_example(strategy: Any, call: Callable[[Any], None]) -> None:
    """Try some examples; there may be none, such as forbidden ones where all is allowed."""
    test = given(case=strategy)(lambda case: call(case))
    quick = profile(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    with suppress(Unsatisfiable):
        quick(test)()


def test_every_operation_answers_as_documented(client: TestClient, player: dict[str, str]) -> None:
    app = client.app
    assert isinstance(app, FastAPI)
    places = known_places(client, player)
    seen: Counter[str] = Counter()
    for found in schemathesis.openapi.from_dict(app.openapi()).get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        documented = set(operation.definition.raw["responses"])

        def call(case: Any, documented: set[str] = documented) -> None:
            request = case.as_transport_kwargs(base_url="http://127.0.0.1:8765")
            request["headers"].pop("Connection", None)
            answer = client.request(
                request["method"],
                request["url"],
                params=request.get("params"),
                headers=request["headers"],
                content=request.get("data"),
                json=request.get("json"),
            )
            assert str(answer.status_code) in documented, (request, answer.text)
            assert answer.status_code < 500
            if answer.status_code >= 400:
                assert set(answer.json()) == {"detail", "field"}
            seen[f"{answer.status_code // 100}xx"] += 1

        names = [
            p["name"] for p in operation.definition.raw.get("parameters", ()) if p["in"] == "path"
        ]
        allowed: dict[str, Any] = {"headers": player}
        if names:
            allowed["path_parameters"] = {name: places[name] for name in names}
        if operation.path.endswith("/solvability"):
            allowed["body"] = {"seconds": 0.05}
        each_example(operation.as_strategy(GenerationMode.POSITIVE, **allowed), call)
        each_example(operation.as_strategy(GenerationMode.NEGATIVE), call)
    assert seen["2xx"] > 50
    assert seen["4xx"] > 50
