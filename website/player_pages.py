"""The page of the player's API, made from its OpenAPI description."""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path
from typing import Any

from pages import Page, table
from topple.player.app import create_app
from topple.player.settings import Settings
from topple.player.store import sqlite_url


def player_page() -> Page:
    """Every call and every type."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(database=sqlite_url(Path(folder))))
        description = app.openapi()
        app.state.service.store.close()
    parts = [
        "# The player's API",
        "Every call of the server that `topple play` starts, from its `/openapi.json`. [The "
        "guide](../guides/player_api.md) explains what a schema cannot.",
        "## Calls",
        table(("method", "call", "", "takes", "returns"), _calls(description)),
        "## Types",
    ]
    for name, schema in sorted(description["components"]["schemas"].items()):
        parts += _type(name, schema)
    return Page("reference/player.md", "\n\n".join(parts) + "\n")


def _calls(description: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for path, methods in description["paths"].items():
        for method, call in methods.items():
            body = call.get("requestBody", {}).get("content", {}).get("application/json", {})
            query = [f"`{p['name']}`" for p in call.get("parameters", []) if p["in"] == "query"]
            takes = [_name(body["schema"]), *query] if body else query
            good = [r for status, r in call["responses"].items() if status < "300"]
            content = good[0].get("content", {}) if good else {}
            answer = content.get("application/json", {}).get("schema")
            kinds = ", ".join(content) if answer is None else _name(answer)
            words = call.get("description") or call.get("summary", "")
            rows.append(
                (method.upper(), _address(path), " ".join(words.split()), ", ".join(takes), kinds)
            )
    return rows


def _type(name: str, schema: dict[str, Any]) -> list[str]:
    parts = [f"### {name}", " ".join(schema.get("description", "").split())]
    if "enum" in schema:
        parts.append("One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".")
    needed = schema.get("required", [])
    rows = [
        (
            f"`{field}`",
            _name(kind),
            "" if field in needed else "optional",
            kind.get("description", ""),
        )
        for field, kind in schema.get("properties", {}).items()
    ]
    return [*filter(None, parts), *([table(("field", "", "", ""), rows)] if rows else [])]


def _address(path: str) -> str:
    """A path that may be broken at its slashes."""
    return f"<code>{escape(path).replace('/', '/<wbr>')}</code>"


def _name(schema: dict[str, Any]) -> str:
    """The name of a type, with a link to its section if it has one."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_name(choice) for choice in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_name(schema.get('items', {}))}"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    return str(schema.get("type", "any"))
