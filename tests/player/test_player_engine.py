"""The engines in WebAssembly that a server gives to pages, if it has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.player_client import MakeClient
from topple.player import settings


def test_a_server_gives_its_engines_and_lets_nobody_keep_them(
    make_client: MakeClient, tmp_path: Path
) -> None:
    module = tmp_path / settings.MODULE
    module.write_bytes(b"engines")
    client = make_client(module=module)
    engine = client.get("/api/engine").json()
    assert sorted(engine["rules"]) == ["learn", "play"]
    answer = client.get(f"/{engine['module']}")
    assert (answer.content, answer.headers["cache-control"]) == (b"engines", "no-store")


def test_a_server_without_engines_says_so(make_client: MakeClient) -> None:
    client = make_client(module=None)
    assert client.get("/api/engine").json()["module"] is None
    answer = client.get("/api/engine/topple.wasm.gz")
    assert (answer.status_code, "make wasm" in answer.json()["detail"]) == (404, True)


def test_a_module_of_older_sources_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "find_spec", lambda _: None)
    monkeypatch.setattr(
        settings, "__file__", str(tmp_path / "src" / "topple" / "player" / "settings.py")
    )
    assert settings.find_module() is None
    made = tmp_path / "build" / "wasm" / settings.MODULE
    source = tmp_path / "native" / "include" / "world.h"
    for path in (made, source):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
    os.utime(source, (1000, 1000))
    assert settings.find_module() == made
    os.utime(made, (500, 500))
    assert settings.find_module() is None
