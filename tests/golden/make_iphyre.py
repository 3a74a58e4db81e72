"""Cut the committed golden files of I-PHYRE from the full ones: `make_iphyre.py SHARED`.

The argument is the folder with golden_plans.json.xz and golden_traj.json.xz, made with
the original package. Six plans a game are kept, successes first where there are any,
and one trajectory of each of a few games, at a few steps.
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PLANS = 6
TRACED = (
    "hole",
    "seesaw",
    "angle",
    "pendulum",
    "spring",
    "activated_pendulum",
    "multi_ball_stack",
    "multi_ball_lever",
    "multi_ball_spring_flick",
)


def read(path: Path) -> Any:
    """A compressed JSON file."""
    with lzma.open(path) as file:
        return json.load(file)


def outcome(row: dict[str, Any]) -> list[Any]:
    """Success, ticks, removals and reward."""
    return [bool(row["success"]), row["steps"], row["n_elim"], round(row["reward"], 6)]


def write(name: str, lines: dict[str, Any], notes: str) -> None:
    """One line per game, to keep changes readable."""
    body = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in lines.items())
    (HERE / name).write_text(f'{{"notes": {json.dumps(notes)},\n"games": {{\n{body}\n}}}}\n')


def main() -> None:
    """Write both files."""
    shared = Path(sys.argv[1])
    plans = {}
    for name, rows in read(shared / "golden_plans.json.xz")["games"].items():
        rows.sort(key=lambda row: -row["sim60"]["success"] - row["env10"]["success"])
        kept = rows[: PLANS // 2] + rows[-(PLANS // 2) :]
        plans[name] = [[r["times"], outcome(r["sim60"]), outcome(r["env10"])] for r in kept]
    write(
        "iphyre_plans.json",
        plans,
        "rows: seconds per gray block (null: never), then [solved, ticks, removed, reward] at "
        "60 Hz after one build and at 10 Hz after two; iphyre 0.2.3 on pymunk 7.3.1",
    )
    traces = {}
    for name, rows in read(shared / "golden_traj.json.xz")["games"].items():
        if name in TRACED:
            row = rows[-1]
            frames = [f for f in row["frames"] if f[0] in (1, 12) or f[0] % 90 == 0]
            traces[name] = [row["times"], bool(row["success"]), row["steps"], frames]
    write(
        "iphyre_traj.json",
        traces,
        "seconds per gray block, solved, ticks, frames [tick, [body, x, y, angle, vx, vy, spin]"
        "...] to 8 decimals at 60 Hz; iphyre 0.2.3 on pymunk 6.4.0",
    )


if __name__ == "__main__":
    main()
