"""`topple analyse`: PHYRE tasks and grids of actions, the failures of agents, and people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from topple import paths
from topple.cli.errors import resumable
from topple.cli.groups import App
from topple.cli.options import (
    Actions,
    Backend,
    Cache,
    Compute,
    Database,
    RunsArgument,
    Seed,
    SetupName,
    Templates,
    TemplatesArgument,
    out_file,
    out_folder,
)
from topple.cli.output import Output, results, save_figure
from topple.cli.progress import Bar, progress_bar
from topple.cli.runner import open_runner
from topple.cli.select_tasks import chosen_tasks
from topple.cli.study import open_store
from topple.files import write_whole
from topple.iphyre.analysis.people import game_candidates, played_games
from topple.media.files import save_png
from topple.phyre import Setup, Task, Tier, load_task
from topple.phyre.analysis.difficulty import (
    difficulty_table,
    random_curve,
    random_curve_table,
    template_difficulty,
)
from topple.phyre.analysis.diversity import diversity_table, reach_table, template_diversity
from topple.phyre.analysis.failures import failure_table, hardest, template_failures
from topple.phyre.analysis.grid_ceilings import ceiling_table, grid_counts, template_ceilings
from topple.phyre.analysis.people import task_candidates, tried_tasks
from topple.phyre.analysis.solvability import (
    MIN_VALID,
    THRESHOLDS,
    Evidence,
    Verdict,
    assess,
    decide,
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
from topple.phyre.pictures import puzzle_sheet
from topple.phyre.scene.codec import fingerprint
from topple.phyre.selection import Part
from topple.player.path import compute_path
from topple.reports.noise import (
    CANDIDATES,
    LEVELS,
    PERCEPTS,
    Candidates,
    Likelihoods,
    NoiseFit,
    puzzle_likelihoods,
)
from topple.reports.table import Table
from topple.runs.agent import Kind
from topple.runs.record import RunRecord, find_records

app = App(
    """Analyse PHYRE tasks, published ones or your own, and the agents and people who solve them.

    An interrupted analysis resumes where it stopped.

    Examples:
      topple analyse difficulty ball --actions 1000
      topple analyse solvability my_template.py
      topple analyse failures results/phyre --named DQN --setup ball_cross
      topple analyse people k3w9abcdefgh
    """
)

Out = Annotated[Path, out_folder("the figures and their data")]
_FIGURES = Path("figures")
_PATH_FILE = Path("path.json")


@app.command()
@resumable()
def difficulty(
    *,
    templates: TemplatesArgument = None,
    actions: Actions = 1000,
    out: Out = _FIGURES,
    compute: Compute,
) -> Output:
    """Draw the share of tasks that random actions solve, as in Figure 2.

    Examples:
      topple analyse difficulty ball two_balls --actions 1000
    """
    curves, bars = {}, {}
    for tier, tasks, outcomes in _listed_outcomes(templates, actions, compute):
        curves[tier.value] = random_curve(outcomes, np.random.default_rng(0))
        bars[tier.value] = template_difficulty(tasks, outcomes)
    files = save_figure(out, "figure2a", random_curve_table(curves), random_curves(curves))
    table = difficulty_table(bars)
    files += save_figure(out, "figure2b", table, difficulty_bars(bars))
    return results([table], files)


@app.command()
@resumable()
def diversity(
    *,
    templates: TemplatesArgument = None,
    actions: Actions = 1000,
    out: Out = _FIGURES,
    compute: Compute,
) -> Output:
    """Draw the share of a template's tasks that single actions solve, as in Figures 10 and 11.

    Examples:
      topple analyse diversity 00000 my_template.py --actions 10000
    """
    files: list[Path] = []
    tables: list[Table] = []
    for tier, tasks, outcomes in _listed_outcomes(templates, actions, compute):
        found = template_diversity(tasks, outcomes)
        name = f"diversity_{tier.value}"
        files += save_figure(out, name, diversity_table(found), diversity_histograms(found))
        tables.append(reach_table(found))
    return results(tables, files)


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
@resumable()
def solvability(
    templates: TemplatesArgument = None,
    p0: Annotated[float | None, typer.Option(min=0, max=1)] = None,
    max_actions: Annotated[int, typer.Option(min=1)] = 1_000_000,
    min_valid: Annotated[int, typer.Option(min=1)] = MIN_VALID,
    out: Out = _FIGURES,
    backend: Backend = "cpu",
) -> Output:
    """Decide by sampling which tasks have stable solutions, as in Supplement B.

    Options:
        p0: Share of stable solutions from which a task counts as solvable. The default depends on
            the tier.
        max_actions: Maximum number of actions to try on a task.
        min_valid: Number of valid actions to try before a task is decided.

    Examples:
      topple analyse solvability my_template.py --max-actions 200000
    """
    files: list[Path] = []
    tables: list[Table] = []
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
    return results(tables, files)


@app.command()
def path(
    out: Annotated[Path, out_file("the path", ".json")] = _PATH_FILE,
) -> Output:
    """Order the puzzles of both benchmarks from easy to hard, for the player.

    The difficulty of tasks comes from the solution index of the package; that
    of games is measured with random plans, which takes about a minute.

    Examples:
      topple analyse path --out src/topple/player/static/path.json
    """
    stops = compute_path()
    write_whole(out, json.dumps(stops, indent=1) + "\n")
    return results([], [out])


def _keep(
    file: Path, threshold: float, min_valid: int, bar: Bar
) -> Callable[[list[Evidence]], None]:
    """Store the evidence after each block of actions, and count the tasks that are decided."""

    def keep(found: list[Evidence]) -> None:
        write_whole(file, json.dumps([asdict(entry) for entry in found]))
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
@resumable()
def grid(
    grids: Annotated[list[str], typer.Argument(metavar="GRID...")],
    templates: Templates = None,
    cache: Cache = None,
    backend: Backend = "cpu",
) -> Output:
    """Print the ceiling of a grid of actions for each template.

    Every cell of the grid is simulated on every task. A task is solvable if some
    cell solves it; no agent that chooses cells can score more than OPTIMAL. The
    counts of some grids come with the package, others are stored in the cache.

    Options:
        grids: Grids of actions, such as 5x5x5 or deepphy-8x8x8.

    Examples:
      topple analyse grid 5x5x5
      topple analyse grid 16x16x16 --backend cuda
      topple analyse grid deepphy-5x5x5 deepphy-8x8x8 --templates 00001,00002 --json
    """
    tables = []
    names = templates.split(",") if templates else [Tier.BALL.value]
    for text in grids:
        chosen = Grid.parse(text)
        for tier, tasks in chosen_tasks(names).items():
            chosen.actions(tier)  # names a grid that is too fine before anything is done
            with progress_bar(f"{chosen}: attempts simulated", stays=False) as bar:
                folder = (cache or paths.cache_folder()) / "grids"
                counts = grid_counts(chosen, tasks, folder, check_backend(backend), bar.report)
            tables.append(ceiling_table(str(chosen), template_ceilings(tasks, counts)))
    return results(tables)


@app.command()
def failures(
    runs: RunsArgument,
    named: list[str] | None = None,
    setup: SetupName = None,
    most: Annotated[int, typer.Option(min=1, max=400)] = 20,
    out: Out = _FIGURES,
) -> Output:
    """Show the PHYRE templates that agents do worst on, and puzzles that they never solve.

    All test records that match are taken together: a puzzle counts as never
    solved if it is solved in none of them.

    Options:
        named: Name of an agent in reports. Can be repeated. The default is all agents.
        most: Number of puzzles to draw.

    Examples:
      topple analyse failures results/phyre --named DQN --named DQN-O --setup ball_cross
      topple analyse failures runs --named "DQN (failures felt)" --most 10 --json
    """
    wanted = None if setup is None else Setup.parse(setup)
    names = {name.casefold() for name in named or []}
    records = [
        record
        for record in find_records(*runs, benchmark="phyre")
        if record.config.selection.part is Part.TEST
        and wanted in (None, record.config.selection.setup)
        and (not names or record.config.title.casefold() in names)
    ]
    if not records:
        raise ValueError(
            "no record of PHYRE on test tasks matches --named and --setup; `topple report` shows "
            "the names of agents"
        )
    found = template_failures(records)
    shown = sorted({record.config.title for record in records})
    files = []
    if tasks := hardest(found, most):
        files.append(out / "never_solved.png")
        save_png(puzzle_sheet([load_task(task).scene for task in tasks]), files[0])
    return results([failure_table(f"Failures of {', '.join(shown)}", found)], files)


_PUZZLES: dict[str, tuple[Callable[..., list[Any]], Callable[..., Iterator[Candidates]]]] = {
    "phyre": (tried_tasks, task_candidates),
    "iphyre": (played_games, game_candidates),
}


@app.command()
@resumable()
def people(
    study: str,
    database: Database = None,
    percepts: Annotated[int, typer.Option(min=8, max=256)] = PERCEPTS,
    candidates: Annotated[int, typer.Option(min=10, max=10_000)] = CANDIDATES,
    out: Out = _FIGURES,
    seed: Seed = 0,
) -> Output:
    """Find the noise that explains each participant of a study best.

    The imagining agent perceives each puzzle of the study at several levels of
    noise. The level under which the first actions of a participant, and what
    became of the puzzles, are most likely is the noise of that participant. A
    level of 4 means that places are off by 4 pixels; angles and sizes are off
    by 4 degrees and 4 per cent in PHYRE, and by half of that in I-PHYRE.

    Options:
        study: Id of a study listed by `topple study list`, or a folder of run records of its
            participants.
        percepts: Number of percepts at each level of noise.
        candidates: Number of actions that people could have chosen.

    Examples:
      topple analyse people k3w9abcdefgh
      topple analyse people runs/pilot --percepts 64 --json
    """
    tables, files = [], []
    records = _participants(study, database)
    for benchmark, (tried, make) in _PUZZLES.items():
        group = [each for each in records if each.config.benchmark == benchmark]
        if not group:
            continue
        settings = [seed, percepts, candidates, list(LEVELS), _digest(group)]
        file = out / f"people_{benchmark}.json"
        with progress_bar("puzzles fitted", len(tried(group)), stays=False) as bar:
            puzzles = make(group, percepts, candidates, seed)
            found = list(_fitted(file, settings, puzzles, bar))
        fit = NoiseFit.of(LEVELS, found)
        tables.append(fit.table())
        files += save_figure(out, f"people_{benchmark}", fit.table(), fit.figure())
    return results(tables, files)


def _participants(study: str, database: str | None) -> list[RunRecord[Any, Any]]:
    """The records of people, from a folder or from the player's database.

    Raises:
        ValueError: Nobody has made an attempt.
    """
    if Path(study).exists():
        records = [each for each in find_records(Path(study)) if each.kind is Kind.PEOPLE]
    else:
        with open_store(database) as store:
            from topple.player.study_records import study_records

            records = list(study_records(store, study))
    if not records:
        raise ValueError(f"{study!r} has no attempts of people; let them play first")
    return records


def _digest(records: Sequence[RunRecord[Any, Any]]) -> list[Any]:
    """What tells one state of a study from another: who has made how many attempts."""
    return [[each.config.variant, each.protocol["attempts"]] for each in records]


def _fitted(
    file: Path, settings: list[Any], puzzles: Iterable[Candidates], bar: Bar
) -> Iterator[Likelihoods]:
    """The likelihoods of each puzzle; those of an interrupted analysis are read from its file."""
    known: dict[str, Likelihoods] = {}
    if file.exists():
        data = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(data, dict) and data.get("settings") == settings:
            known = data["puzzles"]
    for puzzle in puzzles:
        if puzzle.name not in known:
            known[puzzle.name] = puzzle_likelihoods(puzzle, LEVELS)
            data = {"settings": settings, "puzzles": known}
            write_whole(file, json.dumps(data, indent=1) + "\n")
        bar.advance()
        yield known[puzzle.name]
