"""`topple study`: create studies for the player, invite participants and export attempts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topple.cli.errors import needs_extra
from topple.cli.groups import App, Flag
from topple.cli.options import BENCHMARK, Benchmark, Database, Seed, out_file
from topple.cli.output import Output, listing, rich_table
from topple.files import write_whole
from topple.paths import data_folder
from topple.runs.record import RunRecord, write_record

if TYPE_CHECKING:
    from topple.player.store import Store

app = App(
    """Manage studies: puzzles that participants solve in `topple play`, by a design of yours.

    Examples:
      topple study create "Pilot" --benchmark iphyre --pool basic --seed 7
      topple study create --spec study.toml
      topple study invite k3w9abcdefgh --count 20
      topple study export k3w9abcdefgh --out results.zip
      topple study delete k3w9abcdefgh --participant P-7K3MQX
      topple evaluate --from-player k3w9abcdefgh
    """
)

StudyId = Annotated[str, typer.Argument(help="Id of a study listed by `topple study list`.")]


@contextmanager
def open_store(database: str | None) -> Iterator[Store]:
    """Open the player's database."""
    with needs_extra("the player", "player"):
        from pydantic import ValidationError

        from topple.player.store import Store, sqlite_url
        from topple.player.study_design import first_fault
    store = Store(database or sqlite_url(data_folder()))
    try:
        yield store
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
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
    name: Annotated[str | None, typer.Argument(show_default=False)] = None,
    benchmark: Annotated[Benchmark | None, BENCHMARK] = None,
    spec: Path | None = None,
    pool: list[str] | None = None,
    puzzle: list[str] | None = None,
    count: Annotated[int | None, typer.Option(min=1)] = None,
    shuffle: bool = True,
    seed: Seed = 0,
    attempts: Annotated[int | None, typer.Option(min=1)] = None,
    consent: Path | None = None,
    ask_name: bool = False,
    resume_by_name: bool = False,
    database: Database = None,
) -> Output:
    """Create a study and print its id.

    A file given with --spec describes practice, blocks, orders, limits,
    questions and more; `topple study check` explains what is wrong with one.

    Options:
        name: Name of the study as participants see it.
        spec: TOML file with the design of the study, instead of a name and the options below.
        pool: Set to draw puzzles from: a PHYRE tier, a template or the test tasks of a fold such as
            ball_within/0, or an I-PHYRE split. Can be repeated.
        puzzle: Task id or name of a game to include. Can be repeated.
        count: Number of puzzles to draw. The default is all.
        shuffle: Whether to shuffle the puzzles by the seed, once for everybody.
        attempts: Number of attempts allowed on each task (default 100) or game (default 5).
        consent: Text file that participants must agree to before they start.
        ask_name: Whether participants are asked for a name or code.
        resume_by_name: Whether entering a used name, which is then asked for, is enough to continue
            as that participant. Otherwise only the personal link is.

    Examples:
      topple study create "Pilot" --benchmark iphyre --pool basic --seed 7
      topple study create "One ball" --benchmark phyre --pool ball_within/0 --count 20
      topple study create --spec study.toml
    """
    with open_store(database) as store:
        from topple.player.models.studies import StudyIn
        from topple.player.studies import create_study, study_detail
        from topple.player.study_design import read_design

        if spec is not None:
            if name is not None or benchmark is not None or pool or puzzle:
                raise ValueError(f"{spec} describes the whole study; leave out the other options")
            wanted = read_design(spec)
        elif name is None or benchmark is None:
            raise ValueError("give a name and --benchmark, or --spec with a TOML file")
        else:
            wanted = StudyIn(
                name=name,
                benchmark=benchmark.value,  # type: ignore[arg-type]
                puzzles=puzzle or [],
                pools=pool or [],
                count=count,
                shuffle=shuffle,
                seed=seed,
                attempt_limit=attempts,
                consent=consent.read_text("utf-8") if consent else "",
                ask_name=ask_name,
                resume_by_name=resume_by_name,
            )
        detail = study_detail(store, create_study(store, wanted))
    return Output(
        detail.model_dump(mode="json"),
        f"{detail.id}: {detail.items} puzzles, {detail.attempt_limit} attempts on each",
        f"open it with: topple play --study {detail.id}",
    )


@app.command()
def check(
    spec: Path,
    participants: Annotated[int, typer.Option(min=1, max=1000)] = 3,
    database: Database = None,
) -> Output:
    """Check the design of a study, and show the order of the first participants.

    Options:
        spec: TOML file with the design of a study.
        participants: Number of participants whose order is shown.

    Examples:
      topple study check study.toml --participants 10
    """
    with open_store(database) as store:
        from topple.player.study_design import drawn, read_design, schedule

        design = drawn(store, read_design(spec))
    people = range(1, participants + 1)
    orders = [[str(number), *schedule(design, number)] for number in people]
    columns = ["participant", *(str(place) for place in range(1, len(orders[0])))]
    return listing(f"{design.name}, practice first", columns, orders)


@app.command("list")
def list_studies(database: Database = None) -> Output:
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
    return listing("Studies", columns, rows)


@app.command("show")
def show_study(study: StudyId, database: Database = None) -> Output:
    """Show the participants of a study, each with the link to resume at.

    Examples:
      topple study show k3w9abcdefgh
    """
    with open_store(database) as store:
        from topple.player.studies import study_detail

        detail = study_detail(store, study)
    columns = [
        "participant",
        "group",
        "name",
        "state",
        "attempts",
        "scored",
        "missing",
        "score",
        "link",
    ]
    rows = [
        (p.anonymous_id, p.group, p.name, p.state, p.attempts, p.scored, p.missing, p.score, p.link)
        for p in detail.participants
    ]
    title = f"{detail.name}, {detail.items} puzzles"
    return Output(detail.model_dump(mode="json"), rich_table(title, columns, rows))


@app.command()
def invite(
    study: StudyId,
    names: Annotated[list[str] | None, typer.Argument()] = None,
    count: Annotated[int, typer.Option(min=0, max=1000)] = 0,
    group: str = "",
    database: Database = None,
) -> Output:
    """Register participants and print a personal link for each.

    Put the address of your server in front of the links. Names are stored in
    the database and never exported.

    Options:
        names: Names or codes of the participants, such as P01 P02.
        count: Number of participants without a name.
        group: Group of these participants in exports and reports.

    Examples:
      topple study invite k3w9abcdefgh --count 20
      topple study invite k3w9abcdefgh P01 P02 P03 --group experts
    """
    with open_store(database) as store:
        from topple.player.studies import invite_participant

        if not names and not count:
            raise ValueError("give some names, or --count")
        people = [
            (name, *invite_participant(store, study, name, group))
            for name in [*(names or ()), *[None] * count]
        ]
    return listing("Invitations", ("name", "participant", "link"), people)


Participant = Annotated[
    str | None, typer.Option(help="Anonymous id of one participant, such as P-7K3MQX.")
]


@app.command()
def export(
    study: StudyId,
    out: Annotated[
        Path, out_file("the results, ending in .csv, .json or .zip", ".csv", ".json", ".zip")
    ],
    table: str | None = None,
    participant: Participant = None,
    database: Database = None,
) -> Output:
    """Write the results of a study to a file, under anonymous ids.

    A .csv file has one table, a .zip file all of them, a .json file as well.

    Options:
        table: Table for a .csv file: participants, puzzles, attempts, answers or events. The
            default is attempts.

    Examples:
      topple study export k3w9abcdefgh --out results.zip
      topple study export k3w9abcdefgh --out puzzles.csv --table puzzles
      topple study export k3w9abcdefgh --out one.json --participant P-7K3MQX
    """
    with open_store(database) as store:
        from topple.player.study_export import ExportTable, export_csv, export_study, export_zip

        words = [each.value for each in ExportTable]
        if table is not None and (table not in words or out.suffix != ".csv"):
            raise ValueError(f"--table is {table!r}; use {', '.join(words)}, with a .csv file")
        content = export_study(store, study, participant)
        if out.suffix == ".json":
            write_whole(out, json.dumps(content.model_dump(mode="json"), indent=1) + "\n")
        elif out.suffix == ".zip":
            write_whole(out, export_zip(content))
        else:
            write_whole(out, export_csv(content, ExportTable(table or ExportTable.ATTEMPTS)))
    count = sum(row.attempt is not None for row in content.attempts)
    people = len(content.participants)
    data = {"file": str(out), "attempts": count, "participants": people}
    return Output(data, f"{out}: {count} attempts of {people} participants")


@app.command()
def delete(
    study: StudyId,
    participant: Participant = None,
    yes: Flag = False,
    database: Database = None,
) -> Output:
    """Delete a participant with all their data, or a whole study with all its participants.

    Options:
        yes: Delete without asking.

    Examples:
      topple study delete k3w9abcdefgh --participant P-7K3MQX
      topple study delete k3w9abcdefgh --yes
    """
    with open_store(database) as store:
        from topple.player.studies import delete_participant, delete_study
        from topple.player.study_export import export_study

        found = export_study(store, study, participant)
        attempts = sum(row.attempt is not None for row in found.attempts)
        what = f"participant {participant}" if participant else f"study {study}"
        people = "" if participant else f" with {len(found.participants)} participants and"
        if not yes and not typer.confirm(f"Delete {what}{people or ' with'} {attempts} attempts?"):
            raise typer.Abort
        if participant is None:
            delete_study(store, study)
        else:
            delete_participant(store, study, participant)
    data = {"deleted": participant or study, "attempts": attempts}
    return Output(data, f"deleted {what} and {attempts} attempts")
