"""Hashes of the action cache, so that anybody can check theirs against the committed ones.

The manifest beside this file says, for templates whose cache was built, with which engine,
for how many actions of the list, and what the outcomes hash to.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from topple.phyre.cache.action_cache import ActionCache
from topple.phyre.cache.shard import UNKNOWN, pack_outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.task import template_tasks

MANIFEST = Path(__file__).with_name("manifest.json")


class Entry(NamedTuple):
    """What the cache of a template holds."""

    actions: int  # of the list, on all 100 tasks
    valid: int
    solved: int
    digest: str


def entry_of(cache: ActionCache, template: str, actions: int) -> Entry | None:
    """The entry of a template's cache; None if some of its outcomes are not known.

    Args:
        cache: where they are.
        template: its id.
        actions: how many of the list, in whole files.
    """
    outcomes = cache.known(template_tasks(template), actions)
    if (outcomes == UNKNOWN).any():
        return None
    valid = int((outcomes != Outcome.INVALID).sum())
    solved = int((outcomes == Outcome.SOLVED).sum())
    packed = pack_outcomes(outcomes).tobytes()
    return Entry(actions, valid, solved, hashlib.blake2b(packed, digest_size=16).hexdigest())


@cache
def committed() -> dict[str, Any]:
    """The manifest that comes with the package: engine, seed, and entries by tier."""
    data: dict[str, Any] = json.loads(MANIFEST.read_text())
    return data


def committed_entry(tier: str, template: str) -> Entry | None:
    """A template's entry in the manifest, if its cache was ever built."""
    row = committed()["tiers"].get(tier, {}).get(template)
    return None if row is None else Entry(**row)
