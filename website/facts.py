"""What the pages of puzzles say and a build has no time to find out: `python website/facts.py`.

Writes ``facts.json`` beside this file, and goes on where it was stopped; remove the file to find
everything anew. Outcomes come from the action cache, which simulates what it does not know; with
an empty one that takes an hour of a core.
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


def best_plans(facts: dict[str, Any]) -> dict[str, list[int | None]]:
    """The best plan of every game: a tick per gray block at 60 Hz, None for never."""
    found = {name: known["ticks"] for name, known in facts["games"].items() if "ticks" in known}
    return {**read_json(BEST_PLANS)["ticks"], **found}


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
    """Find out what is not known yet, and write it down as it comes."""
    about = {"engine": engine_hash(), "actions": ACTIONS, "plans": PLANS}
    facts: dict[str, Any] = {"about": about, "templates": {}, "games": {}}
    if FILE.exists() and read_json(FILE)["about"] == about:
        facts = read_json(FILE)
    best = read_json(BEST_PLANS)["ticks"]
    laboratory = Laboratory(paths.cache_folder())
    for game in track(ALL, "games"):
        if game.name not in facts["games"]:
            facts["games"][game.name] = game_facts(game, best)
            write_json(FILE, facts)
    for tier in Tier:
        cache = laboratory.action_cache(tier)
        for template_id in track(tier.template_ids, tier.value):
            if template_id not in facts["templates"]:
                facts["templates"][template_id] = template_facts(template_id, cache)
                write_json(FILE, facts)


if __name__ == "__main__":
    main()
