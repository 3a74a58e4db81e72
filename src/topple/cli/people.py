"""`topple analyse people`: which noise of perception explains the participants of a study."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli.errors import resumable, user_errors
from topple.cli.options import Database, Json, Seed, out_folder
from topple.cli.output import save_figure, show_results
from topple.cli.progress import Bar, progress_bar
from topple.cli.study import open_store
from topple.files import whole_file
from topple.iphyre.analysis.people import game_candidates, played_games
from topple.phyre.analysis.people import task_candidates, tried_tasks
from topple.reports.noise import LEVELS, Candidates, Likelihoods, NoiseFit, puzzle_likelihoods
from topple.runs.agent import Kind
from topple.runs.record import RunRecord, find_records

_PUZZLES: dict[str, tuple[Callable[..., list[Any]], Callable[..., Iterator[Candidates]]]] = {
    "phyre": (tried_tasks, task_candidates),
    "iphyre": (played_games, game_candidates),
}


def people(
    study: Annotated[
        str,
        typer.Argument(
            help="Id of a study listed by `topple study list`, or a folder of run records of its "
            "participants."
        ),
    ],
    database: Database = None,
    percepts: Annotated[
        int, typer.Option(min=8, max=256, help="Number of percepts at each level of noise.")
    ] = 16,
    candidates: Annotated[
        int,
        typer.Option(min=10, max=10_000, help="Number of actions that people could have chosen."),
    ] = 200,
    out: Annotated[Path, out_folder("the figures and their data")] = Path("figures"),
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Find the noise that explains each participant of a study best.

    The imagining agent perceives each puzzle of the study at several levels of
    noise. The level under which the first actions of a participant, and what
    became of the puzzles, are most likely is the noise of that participant. A
    level of 4 means that places are off by 4 pixels; angles and sizes are off
    by 4 degrees and 4 per cent in PHYRE, and by half of that in I-PHYRE.

    Examples:
      topple analyse people k3w9abcdefgh

      topple analyse people runs/pilot --percepts 32 --json
    """
    tables, files = [], []
    with user_errors(), resumable():
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
        show_results(tables, files, as_json)


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
            text = json.dumps({"settings": settings, "puzzles": known}, indent=1)
            with whole_file(file) as temporary:
                temporary.write_text(text + "\n", encoding="utf-8")
        bar.advance()
        yield known[puzzle.name]
