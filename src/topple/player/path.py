"""The path of the player: puzzles of both benchmarks in turn, from easy to hard.

Difficulty is measured: of a PHYRE task, by the share of valid actions of the fixed list that solve
it, as the solution index of the package says; of an I-PHYRE game, by the share of random plans at
60 ticks a second. The two shares cannot be compared, so each benchmark is ordered by itself and
the two orders alternate. A template is represented by its easiest task.

``topple analyse path`` writes the file that the page reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from topple.iphyre.engine_hash import engine_hash as iphyre_hash
from topple.iphyre.game import Game
from topple.iphyre.games import ALL
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.sampling import play_draws
from topple.phyre import Simulator
from topple.phyre.action import discrete_actions
from topple.phyre.cache.index import shipped_index
from topple.phyre.engine_hash import engine_hash as phyre_hash
from topple.phyre.templates import MODULES, template_name
from topple.phyre.tier import Tier

PLANS = 500  # random plans of a game
APART = 5  # games between two that vary the same idea
_PREFIXES = ("noisy_", "unseen_", "multi_ball_")

Stop = dict[str, Any]  # a puzzle on the path, as the page reads it


def compute_path() -> dict[str, Any]:
    """The content of the file: both orders, interleaved, with the difficulty of each puzzle."""
    tasks = sorted(map(task_stop, MODULES), key=_ease)
    games = _spread(sorted(map(game_stop, ALL), key=_ease))
    stops = [stop for pair in zip(tasks, games, strict=True) for stop in pair]
    about = {"phyre": phyre_hash(), "iphyre": iphyre_hash(AT_60_HZ), "plans": PLANS}
    return {"about": about, "puzzles": stops}


def _ease(stop: Stop) -> tuple[float, str]:
    return -stop["share"], stop["id"]


def task_stop(template: str) -> Stop:
    """The task of a template that most listed actions solve."""
    [tier] = (tier for tier in Tier if template in tier.template_ids)
    index = shipped_index(tier)
    tasks = [task for task in index.scenes if task.startswith(f"{template}:")]
    solved = [len(index.solutions(task)) for task in tasks]
    best = int(np.argmax(solved))
    valid = Simulator(tasks[best]).valid(0, discrete_actions(tier, index.actions)).sum()
    return {
        "benchmark": "phyre",
        "id": tasks[best],
        "name": template_name(template),
        "share": round(solved[best] / int(valid), 6),
    }


def game_stop(game: Game) -> Stop:
    """A game, with the share of random plans that solve it."""
    solved = sum(draw.score.solved for draw in islice(play_draws(game), PLANS))
    return {
        "benchmark": "iphyre",
        "id": game.name,
        "name": game.title,
        "share": round(solved / PLANS, 6),
    }


def _spread(stops: Iterable[Stop]) -> Iterator[Stop]:
    """Keep games that vary the same idea apart, as far as that is possible."""
    waiting, recent = list(stops), [""] * APART
    while waiting:
        place = next((i for i, stop in enumerate(waiting) if _idea(stop) not in recent), 0)
        stop = waiting.pop(place)
        recent = [*recent[1:], _idea(stop)]
        yield stop


def _idea(stop: Stop) -> str:
    name: str = stop["id"]
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
