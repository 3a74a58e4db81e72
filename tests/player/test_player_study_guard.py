"""During a study nobody sees a solution: every route of the application is tried."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute
from fastapi.testclient import TestClient
from starlette.routing import BaseRoute
from starlette.websockets import WebSocketDisconnect

from support.player_client import MakeClient, join, live, new_player, post
from support.records import record_attempts
from topple.phyre.selection import TaskSelection
from topple.player.app import STATIC
from topple.player.routes import guard
from topple.runs import RunConfig

NOW, LATER = "00002:007", "00009:602"
WIN = [0.82, 0.56, 0.53]  # solves the first one
MISS = [0.8, 0.5, 0.2]
GAMES = ("support", "hinder")

#: What a participant may call, and how the server answers; all other calls are refused.
ALLOWED = {
    ("GET", "/api/health"): 200,
    ("GET", "/api/owner"): 403,  # without the owner key
    ("GET", "/api/me"): 200,
    ("POST", "/api/me/consent"): 200,
    ("POST", "/api/me/answers"): 409,
    ("POST", "/api/me/continue"): 409,
    ("POST", "/api/me/events"): 200,
    ("GET", "/api/studies/{study}"): 200,
    ("POST", "/api/studies/{study}/participants"): 200,
    ("GET", "/api/phyre/tasks/{task}"): 200,
    ("GET", "/api/phyre/tasks/{task}/attempts"): 200,
    ("POST", "/api/phyre/tasks/{task}/validate"): 200,
}
#: What a participant may do that would end the study of the test.
ENDING = {("POST", "/api/me/skip"), ("POST", "/api/me/withdraw")}
EVENT = {"event": "shown", "sequence": 0, "page_time": 1.0, "page_clock": 1.0}
BODIES = {
    "/api/me/consent": {"consent": True},
    "/api/me/answers": {"answers": {}},
    "/api/me/events": {"page": "abcdefgh", "events": [EVENT]},
    "/api/studies/{study}/participants": {"consent": True},
    "/api/phyre/tasks/{task}/validate": {"action": WIN},
    "/api/phyre/tasks/{task}/attempts": {"action": MISS},
}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """An agent that solved a puzzle of the study."""
    config = RunConfig("rand", TaskSelection(None, None, tasks=(NOW,)))
    record_attempts(tmp_path, config, NOW, [WIN])
    return tmp_path


@pytest.fixture
def client(make_client: MakeClient, runs: Path) -> TestClient:
    """A browser, which keeps cookies, and a server with the run of an agent."""
    return make_client(runs=(runs,))


def routes(found: list[BaseRoute]) -> Iterator[tuple[str, str]]:
    """Every method and path of an application, but for its schema and the files of the page."""
    for route in found:
        inner = getattr(route, "original_router", None)  # of a router that was included
        if inner is not None:
            yield from routes(inner.routes)
        elif isinstance(route, APIRoute):
            for method in sorted(route.methods or ()):
                yield method, route.path
        elif isinstance(route, APIWebSocketRoute):
            yield "WS", route.path
        else:
            assert getattr(route, "path", None) in ("/openapi.json", ""), route


def new_study(client: TestClient, owner: dict[str, str] | None = None, **design: Any) -> str:
    wanted = {"name": "Pilot", "benchmark": "phyre", "puzzles": [NOW, LATER], "shuffle": False}
    study: str = post(client, "studies", owner, **{**wanted, **design})["id"]
    return study


def participant(client: TestClient, study: str, **body: Any) -> dict[str, str]:
    """The header of somebody who takes part."""
    return {"X-Player": join(client, study, **body)["key"]}


def filled(path: str, study: str, task: str) -> str:
    """A path with values that exist."""
    values = {
        "task": task,
        "game": "support",
        "template": task.partition(":")[0],
        "study": study,
        "participant": "P-ABCDEF",
        "puzzle": "a" * 12,
        "run": "0" * 16,
        "subject": task,
        "kind": "gif",
    }
    return path.format(**values)


def call(client: TestClient, route: tuple[str, str], at: str, headers: dict[str, str]) -> int:
    method, path = route
    if method == "WS":
        with suppress(WebSocketDisconnect), client.websocket_connect(at, headers=headers) as socket:
            assert socket.receive_json()["type"] == "ready"
            socket.send_text('{"type": "start"}')
            assert socket.receive_json()["code"] == "refused"
        return 403
    query = {"action": ",".join(map(str, WIN)), "plan": "", "benchmark": "phyre"}
    body = BODIES.get(path, {"level": 3, "seconds": 1})
    answer = client.request(
        method, at, params=query, headers=headers, json=None if method == "GET" else body
    )
    return answer.status_code


def test_a_participant_gets_no_solution_by_any_route(client: TestClient) -> None:
    every = set(routes(client.app.routes))  # type: ignore[attr-defined]
    assert {("POST", "/api/phyre/tasks/{task}/solution"), ("GET", "/api/runs/{run}")} <= every
    assert every >= guard._OPEN | guard._PLAYED | guard._REACHED | guard._OWN
    study = new_study(client)
    free = new_player(client)
    me = participant(client, study, free_player=free["X-Player"])
    client.cookies.clear()
    cookie = f"{guard.COOKIE}{study}"
    # By the key of the participant; by that of the browser's free player; and by nothing but the
    # cookie of the browser, as a plain link would.
    callers: list[tuple[dict[str, str], bool]] = [(me, False), (free, False), ({}, True)]
    for headers, by_cookie in callers:
        for method, path in sorted(every - ENDING):
            client.cookies.clear()
            if by_cookie:
                client.cookies.set(cookie, me["X-Player"], domain="127.0.0.1", path="/api")
            at = filled(path, study, NOW)
            if method == "WS":
                at = f"ws://127.0.0.1:8765{at}?player={headers.get('X-Player', '')}"
            status = call(client, (method, path), at, headers)
            expected = ALLOWED.get((method, path), 403)
            if headers is me and (method, path) == ("POST", "/api/phyre/tasks/{task}/attempts"):
                expected = 200  # their own attempt
            if "{task}" in path and headers is not me:
                expected = 403
            if path.startswith("/api/me") and (method, path) in ALLOWED and headers is not me:
                expected = 401 if not headers else 200 if path == "/api/me" else 409
            assert status == expected, f"{method} {path}, {headers}, cookie {by_cookie}: {status}"


def test_other_puzzles_and_other_actions_are_refused(client: TestClient) -> None:
    study = new_study(client)
    me = participant(client, study)
    assert client.get(f"/api/phyre/tasks/{NOW}", headers=me).status_code == 200
    assert client.get(f"/api/phyre/tasks/{LATER}", headers=me).status_code == 403
    assert client.get("/api/phyre/tasks/00001:042", headers=me).status_code == 403
    made = client.post(f"/api/phyre/tasks/{NOW}/attempts", json={"action": MISS}, headers=me)
    assert made.json()["outcome"] == "not_solved"
    replay = f"/api/replays/phyre/{NOW}"
    own, other = ({"action": ",".join(map(str, action))} for action in (MISS, WIN))
    assert client.get(replay, params=own, headers=me).status_code == 200
    for wrong in (other, {"action": "x"}, {}):
        assert client.get(replay, params=wrong, headers=me).status_code == 403
    film = client.get(f"{replay}/film.gif", params=own, headers=me)
    assert film.status_code == 403
    assert f"/#/study/{study}" in film.json()["detail"]


def test_games_of_a_study_are_closed_too(client: TestClient) -> None:
    study = new_study(client, benchmark="iphyre", puzzles=list(GAMES))
    me = participant(client, study)
    shown = client.get(f"/api/iphyre/games/{GAMES[0]}", headers=me).json()
    assert (shown["concept"], shown["others"]) == ("", {})
    assert client.get(f"/api/iphyre/games/{GAMES[1]}", headers=me).status_code == 403
    with live(client, me, GAMES[0]) as page:
        page.start()
        page.until("ended")
    replay = f"/api/replays/iphyre/{GAMES[0]}"
    assert client.get(replay, params={"plan": ""}, headers=me).status_code == 200
    assert client.get(replay, params={"plan": "30:0"}, headers=me).status_code == 403
    assert client.get(replay, params={"plan": "", "hz": 10}, headers=me).status_code == 403


def test_everything_opens_when_the_study_ends(client: TestClient) -> None:
    study = new_study(client)
    me = participant(client, study)
    assert client.get("/api/studies").status_code == 403  # by the cookie alone
    for _ in range(2):
        client.post("/api/me/skip", headers=me)
    finished = client.get("/api/me", headers=me)
    assert finished.json()["study"]["step"]["kind"] == "finished"
    assert "Max-Age=0" in finished.headers["set-cookie"]
    assert client.get("/api/studies").status_code == 200
    assert client.get("/api/phyre/templates", headers=me).status_code == 200
    other = new_study(client)
    leaver = participant(client, other)
    assert client.get("/api/phyre/templates").status_code == 403
    assert client.post("/api/me/withdraw", json={}, headers=leaver).status_code == 200
    assert client.get("/api/phyre/templates").status_code == 200
    again = client.post(f"/api/phyre/tasks/{NOW}/attempts", json={"action": WIN}, headers=leaver)
    assert again.status_code == 403


def test_two_studies_side_by_side(client: TestClient) -> None:
    first, second = new_study(client), new_study(client, puzzles=[LATER])
    one = participant(client, first)
    # The owner made both before taking part; now the browser is a participant's.
    two = participant(client, second)
    assert client.get("/api/me", headers=one).json()["study"]["study"] == first
    assert client.get(f"/api/phyre/tasks/{LATER}", headers=two).status_code == 200
    assert client.get(f"/api/phyre/tasks/{LATER}", headers=one).status_code == 403
    client.post("/api/me/skip", headers=two)
    client.get("/api/me", headers=two)
    assert client.get("/api/phyre/templates").status_code == 403  # the first is not finished


def test_the_owner_key_opens_the_owners_own_browser(make_client: MakeClient) -> None:
    client = make_client(owner_key="sesame")
    owner = {"X-Owner": "sesame"}
    me = participant(client, new_study(client, owner))
    assert client.get("/api/studies", headers=owner).status_code == 200
    assert client.get("/api/studies", headers={**owner, **me}).status_code == 403
    assert client.get("/api/phyre/templates").status_code == 403


def test_a_server_for_studies_only(make_client: MakeClient) -> None:
    client = make_client(owner_key="sesame", studies_only=True)
    study = new_study(client, {"X-Owner": "sesame"})
    every = set(routes(client.app.routes))  # type: ignore[attr-defined]
    for method, path in sorted(every - ENDING - set(ALLOWED)):
        at = filled(path, study, NOW)
        if method == "WS":
            at = f"ws://127.0.0.1:8765{at}?player="
        assert call(client, (method, path), at, {}) == 403, path
    me = participant(client, study)
    made = client.post(f"/api/phyre/tasks/{NOW}/attempts", json={"action": WIN}, headers=me)
    assert made.json()["outcome"] == "solved"


def test_free_play_before_a_study_is_known(client: TestClient) -> None:
    study = new_study(client)
    free = new_player(client)
    tried = client.post(f"/api/phyre/tasks/{NOW}/attempts", json={"action": MISS}, headers=free)
    assert tried.status_code == 200
    assert client.post(f"/api/phyre/tasks/{LATER}/solution", headers=free).status_code == 200
    me = participant(client, study, free_player=free["X-Player"])
    for action in (MISS, WIN):
        client.post(f"/api/phyre/tasks/{NOW}/attempts", json={"action": action}, headers=me)
    client.cookies.clear()
    found = client.get(f"/api/studies/{study}/export.json").json()
    first, second = found["puzzles"]
    assert (first["free_attempts_before"], first["solution_seen_before"]) == (1, False)
    assert (second["free_attempts_before"], second["solution_seen_before"]) == (0, True)
    assert [row["counted"] for row in found["attempts"]] == [False] * 3
    [person] = found["participants"]
    assert (person["scored"], person["known"], person["score"]) == (0, 2, None)


def test_no_file_of_the_page_holds_solutions() -> None:
    """Files are served to everybody, so none may hold an action or a plan that solves a puzzle."""
    words = {"solution", "solutions", "solving", "plan", "plans", "action", "actions"}
    for path in STATIC.rglob("*.json"):
        pending = [json.loads(path.read_text("utf-8"))]
        while pending:
            value = pending.pop()
            if isinstance(value, dict):
                named = {name for name, inner in value.items() if isinstance(inner, list | dict)}
                assert not named & words, path
                pending += value.values()
            elif isinstance(value, list):
                pending += value
