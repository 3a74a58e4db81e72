"""What the parts of the torture program share: rounds, counts, and damage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

Round = Callable[[np.random.Generator], None]  # tries something; an exception is a finding
#: Prepares what its rounds need, from the counts to add to and an empty folder.
Part = Callable[[Counter[str], Path], AbstractContextManager[Round]]


def try_examples(
    check: Callable[..., None], rng: np.random.Generator, examples: int, **drawn: Any
) -> None:
    """Check some examples of Hypothesis; the generator decides which."""
    quick = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    seed(int(rng.integers(2**32)))(quick(given(**drawn)(check)))()


def damaged(content: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """Damage as disks, networks and people do it: its name, and what is left of the content."""
    size = len(content)
    place = int(rng.integers(size)) if size else 0
    end = min(size, place + int(rng.integers(1, 600)))
    noise = rng.bytes(end - place)
    kinds: dict[str, Callable[[], bytes]] = {
        "flipped bit": lambda: _with_byte(content, place, 1 << int(rng.integers(8))),
        "flipped byte": lambda: _with_byte(content, place, int(rng.integers(1, 256))),
        "cut": lambda: content[:place],
        "noise": lambda: content[:place] + noise + content[end:],
        "zeros": lambda: content[:place] + bytes(end - place) + content[end:],
        "hole": lambda: content[:place] + content[end:],
        "repeat": lambda: content[:end] + content[place:],
        "more": lambda: content + noise,
        "garbage": lambda: rng.bytes(int(rng.integers(2000))),
    }
    # Single bits are what only a digest can find.
    name = "flipped bit" if rng.random() < 0.4 else str(rng.choice(list(kinds)))
    return name, kinds[name]()


def _with_byte(content: bytes, place: int, mask: int) -> bytes:
    flipped = bytes(byte ^ mask for byte in content[place : place + 1])
    return content[:place] + flipped + content[place + 1 :]
