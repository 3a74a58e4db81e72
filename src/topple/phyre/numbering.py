"""How tasks get their numbers, and which of them were published.

The tuples of a template's grid are put in the order of the MD5 digests of their
numbers. Walking in that order, every tuple that is not skipped gets the next
number. Of the first few hundred the authors of PHYRE published 100, which keep
their numbers; so published numbers have gaps.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple, TypeVar

from topple.phyre.authoring import Template
from topple.phyre.scene import Scene

T = TypeVar("T")


class Instance(NamedTuple):
    """One buildable tuple of a template."""

    number: int  # among the buildable ones, in shuffled order
    tuple_number: int  # in the grid
    scene: Scene
    description: str


class Published(NamedTuple):
    """The published instances of a template, side by side and in order of number."""

    numbers: tuple[int, ...]
    tuples: tuple[int, ...]  # where in the grid each of them is


def stable_shuffle(items: Iterable[T], salt: str = "") -> list[T]:
    """Items in an order that depends only on their text and the salt."""
    return sorted(items, key=lambda item: hashlib.md5(f"{item}{salt}".encode()).digest())


def instances(template: Template) -> Iterator[Instance]:
    """Build the instances of a template in the order of their numbers."""
    number = 0
    for tuple_number in stable_shuffle(range(template.tuple_count)):
        name = f"{template.id}:{number:03d}"
        made = template.make(template.parameters(tuple_number), name)
        if made is not None:
            yield Instance(number, tuple_number, *made)
            number += 1


@cache
def published(template_id: str) -> Published:
    """The published instances of a template."""
    table = _table()[template_id]
    return Published(tuple(table["numbers"]), tuple(table["tuples"]))


@cache
def _table() -> dict[str, dict[str, list[int]]]:
    text = resources.files("topple.phyre").joinpath("published.json").read_text("utf-8")
    templates: dict[str, dict[str, list[int]]] = json.loads(text)["templates"]
    return templates
