"""A hash over every tick of random plans, by the reference: `python tests/iphyre_bits.py`.

The hash was made with pymunk 7.3.1 on a processor with fused operations, which is what the
published bits were made with. The native engine gives it everywhere.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from topple.iphyre import ALL, AT_10_HZ, AT_60_HZ, Rules, plan_from_ticks, watch
from topple.physics.munk import Engine

FILE = Path(__file__).parent / "golden" / "iphyre_bits.json"
RATES = {"60": AT_60_HZ, "10": AT_10_HZ}


def digest(rules: Rules) -> str:
    """Of the poses and velocities of all bodies at every tick, a plan for each game."""
    rng = np.random.default_rng(2024)
    found = hashlib.sha256()
    for game in ALL:
        ticks = rng.integers(1, 6 * rules.hz, len(game.eliminable)).tolist()
        trace = watch(game, plan_from_ticks(game, ticks, rules), rules)
        found.update(trace.poses.tobytes())
        found.update(trace.velocities.tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    hashes = {hz: digest(replace(rules, engine=Engine.PYMUNK)) for hz, rules in RATES.items()}
    FILE.write_text(json.dumps(hashes, indent=1) + "\n")
