"""`topple reproduce` for I-PHYRE: tables and figures from run records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from topple import paths
from topple.cli.iphyre_analysis import oracle_plan
from topple.cli.messages import show_json, user_errors
from topple.cli.options import Json, Oracle, Runs, out_folder
from topple.cli.phyre_lab import tell
from topple.iphyre.figures import Curve, failure_shares, split_bars, training_curves
from topple.iphyre.games import ALL, PUBLISHED
from topple.iphyre.published import IPHYRE_CITATION, iphyre_table_a4
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import PUBLISHED_SPLITS, Split
from topple.iphyre.strategy import Strategy
from topple.iphyre.tables import (
    Column,
    columns_of,
    failure_table,
    game_table,
    published_success,
    summary_table,
    table_a2,
    total_failures,
    training_table,
)
from topple.runs.config import RunConfig
from topple.runs.record import find_records
from topple.runs.runner import Runner

RANDOM = "random"
EVERYBODY = "all"

RESULTS = Path("results/iphyre")

_STRATEGIES = {strategy.value: strategy.value.replace("_", " ") for strategy in Strategy}


def wanted_columns(agents: str, records: Path) -> list[Column]:
    """Columns of some agents, by commas, or of all that have records, and the random one.

    Raises:
        ValueError: An agent has no records.
    """
    games = GameSelection(tuple(game.name for game in ALL))
    random = Runner(paths.cache_folder()).run(RunConfig(RANDOM, games, label="Random"))
    everybody = columns_of([random, *find_records(records, benchmark="iphyre")])
    if agents == EVERYBODY:
        return everybody
    names = [name.strip().lower() for name in agents.split(",")]
    known = sorted({each.records[0].config.agent for each in everybody})
    for name in names:
        if name not in known:
            raise ValueError(
                f"no agent {name!r} has records in {records}; use {', '.join(known)}, or all"
            )
    return [each for each in everybody if each.records[0].config.agent in names]


def print_table_a4(columns: Sequence[Column], as_json: bool) -> None:
    """Averages, then every game by strategy, then similar games."""
    if as_json:
        show_json({"agents": [_data(each) for each in columns], "source": IPHYRE_CITATION})
        return
    tables = [summary_table([each for each in columns if not each.searches])]
    apart = [each for each in columns if each.searches]
    if apart:
        tables.append(summary_table(apart, "Apart: these simulate a game before they play it"))
    for strategy, name in _STRATEGIES.items():
        here = [e for e in columns if e.is_learner and not e.stochastic and e.strategy == strategy]
        for variant in sorted({each.variant for each in here}):
            group = [each for each in here if each.variant == variant]
            settings = variant or "settings as published"
            tables.append(game_table(f"Table A4, {name}, {settings}: ours / published", group))
    others = [each for each in columns if each.player in (None, "Random")]
    if others:
        tables.append(game_table("Other agents", others))
    tables.append(table_a2([each for each in columns if not each.stochastic]))
    tell([*tables, training_table(columns)], [], as_json=False)


def _data(column: Column) -> dict[str, Any]:
    config = column.records[0].config
    data: dict[str, Any] = {
        "label": column.label,
        "agent": config.agent,
        "settings": dict(config.settings),
        "seeds": [record.config.seed for record in column.records],
        "rewards": [mean.reward for mean in column.means()],
        "solved": [mean.success_rate for mean in column.means()],
        "splits": {
            split.value: [mean._asdict() for mean in column.means(split)]
            for split in PUBLISHED_SPLITS
        },
        "games": {game: column.reward(game) for game in iphyre_table_a4()},
    }
    if column.player is not None:
        published = {game: row[column.player] for game, row in iphyre_table_a4().items()}
        data["published"] = {"games": published, "solved": published_success(column.player)}
    return data


def iphyre_figures(
    out: Annotated[Path, out_folder("the figures")],
    runs: Runs = RESULTS,
    oracle: Oracle = RESULTS / "oracle",
    as_json: Json = False,
) -> None:
    """Reproduce Figures 2, 3, A6 and A7 of I-PHYRE from run records.

    Examples:
      topple reproduce iphyre-figures --out docs/images/iphyre
    """
    with user_errors():
        columns = wanted_columns(EVERYBODY, runs or RESULTS)
        plain = [each for each in columns if not each.stochastic]
        trained = [each for each in plain if each.records[0].training]
        fly = Strategy.ON_THE_FLY.value
        made: list[Path] = []
        for number, members in (
            # On the fly, best actions are not what the paper's numbers come from.
            ("2", [e for e in columns if e.player and (not e.stochastic or e.strategy == fly)]),
            ("A6", [each for each in plain if not each.player]),
        ):
            if members:
                path = out / f"figure{number}.svg"
                split_bars(_rewards(members), f"Figure {number}: rewards by split", path)
                made.append(path)
        groups = {
            name: [_curve(e) for e in trained if e.is_learner and e.strategy == strategy]
            for strategy, name in _STRATEGIES.items()
        }
        groups = {name: curves for name, curves in groups.items() if curves}
        if groups:
            made.append(out / "figure3.svg")
            training_curves(groups, "Figure 3: training on the basic split", made[-1])
        plans = {game.name: oracle_plan(oracle, game) for game in PUBLISHED}
        actors = [each for each in plain if each.player not in (None, "Random") and each.means()]
        if actors:
            made.append(out / "figureA7.svg")
            counts = [
                (each.label, total_failures(each.failures(plans, only_its_blocks=True)))
                for each in actors
            ]
            failure_shares(counts, "Figure A7: where failures come from", made[-1])
    tell([failure_table(actors, plans)], made, as_json)


def _rewards(columns: Sequence[Column]) -> dict[str, dict[Split, list[float]]]:
    return {
        each.label: {
            split: [mean.reward for mean in means]
            for split in PUBLISHED_SPLITS
            if (means := each.means(split))
        }
        for each in columns
    }


def _curve(column: Column) -> Curve:
    curves = [record.training["curve"] for record in column.records if record.training]
    count = min(len(curve["steps"]) for curve in curves)
    return Curve(column.label, curves[0]["steps"][:count], [c["reward"][:count] for c in curves])
