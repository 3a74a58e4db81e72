"""Facts on the pages of puzzles that take too long to compute in every build.

``python website/facts.py`` writes them to ``facts.json`` beside this file, and resumes where it was
interrupted; remove the file to compute everything again, which takes five minutes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from topple.iphyre import ALL, Game
from topple.iphyre.analysis.oracle import read_plans, search_oracle
from topple.iphyre.analysis.solvability import solvability
from topple.iphyre.analysis.store import read_json, write_json
from topple.iphyre.sampling import play_draws
from topple.phyre import Simulator, template_tasks
from topple.phyre.engine_hash import engine_hash
from topple.phyre.templates import MODULES

HERE = Path(__file__).resolve().parent
FILE = HERE / "facts.json"
BEST_PLANS = HERE.parent / "results" / "iphyre" / "oracle.json"  # of the forty games

SEARCH = 20_000  # actions of the fixed list among which a solution is searched
PLANS = 2000  # sampled as in the original, at 60 Hz
ORACLE = 60_000  # plans tried for the best one of a game


def best_plans(facts: dict[str, Any]) -> dict[str, list[int | None]]:
    """The best plan of every game: a tick per gray block at 60 Hz, None for never."""
    found = {name: known["ticks"] for name, known in facts["games"].items() if "ticks" in known}
    known = {name: list(ticks) for name, ticks in read_plans(BEST_PLANS).items()}
    return {**known, **found}


def solved_task(template_id: str) -> dict[str, Any]:
    """The first task of a template that a listed action solves, and that action."""
    for task in template_tasks(template_id):
        for action in Simulator(task).solutions(task, budget=SEARCH):
            return {"task": str(task.id), "action": action.tolist()}
    raise LookupError(f"no task of {template_id} is solved by {SEARCH:,} actions; try more")


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
    """Compute the facts that are missing, and write each as soon as it is known."""
    about = {"engine": engine_hash(), "plans": PLANS}
    facts: dict[str, Any] = {"about": about, "games": {}, "solutions": {}}
    if FILE.exists() and read_json(FILE)["about"] == about:
        facts = read_json(FILE)
    best = read_json(BEST_PLANS)["ticks"]
    for game in track(ALL, "games"):
        if game.name not in facts["games"]:
            facts["games"][game.name] = game_facts(game, best)
            write_json(FILE, facts)
    for template_id in track(list(MODULES), "templates"):
        if template_id not in facts["solutions"]:
            facts["solutions"][template_id] = solved_task(template_id)
            write_json(FILE, facts)


if __name__ == "__main__":
    main()
