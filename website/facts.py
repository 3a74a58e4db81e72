"""What the pages of puzzles say and a build has no time to find out: `python website/facts.py`.

Writes ``facts.json`` beside this file. Outcomes come from the action cache, which simulates
what it does not know; with an empty cache that takes an hour of a core, and a stopped run
goes on where it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from topple import paths
from topple.experiments import Laboratory
from topple.iphyre import ALL, Game
from topple.iphyre.analysis.oracle import search_oracle
from topple.iphyre.analysis.solvability import solvability
from topple.iphyre.analysis.store import read_json, write_json
from topple.iphyre.sampling import play_draws
from topple.phyre import Simulator, Tier, template_tasks
from topple.phyre.action_cache import ActionCache
from topple.phyre.analysis.difficulty import template_difficulty
from topple.phyre.engine_hash import engine_hash

HERE = Path(__file__).resolve().parent
FILE = HERE / "facts.json"
BEST_PLANS = HERE.parent / "tests" / "golden" / "iphyre_oracle.json"  # of the forty games

ACTIONS = 1000  # of the fixed list, tried on every task
SEARCH = 100_000  # actions in which a solution to show is looked for
PLANS = 2000  # drawn as the original draws them, at 60 Hz
ORACLE = 60_000  # plans tried for the best one of a game


def template_facts(template_id: str, cache: ActionCache) -> dict[str, Any]:
    """How hard a template is, and a solution of its first task.

    The solution is the first listed action whose neighbours solve the task too.
    """
    tasks = template_tasks(template_id)
    [found] = template_difficulty(tasks, cache.outcomes(tasks, ACTIONS))
    simulator = Simulator(tasks[0])
    [action] = simulator.solutions(tasks[0], budget=SEARCH, stable=True)
    return {
        "chance": float(np.format_float_scientific(found.mean, 3)),
        "unsolved": found.unsolved,
        "solution": action.tolist(),
    }


def game_facts(game: Game, best: dict[str, Any]) -> dict[str, Any]:
    """How often random plans solve a game, and the best plan if it is not known."""
    draws = play_draws(game)
    solved = sum(next(draws).score.solved for _ in range(PLANS))
    coarse = solvability(game)
    facts: dict[str, Any] = {
        "solved_60_hz": solved / PLANS,
        "solved_10_hz": float(np.format_float_scientific(coarse.share, 3)),
        "exhaustive": coarse.exhaustive,
    }
    if game.name not in best:
        found = search_oracle(game, ORACLE)
        facts["ticks"] = found and list(found.ticks)
    return facts


def main() -> None:
    """Find out and write."""
    best = read_json(BEST_PLANS)["ticks"]
    games = {game.name: game_facts(game, best) for game in track(ALL, "games")}
    laboratory = Laboratory(paths.cache_folder())
    templates = {}
    for tier in Tier:
        cache = laboratory.action_cache(tier)
        for template_id in track(tier.template_ids, tier.value):
            templates[template_id] = template_facts(template_id, cache)
    about = {
        "engine": engine_hash(),
        "actions": ACTIONS,
        "plans": PLANS,
    }
    write_json(FILE, {"about": about, "templates": templates, "games": games})


if __name__ == "__main__":
    main()
