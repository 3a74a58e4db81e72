"""Reference data measured on the original simulator, when it lies beside the checkout."""

from __future__ import annotations

import json
import lzma
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from topple.phyre.scene import Body, Circle, Color, Goal, Kind, Polygon, Scene, Shape

SHARED = Path(__file__).resolve().parents[3] / "shared"
PHYRE = SHARED / "phyre"

needs_phyre_data = pytest.mark.skipif(
    not PHYRE.is_dir(), reason="the reference data is not beside this checkout"
)

TIERS = ("ball", "two_balls")
_KINDS = {
    "UNDEFINED": Kind.UNDEFINED,
    "BALL": Kind.BALL,
    "BAR": Kind.BAR,
    "JAR": Kind.JAR,
    "STANDINGSTICKS": Kind.STANDING_STICKS,
}


def arrays(name: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a reference file."""
    with np.load(PHYRE / name, allow_pickle=False) as data:
        return {key: data[key] for key in data.files}


def _shape(record: dict[str, Any]) -> Shape:
    if "circle" in record:
        return Circle(record["circle"])
    return Polygon(tuple((x, y) for x, y in record["polygon"]))


def _body(record: dict[str, Any]) -> Body:
    x, y = record["position"]
    return Body(
        shapes=tuple(_shape(shape) for shape in record["shapes"]),
        dynamic=record["bodyType"] == "DYNAMIC",
        position=(x, y),
        angle=record["angle"],
        color=Color[record["color"]],
        kind=_KINDS[record["shapeType"]],
        diameter=record["diameter"],
    )


@lru_cache(maxsize=1)
def published_scenes() -> dict[str, Scene]:
    """All 5,000 published scenes by task id."""
    scenes = {}
    with lzma.open(PHYRE / "tasks.jsonl.xz", "rt") as lines:
        for line in lines:
            record = json.loads(line)
            scenes[record["id"]] = Scene(
                bodies=tuple(_body(body) for body in record["bodies"]),
                goal=Goal(record["bodyId1"], record["bodyId2"]),
                name=record["id"],
            )
    return scenes


def float_bits(words: str) -> npt.NDArray[np.uint32]:
    """Float32 bit patterns from hexadecimal words."""
    return np.array([int(word, 16) for word in words.split()], dtype=np.uint32)


def bits(values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Float32 values as bit patterns."""
    return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
