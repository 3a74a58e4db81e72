"""A model that answers at random, by the form it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from topple.llm.scripted.reading import gray_blocks, read_request, rng_of

SECONDS = 14.8  # the latest time it names


def rand(body: Mapping[str, Any]) -> Any:
    """Any numbers; each gray block of a game stays with a chance of one half."""
    reading, rng = read_request(body), rng_of(body)
    if reading.form == "balls":
        axes: Any = rng.random((reading.balls, 3))
        if reading.cells:
            axes = (axes * reading.cells).astype(int)
        return {"balls": [dict(zip("xyr", row, strict=True)) for row in axes.tolist()]}
    if reading.form == "list":
        count = int(rng.integers(1, 4))
        return [
            {"time": round(float(rng.random() * SECONDS), 1), "index": int(rng.integers(0, 6))}
            for _ in range(count)
        ]
    blocks = gray_blocks(reading)
    if reading.form == "remove":
        chosen = blocks[int(rng.integers(0, len(blocks)))]
        return {"remove": number_of(chosen) if rng.random() < 0.1 else None}
    times: list[float | None] = [None] * reading.entries
    low = reading.now + 0.1
    for block in blocks:
        if rng.random() < 0.5 and low < SECONDS:
            times[number_of(block) - 1] = round(float(rng.uniform(low, SECONDS)), 1)
    return {"times": times}


def number_of(block: Mapping[str, Any]) -> int:
    """The number in the name of a gray block."""
    return int(str(block["name"]).rsplit(" ", 1)[1])
