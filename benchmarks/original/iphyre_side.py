"""The original side of benchmarks/iphyre.py, run in an environment of its own.

It needs the PyPI package iphyre 0.2.3 with pymunk < 7 and numpy < 2, and nothing of
Topple. It reads one JSON request a line and answers with one JSON line.

The package ships no environments. Those below are ours: they drive its simulator to the
same observations and rewards as the ones in its repository, with less work around it
(planned times become steps once, not at every step), so they favour the original.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

import numpy as np
from iphyre.games import PARAS
from iphyre.simulator import IPHYRE

TICKS = 150
IDLE = [0.0, 0.0]
SCALE = np.array([600.0] * 5 + [1.0] * 4, dtype=np.float32)  # by column of the table


class Environment:
    """The original's simulator at ten steps a second, with scaled observations."""

    def __init__(self, game: str, no_op: bool) -> None:
        self.simulator = IPHYRE(game=game, fps=10)
        start = self.simulator.reset()
        self.positions = self.simulator.get_action_space()[0 if no_op else 1 :]
        self.tail = np.ravel(self.positions).astype(np.float32) / SCALE[0]
        self.observe(start)

    def observe(self, table: Any) -> Any:
        """The table scaled and cut to 0 to 1, then the positions."""
        scaled = np.divide(table, SCALE, dtype=np.float32, casting="same_kind")
        return np.append(np.minimum(np.maximum(scaled, 0.0), 1.0), self.tail)

    def step(self, choice: int) -> tuple[Any, float, bool]:
        """One tick on the fly."""
        table, reward, done = self.simulator.step(self.positions[choice])
        return self.observe(table), reward, done

    def play(self, action: Any) -> tuple[Any, float, bool]:
        """One episode in advance."""
        due: dict[int, list[float]] = {}
        for position, tick in zip(self.positions, np.rint(action * 15 * 10), strict=True):
            due.setdefault(int(tick), position)
        due.pop(0, None)
        total, done, table = 0.0, False, None
        for tick in range(TICKS):
            table, reward, done = self.simulator.step(due.get(tick, IDLE))
            total += reward
            if done:
                break
        return self.observe(table), total, done


def episodes(request: dict[str, Any]) -> tuple[int, int]:
    solved = 0
    for name, rows in request["plans"].items():
        simulator = IPHYRE(game=name, fps=request["hz"])
        eliminable = [i for i, flag in enumerate(PARAS[name]["eli"]) if flag]
        positions = simulator.get_action_space()[1 : len(eliminable) + 1]
        for times in rows:
            clicks = [[*p, t] for p, t in zip(positions, times, strict=True) if t is not None]
            simulator.reset()
            solved += simulator.simulate(clicks)[0]
    return sum(map(len, request["plans"].values())), solved


def on_the_fly(request: dict[str, Any]) -> tuple[int, int]:
    steps = solved = 0
    for name, choices in request["choices"].items():
        environment, ticks = Environment(name, no_op=True), 0
        for choice in choices:
            _, _, done = environment.step(choice)
            ticks += 1
            solved += done
            if done or ticks == TICKS:
                environment, ticks = Environment(name, no_op=True), 0
        steps += len(choices)
    return steps, solved


def in_advance(request: dict[str, Any]) -> tuple[int, int]:
    solved = 0
    for name, rows in request["actions"].items():
        for action in rows:
            solved += Environment(name, no_op=False).play(np.array(action, dtype=np.float32))[2]
    return sum(map(len, request["actions"].values())), solved


WORK = {"episodes": episodes, "on_the_fly": on_the_fly, "in_advance": in_advance}

if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        start = time.process_time()
        count, solved = WORK[request["work"]](request)
        answer = {"seconds": time.process_time() - start, "count": count, "solved": int(solved)}
        print(json.dumps(answer), flush=True)
