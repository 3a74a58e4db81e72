"""`topple reproduce`: reproduced numbers beside the published ones."""

from __future__ import annotations

from typing import Annotated

import typer

from topple.cli import iphyre_table_a1, phyre_reproduce
from topple.cli.groups import HelpfulGroup
from topple.cli.iphyre_reproduce import (
    EVERYBODY,
    RANDOM,
    RESULTS,
    iphyre_figures,
    print_table_a4,
    wanted_columns,
)
from topple.cli.messages import Cell, show, show_json, user_errors
from topple.cli.options import Json, Runs, agent_names
from topple.iphyre.analysis.random_agent import paper_games, play_random
from topple.iphyre.published import (
    IPHYRE_CITATION,
    IPHYRE_TABLE_A2,
    iphyre_table_a4,
    iphyre_table_a4_means,
)
from topple.iphyre.score import Score, average, averages
from topple.iphyre.split import PUBLISHED_SPLITS, Split, split_of

app = typer.Typer(cls=HelpfulGroup, add_completion=False)
app.add_typer(phyre_reproduce.app)
app.add_typer(iphyre_table_a1.app)
app.command("iphyre-figures")(iphyre_figures)

_PRINTED = 0.05  # rewards are printed to a tenth
_PRINTED_MEAN = 0.005  # averages to a hundredth


@app.callback()
def _group() -> None:
    """Reproduce published tables and figures and compare them with the published numbers.

    An interrupted command resumes where it stopped.

    Examples:
      topple reproduce tableA4

      topple reproduce table2 --agents rand
    """


def random_scores() -> dict[str, Score]:
    """Scores of the random agent in all fifty games, as the paper ran it."""
    return {name: state.score for name, state in play_random(paper_games()).items()}


@app.command("tableA4")
def table_a4(
    agents: Annotated[
        str, agent_names("agents, such as ppo-i,dqn-o, or `all` that have records")
    ] = EVERYBODY,
    runs: Runs = RESULTS,
    as_json: Json = False,
) -> None:
    """Reproduce Tables A2 and A4 of I-PHYRE from run records written by `topple sweep`.

    The random agent is run again and compared digit by digit.

    Examples:
      topple reproduce tableA4

      topple reproduce tableA4 --agents random
    """
    with user_errors():
        if agents.strip().lower() != RANDOM:
            print_table_a4(wanted_columns(agents, runs or RESULTS), as_json)
            return
        scores = random_scores()
        published = {game: row["Random"] for game, row in iphyre_table_a4().items()}
        rows = _game_rows(scores, published)
        means = _mean_rows(scores, published)
    equal = sum(bool(row[4]) for row in rows)
    columns = ("game", "split", "ours", "published", "equal")
    if as_json:
        keys = ("average", "ours", "published", "equal")
        show_json(
            {
                "agent": "random",
                "games": [dict(zip(columns, row, strict=True)) for row in rows],
                "averages": [dict(zip(keys, row, strict=True)) for row in means],
                "equal": equal,
                "of": len(rows),
                "source": IPHYRE_CITATION,
            }
        )
        return
    show(f"Table A4, Random ({IPHYRE_CITATION})", columns, rows)
    show("Averages", ("average", "ours", "published", "equal"), means)
    typer.echo(f"{equal} of {len(rows)} games equal to the printed tenth")


def _game_rows(scores: dict[str, Score], published: dict[str, float]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for game, value in published.items():
        ours, split = round(scores[game].reward, 6), split_of(game)
        name = split.value if split else None
        rows.append([game, name, ours, value, abs(ours - value) < _PRINTED])
    return rows


def _mean_rows(scores: dict[str, Score], published: dict[str, float]) -> list[list[Cell]]:
    """Splits with a printed average, and the forty games together."""
    ours = averages(scores)
    rows: list[list[Cell]] = []
    for split, value in IPHYRE_TABLE_A2["Random"].items():
        mean = ours[split].reward
        rows.append([f"{split.value} (Table A2)", mean, value, _close(mean, value)])
    forty = average({name: scores[name] for name in published}).reward
    printed = iphyre_table_a4_means()["Random"]
    rows.append(["forty games (Table A4)", forty, printed, _close(forty, printed)])
    for split in PUBLISHED_SPLITS:
        if split is not Split.BASIC:
            rows.append([f"{split.value} (not printed)", ours[split].reward, None, None])
    return rows


def _close(ours: float, printed: float) -> bool:
    return abs(ours - printed) <= _PRINTED_MEAN + 1e-9
