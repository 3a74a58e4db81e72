"""`topple analyse`: difficulty, diversity and solvability of PHYRE tasks, grids, and people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from topple import paths
from topple.cli.errors import resumable, user_errors
from topple.cli.groups import HelpfulGroup
from topple.cli.options import (
    Actions,
    Backend,
    Cache,
    Compute,
    Json,
    Templates,
    TemplatesArgument,
    option_groups,
    out_file,
    out_folder,
)
from topple.cli.output import save_figure, show_results
from topple.cli.people import people
from topple.cli.progress import Bar, progress_bar
from topple.cli.runner import open_runner
from topple.cli.select_tasks import chosen_tasks
from topple.files import whole_file
from topple.phyre.analysis.difficulty import random_curve, template_difficulty
from topple.phyre.analysis.diversity import template_diversity
from topple.phyre.analysis.grid_ceilings import grid_counts, template_ceilings
from topple.phyre.analysis.solvability import (
    MIN_VALID,
    THRESHOLDS,
    Evidence,
    Verdict,
    assess,
    decide,
)
from topple.phyre.analysis.tables import (
    ceiling_table,
    difficulty_table,
    diversity_table,
    random_curve_table,
    reach_table,
    solvability_table,
    verdict_table,
)
from topple.phyre.benchmark import PHYRE
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.backend import check_backend
from topple.phyre.figures import (
    difficulty_bars,
    diversity_histograms,
    random_curves,
    solvability_figure,
)
from topple.phyre.grid import Grid
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.phyre.tier import Tier
from topple.player.path import compute_path
from topple.reports.table import Table

app = typer.Typer(cls=HelpfulGroup, add_completion=False)

Out = Annotated[Path, out_folder("the figures and their data")]
_FIGURES = Path("figures")
_PATH_FILE = Path("path.json")


@app.callback()
def _group() -> None:
    """Analyse PHYRE tasks, published ones or your own, and the people who solve puzzles.

    An interrupted analysis resumes where it stopped.

    Examples:
      topple analyse difficulty ball --actions 1000

      topple analyse solvability my_template.py

      topple analyse people k3w9abcdefgh
    """


app.command()(people)


@app.command()
@option_groups
def difficulty(
    *,
    templates: TemplatesArgument = None,
    actions: Actions = 1000,
    out: Out = _FIGURES,
    compute: Compute,
    as_json: Json = False,
) -> None:
    """Draw the share of tasks that random actions solve, as in Figure 2.

    Examples:
      topple analyse difficulty ball two_balls --actions 1000
    """
    with user_errors(), resumable():
        curves, bars = {}, {}
        for tier, tasks, outcomes in _listed_outcomes(templates, actions, compute):
            curves[tier.value] = random_curve(outcomes, np.random.default_rng(0))
            bars[tier.value] = template_difficulty(tasks, outcomes)
        files = save_figure(out, "figure2a", random_curve_table(curves), random_curves(curves))
        table = difficulty_table(bars)
        files += save_figure(out, "figure2b", table, difficulty_bars(bars))
        show_results([table], files, as_json)


@app.command()
@option_groups
def diversity(
    *,
    templates: TemplatesArgument = None,
    actions: Actions = 1000,
    out: Out = _FIGURES,
    compute: Compute,
    as_json: Json = False,
) -> None:
    """Draw the share of a template's tasks that single actions solve, as in Figures 10 and 11.

    Examples:
      topple analyse diversity 00000 my_template.py --actions 10000
    """
    files: list[Path] = []
    tables: list[Table] = []
    with user_errors(), resumable():
        for tier, tasks, outcomes in _listed_outcomes(templates, actions, compute):
            found = template_diversity(tasks, outcomes)
            name = f"diversity_{tier.value}"
            files += save_figure(out, name, diversity_table(found), diversity_histograms(found))
            tables.append(reach_table(found))
        show_results(tables, files, as_json)


def _listed_outcomes(
    templates: list[str] | None, actions: int, compute: Compute
) -> Iterator[tuple[Tier, list[Task], Outcomes]]:
    """The chosen tasks of each tier with the outcomes of the first listed actions on them."""
    groups = chosen_tasks(templates)
    with open_runner(compute) as (runner, bar):
        for tier, tasks in groups.items():
            bar.start(tier.value)
            yield tier, tasks, PHYRE.action_cache(tier, runner).outcomes(tasks, actions)


@app.command()
def solvability(
    templates: TemplatesArgument = None,
    p0: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Share of stable solutions from which a task counts as solvable. The default "
            "depends on the tier.",
        ),
    ] = None,
    max_actions: Annotated[
        int, typer.Option(min=1, help="Maximum number of actions to try on a task.")
    ] = 1_000_000,
    min_valid: Annotated[
        int, typer.Option(min=1, help="Number of valid actions to try before a task is decided.")
    ] = MIN_VALID,
    out: Out = _FIGURES,
    backend: Backend = "cpu",
    as_json: Json = False,
) -> None:
    """Decide by sampling which tasks have stable solutions, as in Supplement B.

    Examples:
      topple analyse solvability my_template.py --max-actions 200000
    """
    files: list[Path] = []
    tables: list[Table] = []
    with user_errors(), resumable():
        for tier, tasks in chosen_tasks(templates).items():
            threshold = THRESHOLDS[tier] if p0 is None else p0
            kept = out / f"solvability_{tier.value}_{fingerprint(t.scene for t in tasks)[:8]}.json"
            with progress_bar(f"{tier.value}: tasks decided", stays=False) as bar:
                found = assess(
                    tasks,
                    p0=threshold,
                    known=_known(kept) if kept.exists() else None,
                    max_actions=max_actions,
                    min_valid=min_valid,
                    on_block=_keep(kept, threshold, min_valid, bar),
                    backend=check_backend(backend),
                )
            files += save_figure(
                out,
                f"solvability_{tier.value}",
                solvability_table(tasks, found, threshold, min_valid),
                solvability_figure(_shares(tasks, found), threshold),
            )
            tables.append(verdict_table(tasks, found, threshold, min_valid))
        show_results(tables, files, as_json)


@app.command()
def path(
    out: Annotated[Path, out_file("the path", ".json")] = _PATH_FILE,
    as_json: Json = False,
) -> None:
    """Order the puzzles of both benchmarks from easy to hard, for the player.

    The difficulty of tasks comes from the solution index of the package; that
    of games is measured with random plans, which takes about a minute.

    Examples:
      topple analyse path --out src/topple/player/static/path.json
    """
    with user_errors():
        stops = compute_path()
        with whole_file(out) as temporary:
            temporary.write_text(json.dumps(stops, indent=1) + "\n")
        show_results([], [out], as_json)


def _keep(
    file: Path, threshold: float, min_valid: int, bar: Bar
) -> Callable[[list[Evidence]], None]:
    """Store the evidence after each block of actions, and count the tasks that are decided."""

    def keep(found: list[Evidence]) -> None:
        with whole_file(file) as temporary:
            temporary.write_text(json.dumps([entry.to_data() for entry in found]))
        open_tasks = sum(decide(entry, threshold, min_valid) is Verdict.OPEN for entry in found)
        bar.report(len(found) - open_tasks, len(found))

    return keep


def _known(file: Path) -> list[Evidence]:
    return [Evidence(**entry) for entry in json.loads(file.read_text())]


def _shares(tasks: list[Task], found: list[Evidence]) -> dict[str, list[float]]:
    shares: dict[str, list[float]] = {}
    for task, evidence in zip(tasks, found, strict=True):
        share = evidence.stable / max(evidence.valid, 1)
        shares.setdefault(task.id.template, []).append(share)
    return shares


@app.command()
def grid(
    grids: Annotated[
        list[str],
        typer.Argument(
            metavar="GRID...",
            help="Grids of actions, such as 5x5x5 or deepphy-8x8x8.",
        ),
    ],
    templates: Templates = None,
    cache: Cache = None,
    backend: Backend = "cpu",
    as_json: Json = False,
) -> None:
    """Print the ceiling of a grid of actions for each template.

    Every cell of the grid is simulated on every task. A task is solvable if some
    cell solves it; no agent that chooses cells can score more than OPTIMAL. The
    counts of some grids come with the package, others are stored in the cache.

    Examples:
      topple analyse grid 5x5x5

      topple analyse grid 16x16x16 --backend cuda

      topple analyse grid deepphy-5x5x5 deepphy-8x8x8 --templates 00001,00002 --json
    """
    tables = []
    with user_errors(), resumable():
        names = templates.split(",") if templates else [Tier.BALL.value]
        for text in grids:
            chosen = Grid.parse(text)
            for tier, tasks in chosen_tasks(names).items():
                chosen.actions(tier)  # names a grid that is too fine before anything is done
                with progress_bar(f"{chosen}: attempts simulated", stays=False) as bar:
                    folder = (cache or paths.cache_folder()) / "grids"
                    counts = grid_counts(chosen, tasks, folder, check_backend(backend), bar.report)
                tables.append(ceiling_table(str(chosen), template_ceilings(tasks, counts)))
        show_results(tables, [], as_json)
