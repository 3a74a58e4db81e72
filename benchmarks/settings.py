"""Settings of agents on the command line of a benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from topple.runs.agent import Setting


def read_setting(text: str) -> tuple[str, Setting]:
    """The name and the value of NAME=VALUE; what is no JSON is a text."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def varied_settings(texts: Iterable[str]) -> Iterator[dict[str, Setting]]:
    """One setting with one value each, of texts such as NAME=A,B."""
    for text in texts:
        name, _, values = text.partition("=")
        yield from (dict([read_setting(f"{name}={value}")]) for value in values.split(","))
