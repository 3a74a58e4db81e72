"""Analyses of `topple iphyre`. Each stores the results of games as they come, so it can resume."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from topple.cli.errors import resumable
from topple.cli.options import Figure, Games, Hertz, Oracle, Seed, out_file
from topple.cli.output import Cell, Output, listing
from topple.cli.progress import progress_bar
from topple.iphyre import PUBLISHED, PUBLISHED_SPLITS, Game, Plan, plan_from_ticks
from topple.iphyre.agents.rand import paper_games, play_random
from topple.iphyre.analysis.failures import Attempted, count_failures, failures_by_split
from topple.iphyre.analysis.oracle import read_plans, search_oracle
from topple.iphyre.analysis.solvability import solvability as solve_at_10_hz
from topple.iphyre.analysis.store import Result, compute_each, read_json
from topple.iphyre.analysis.timing import jitter_success, timing_slack
from topple.iphyre.engine.batch import Engine
from topple.iphyre.figures import bars_by_game, failure_shares
from topple.iphyre.published import IPHYRE_ORACLE
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.iphyre.sampling import sample
from topple.iphyre.split import chosen_games

JITTERS_MS = (50, 100, 200, 500)  # largest errors of removal times

Out = Annotated[Path, out_file("the results; an interrupted analysis resumes from it")]
Count = Annotated[
    int,
    typer.Option(
        min=1, help="Number of successful episodes, and of failed episodes, for each game."
    ),
]


def rules_at(hz: int, engine: Engine = Engine.NATIVE) -> Rules:
    """Return the published rules with this number of ticks per second.

    Raises:
        ValueError: There are no published rules with this number.
    """
    for rules in (AT_60_HZ, AT_10_HZ):
        if rules.hz == hz:
            return replace(rules, engine=engine)
    raise ValueError(f"--hz is {hz}; the benchmark runs at 10 or 60 ticks per second")


def _results(
    label: str, out: Path, games: list[Game], settings: Result, compute: Callable[[Game], Result]
) -> dict[str, Result]:
    """Return the results of all games, computing those that are not stored yet."""
    results = {}
    with resumable(), progress_bar(label, len(games)) as bar:
        for game, result in compute_each(out, games, settings, compute):
            results[game.name] = result
            bar.describe(f"{label}: {game.name}")
            bar.advance()
    return results


def difficulty(
    out: Out,
    games: Games = None,
    count: Count = 50,
    seed: Seed = 0,
    figure: Figure = None,
) -> Output:
    """Count the random plans needed to find successful and failed ones, as in Figure A1.

    Examples:
      topple iphyre difficulty --out runs/difficulty.json --figure figureA1.png
    """
    results = _results(
        "difficulty",
        out,
        chosen_games(games),
        {"count": count, "seed": seed},
        lambda game: {"draws": sample(game, count, count, seed)[1]},
    )
    draws = {name: int(result["draws"]) for name, result in results.items()}
    if figure is not None:
        title = f"Random plans drawn until {count} succeeded and {count} failed"
        bars_by_game(draws, "plans", title, figure, log=True)
    return listing("Sampling difficulty", ("game", "draws"), list(draws.items()))


def oracle(
    out: Out,
    games: Games = None,
    attempts: Annotated[int, typer.Option(min=1)] = 12_000,
    seed: Seed = 0,
    start: Path | None = None,
) -> Output:
    """Search for the best plan of each game at 60 ticks per second.

    Options:
        attempts: Number of attempts of the search on each game.
        start: File of an earlier search whose plans this one starts from.

    Examples:
      topple iphyre oracle --out runs/oracle.json --games basic
    """

    def compute(game: Game) -> Result:
        starts = [known[game.name]] if game.name in known else []
        found = search_oracle(game, attempts, seed, starts=starts)
        if found is None:
            return {"reward": None, "ticks": None}
        return {"reward": found.score.reward, "ticks": list(found.ticks)}

    known = {} if start is None else read_plans(start)
    settings: Result = {"attempts": attempts, "seed": seed}
    if start is not None:
        settings["start"] = str(start)
    results = _results("oracle", out, chosen_games(games), settings, compute)
    rows: list[tuple[Cell, ...]] = []
    for name, result in results.items():
        times = ["-" if t is None else f"{t / 60:.3f}" for t in result["ticks"] or ()]
        rows.append((name, result["reward"], " ".join(times)))
    for split in PUBLISHED_SPLITS:
        rewards = [results.get(game.name, {}).get("reward") for game in split.games]
        found = [reward for reward in rewards if reward is not None]
        if len(found) == len(rewards):
            mean = sum(found) / len(found)
            rows.append((f"mean {split.value}", mean, f"paper {IPHYRE_ORACLE[split]}"))
    return listing("Best plans found", ("game", "reward", "seconds per gray block"), rows)


def oracle_plans(path: Path, games: Iterable[Game]) -> dict[str, Plan]:
    """Read the plans that a search found.

    Raises:
        ValueError: The file does not exist, or has no plan for one of the games.
    """
    found = read_plans(path)
    for game in games:
        if game.name not in found:
            raise ValueError(f"{path} has no plan that solves {game.name!r}; search for one first")
    return {game.name: plan_from_ticks(game, found[game.name]) for game in games}


def timing(
    out: Out,
    oracle_file: Oracle,
    games: Games = None,
    figure: Figure = None,
) -> Output:
    """Measure by how many milliseconds the removals of the best plans may be off.

    Examples:
      topple iphyre timing --out runs/timing.json --oracle runs/oracle.json
    """

    def compute(game: Game) -> Result:
        plan = plans[game.name]
        slacks = timing_slack(game, plan)
        return {
            "slack": [list(slack) for slack in slacks],
            "narrowest_ms": min(slack.width_ms for slack in slacks),
            **{f"jitter_{ms}_ms": jitter_success(game, plan, ms) for ms in JITTERS_MS},
        }

    chosen = chosen_games(games)
    plans = oracle_plans(oracle_file, chosen)
    settings = {"jitters_ms": list(JITTERS_MS)}
    results = _results("timing", out, chosen, settings, compute)
    if figure is not None:
        widths = {name: result["narrowest_ms"] for name, result in results.items()}
        bars_by_game(widths, "ms", "The narrowest window of a removal", figure, log=True)
    keys = ("narrowest_ms", *(f"jitter_{ms}_ms" for ms in JITTERS_MS))
    rows = [(name, *(result[key] for key in keys)) for name, result in results.items()]
    columns = ("game", "window_ms", *(f"off_{ms}_ms" for ms in JITTERS_MS))
    return listing("Narrowest window, and chance of success with times off", columns, rows)


def solvability(
    out: Out,
    games: Games = None,
    samples: Annotated[int, typer.Option(min=1)] = 4000,
    seed: Seed = 0,
    figure: Figure = None,
) -> Output:
    """Determine which games can be solved at 10 ticks per second.

    Options:
        samples: Number of sampled plans for games with more than two gray blocks.

    Examples:
      topple iphyre solvability --out runs/solvability.json --samples 1000
    """

    def compute(game: Game) -> Result:
        found = solve_at_10_hz(game, samples, seed)
        return {**found._asdict(), "share": found.share}

    settings = {"samples": samples, "seed": seed}
    results = _results("solvability", out, chosen_games(games), settings, compute)
    if figure is not None:
        shares = {name: result["share"] for name, result in results.items()}
        bars_by_game(shares, "share", "Plans that solve a game at 10 Hz", figure)
    keys = ("exhaustive", "plans", "solved", "best_reward")
    rows = [(name, *(result[key] for key in keys)) for name, result in results.items()]
    return listing("Solvability at 10 Hz", ("game", *keys), rows)


def failures(
    oracle_file: Oracle,
    played: Path | None = None,
    hz: Hertz = 10,
    figure: Figure = None,
) -> Output:
    """Count failures caused by the order and by the timing of removals, as in Appendix H.

    Options:
        played: JSON file that maps each game to its order of removals and whether it was solved:
            {order, solved}. The default is the random agent.

    Examples:
      topple iphyre failures --oracle runs/oracle.json
      topple iphyre failures --oracle runs/oracle.json --played mine.json --json
    """
    if played is None:
        # All fifty are played, since one generator serves them in turn.
        ends = play_random(paper_games(), rules=rules_at(hz))
        tried = {
            game.name: Attempted(
                tuple(e.body for e in ends[game.name].history), ends[game.name].solved
            )
            for game in PUBLISHED
        }
    else:
        tried = _read_played(played)
    orders = {name: plan.order for name, plan in oracle_plans(oracle_file, PUBLISHED).items()}
    counts = [
        *((split.value, c) for split, c in failures_by_split(tried, orders).items()),
        ("all", count_failures(tried, orders)),
    ]
    if figure is not None:
        failure_shares(counts, "Where failures come from", figure)
    rows = [(name, *c, c.timing_share, c.order_share) for name, c in counts]
    columns = ("split", "total", "SN", "RON", "SRON", "P(T|F)", "P(O|F)")
    return listing("Failures of order and of timing", columns, rows)


def _read_played(path: Path) -> dict[str, Attempted]:
    try:
        return {
            name: Attempted(tuple(each["order"]), bool(each["solved"]))
            for name, each in read_json(path).items()
        }
    except (AttributeError, KeyError, TypeError):
        raise ValueError(f'{path} must map games to {{"order": [...], "solved": ...}}') from None
