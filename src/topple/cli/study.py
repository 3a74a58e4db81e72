"""`topple study`: create studies for the player, invite participants and export attempts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topple.cli.errors import needs_extra, user_errors
from topple.cli.groups import HelpfulGroup
from topple.cli.options import BENCHMARK, Benchmark, Database, Json, Seed, out_file
from topple.cli.output import show, show_json
from topple.files import whole_file
from topple.paths import data_folder
from topple.runs.record import RunRecord, write_record

if TYPE_CHECKING:
    from topple.player.store import Store

_HELP = """Manage studies: fixed puzzles in a fixed order that participants solve in `topple play`.

Examples:

  topple study create "Pilot" --benchmark iphyre --pool basic --seed 7

  topple study create "One ball" --benchmark phyre --pool ball_within/0 --count 20

  topple study invite k3w9abcdefgh P01 P02 P03

  topple study export k3w9abcdefgh --out results.csv

  topple evaluate --from-player k3w9abcdefgh
"""

app = typer.Typer(cls=HelpfulGroup, help=_HELP, add_completion=False)

StudyId = Annotated[str, typer.Argument(help="Id of a study listed by `topple study list`.")]


@contextmanager
def open_store(database: str | None) -> Iterator[Store]:
    """Open the player's database, and report its errors to the user."""
    with user_errors():
        with needs_extra("the player", "player"):
            from pydantic import ValidationError

            from topple.player.store import Store, sqlite_url
        store = Store(database or sqlite_url(data_folder()))
        try:
            yield store
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise ValueError(f"{place} is {first['input']!r}: {first['msg']}") from None
        finally:
            store.close()


def write_participants(study: str, database: str | None, runs: Path) -> list[RunRecord[Any, Any]]:
    """Write a run record for each participant of a study into a folder.

    Raises:
        ValueError: Nobody has made an attempt yet.
    """
    with open_store(database) as store:
        from topple.player.study_records import study_records

        records = list(study_records(store, study))
        if not records:
            raise ValueError(f"nobody has made an attempt in study {study!r} yet")
        for record in records:
            write_record(runs, record)
    return records


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the study as participants see it.")],
    benchmark: Annotated[Benchmark, BENCHMARK],
    pool: Annotated[
        list[str] | None,
        typer.Option(
            help="Set to draw puzzles from: a PHYRE tier, a template or the test tasks of a fold "
            "such as ball_within/0, or an I-PHYRE split. Can be repeated."
        ),
    ] = None,
    subject: Annotated[
        list[str] | None,
        typer.Option(help="Task id or name of a game to include. Can be repeated."),
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Number of puzzles to draw. The default is all.")
    ] = None,
    shuffle: Annotated[
        bool, typer.Option(help="Whether to shuffle the puzzles by the seed.")
    ] = True,
    seed: Seed = 0,
    attempts: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of attempts allowed on each task (default 100) or game (default 5)."
        ),
    ] = None,
    consent: Annotated[
        Path | None,
        typer.Option(help="Text file that participants must agree to before they start."),
    ] = None,
    resume_by_name: Annotated[
        bool,
        typer.Option(
            help="Whether entering a used name is enough to continue as that participant. "
            "Otherwise only the personal link is."
        ),
    ] = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Create a study and print its id.

    Examples:
      topple study create "Pilot" --benchmark iphyre --pool basic --seed 7

      topple study create "One ball" --benchmark phyre --pool ball_within/0 --count 20
    """
    with open_store(database) as store:
        from topple.player.models.studies import StudyIn
        from topple.player.studies import create_study, study_detail

        wanted = StudyIn(
            name=name,
            benchmark=benchmark.value,  # type: ignore[arg-type]
            subjects=subject or [],
            pools=pool or [],
            count=count,
            shuffle=shuffle,
            seed=seed,
            attempt_limit=attempts,
            consent=consent.read_text("utf-8") if consent else "",
            resume_by_name=resume_by_name,
        )
        detail = study_detail(store, create_study(store, wanted))
    if as_json:
        show_json(detail.model_dump(mode="json"))
        return
    typer.echo(f"{detail.id}: {detail.items} puzzles, {detail.attempt_limit} attempts on each")
    typer.echo(f"open it with: topple play --study {detail.id}")


@app.command("list")
def list_studies(database: Database = None, as_json: Json = False) -> None:
    """List all studies with their numbers of participants and attempts.

    Examples:
      topple study list --json
    """
    with open_store(database) as store:
        from topple.player.studies import all_studies, study_detail

        details = [study_detail(store, study_id) for study_id in all_studies(store)]
    columns = ("id", "name", "benchmark", "puzzles", "participants", "attempts")
    rows = [
        (
            detail.id,
            detail.name,
            detail.benchmark.value,
            detail.items,
            len(detail.participants),
            sum(person.attempts for person in detail.participants),
        )
        for detail in details
    ]
    show("Studies", columns, rows, as_json)


@app.command("show")
def show_study(study: StudyId, database: Database = None, as_json: Json = False) -> None:
    """Show the participants of a study, each with the link to resume at.

    Examples:
      topple study show k3w9abcdefgh
    """
    with open_store(database) as store:
        from topple.player.studies import study_detail

        detail = study_detail(store, study)
    if as_json:
        show_json(detail.model_dump(mode="json"))
        return
    columns = ("participant", "name", "attempts", "done", "score", "link")
    rows = [
        (p.anonymous_id, p.name, p.attempts, p.done, p.score, p.link) for p in detail.participants
    ]
    show(f"{detail.name}, {detail.items} puzzles", columns, rows)


@app.command()
def invite(
    study: StudyId,
    names: Annotated[list[str], typer.Argument(help="Names of the participants, such as P01 P02.")],
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Register participants and print a personal link for each.

    Put the address of your server in front of the links.

    Examples:
      topple study invite k3w9abcdefgh P01 P02 P03
    """
    with open_store(database) as store:
        from topple.player.studies import invite_participant

        people = [(name, *invite_participant(store, study, name)) for name in names]
    show("Invitations", ("name", "participant", "link"), people, as_json)


@app.command()
def export(
    study: StudyId,
    out: Annotated[Path, out_file("the attempts, ending in .csv or .json", ".csv", ".json")],
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Write every attempt of a study to a file, under anonymous ids.

    Examples:
      topple study export k3w9abcdefgh --out results.csv
    """
    with open_store(database) as store:
        from topple.player.study_export import export_csv, export_study

        content = export_study(store, study)
        with whole_file(out) as temporary:
            if out.suffix == ".json":
                temporary.write_text(json.dumps(content.model_dump(mode="json"), indent=1) + "\n")
            else:
                with temporary.open("w", newline="") as file:
                    file.writelines(export_csv(content.attempts))
    count = len(content.attempts)
    if as_json:
        show_json({"file": str(out), "attempts": count})
    else:
        typer.echo(f"{out}: {count} attempts")
