"""What a person did on the page without a server, as run records.

The page writes one JSON file of all attempts, and everything in it could have been changed. So all
attempts are simulated again, and what comes out here is scored. How many attempts there were, in
which order and when is the client's word: a record says so under `client` in its protocol.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from topple.iphyre.episode import play_batch
from topple.iphyre.game import GameError
from topple.iphyre.games import game_named
from topple.iphyre.plan import Elimination, Plan, PlanError
from topple.iphyre.play_log import PAPER_PLAYS, Play, PlayLog
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.selection import GameSelection
from topple.phyre.attempt import AttemptLog
from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.engine.result import Outcome
from topple.phyre.selection import TaskSelection
from topple.phyre.simulator import Simulator
from topple.phyre.task import TaskId, UnknownTaskError, load_task
from topple.phyre.tier import Tier
from topple.player.errors import raised_as
from topple.player.ids import OWN
from topple.player.models import base
from topple.player.models.base import Benchmark, Model, OutcomeName
from topple.player.study_records import games_record, task_record
from topple.runs.benchmark import find_benchmark
from topple.runs.record import RunRecord

MAX_BYTES = 50_000_000  # of a file
MAX_EXPORTED = 100_000  # attempts in a file
UNPROVEN = ("number", "at", "seconds", "counted", "abandoned")  # fields that nothing can check


class ExportError(ValueError):
    """A file of attempts cannot be scored; the message says why."""


class _Exported(Model):
    """What attempts at tasks and games have in common."""

    number: Annotated[int, Field(ge=1)]
    at: Annotated[str, Field(max_length=40)]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    counted: bool = True


class TaskAttempt(_Exported):
    """An attempt at a PHYRE task."""

    benchmark: Literal["phyre"]
    task: Annotated[str, Field(max_length=80)]
    action: base.Action
    outcome: OutcomeName
    steps: int
    shown: bool = False


class GamePlay(_Exported):
    """An attempt at an I-PHYRE game."""

    benchmark: Literal["iphyre"]
    game: Annotated[str, Field(max_length=80)]
    plan: Annotated[list[base.Elimination], Field(max_length=20)]
    solved: bool
    ticks: int
    reward: float
    abandoned: bool = False


class Export(Model):
    """A file of attempts as the page writes it."""

    format: Literal["topple-attempts"]
    version: Literal[1]
    engine: dict[Benchmark, str | None]  # hashes of the page's engines; None if its bits differ
    attempts: Annotated[
        list[Annotated[TaskAttempt | GamePlay, Field(discriminator="benchmark")]],
        Field(max_length=MAX_EXPORTED),
    ]
    # Made by the person; records hold published ones only.
    puzzles: dict[str, Any] = Field(default_factory=dict)


def read_export(path: Path) -> Export:
    """Read and check a file of attempts.

    Raises:
        ExportError: it is not such a file.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ExportError(f"{path} is larger than {MAX_BYTES:,} bytes; export fewer attempts")
    try:
        return TypeAdapter(Export).validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ExportError(
            f"{path} is not a file of attempts as the page exports them: {where}: {first['msg']}"
        ) from None


def export_records(path: Path) -> list[RunRecord[Any, Any]]:
    """Simulate all attempts of a file again and score them: a record of each tier and of I-PHYRE.

    Attempts that did not count on the page, and those at puzzles that people made, are left out.

    Raises:
        ExportError: the file is not one of attempts, an attempt cannot have been made, or no
            attempt is left to score.
    """
    export = read_export(path)
    name = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    records = [*_tasks(export, name), *_games(export, name)]
    if not records:
        raise ExportError(f"{path} has no counted attempt at a published task or game")
    return records


def _values(name: str, attempts: int) -> dict[str, Any]:
    """What the config of a record has beside the tasks or games."""
    settings = {"export": name}
    return {"settings": settings, "seed": 0, "attempts": attempts, "label": f"human {name}"}


def _protocol(
    export: Export, benchmark: Benchmark, rows: list[Any], differing: int
) -> dict[str, Any]:
    return {
        "source": "attempts exported by the page and simulated again",
        "client": {
            "unproven": list(UNPROVEN),
            "engine": export.engine.get(benchmark),
            "same_engine": export.engine.get(benchmark)
            == find_benchmark(benchmark.value).engine_hash(),
            "differing_outcomes": differing,
            "first": min(row.at for row in rows),
            "last": max(row.at for row in rows),
            "seconds": sum(row.seconds or 0.0 for row in rows),
        },
    }


def _tasks(export: Export, name: str) -> Iterator[RunRecord[Any, Any]]:
    rows = [
        row
        for row in export.attempts
        if isinstance(row, TaskAttempt) and row.counted and not row.task.startswith(OWN)
    ]
    with raised_as(ExportError, UnknownTaskError, ValueError):
        tasks = {row.task: load_task(row.task) for row in rows}
    for tier in Tier:
        part = [row for row in rows if tasks[row.task].tier is tier]
        if not part:
            continue
        part.sort(key=lambda row: (row.task, row.number))
        for row in part:
            if len(row.action) != tier.action_size:
                raise ExportError(
                    f"an action on {row.task} has {len(row.action)} numbers, not {tier.action_size}"
                )
        named = list(dict.fromkeys(row.task for row in part))
        simulator = Simulator([tasks[task] for task in named], tier)
        outcomes = simulator.attempts([row.task for row in part], [row.action for row in part])
        log = AttemptLog([TaskId.parse(task) for task in named], MAX_ATTEMPTS)
        differing = 0
        for row, value in zip(part, outcomes.outcome.tolist(), strict=True):
            outcome = Outcome(value)
            if not outcome.is_valid:
                raise ExportError(
                    f"attempt {row.number} on {row.task} cannot have been made: its balls do not "
                    "fit the scene"
                )
            differing += outcome.is_solved != (row.outcome is OutcomeName.SOLVED)
            log.append(TaskId.parse(row.task), row.action, outcome)
        protocol = _protocol(export, Benchmark.PHYRE, part, differing)
        selection = TaskSelection(None, None, tasks=tuple(named))
        yield task_record(log, selection, _values(name, log.limit), protocol)


def _games(export: Export, name: str) -> Iterator[RunRecord[Any, Any]]:
    rows = [
        row
        for row in export.attempts
        if isinstance(row, GamePlay) and row.counted and not row.game.startswith(OWN)
    ]
    if not rows:
        return
    rows.sort(key=lambda row: (row.game, row.number))
    with raised_as(ExportError, GameError, PlanError):
        pairs = [
            (game_named(row.game), Plan(tuple(Elimination(r.tick, r.body) for r in row.plan)))
            for row in rows
        ]
        scores = play_batch(pairs, AT_60_HZ)
    differing = sum(
        (score.solved, score.ticks) != (row.solved, row.ticks)
        for row, score in zip(rows, scores, strict=True)
    )
    log = PlayLog(dict.fromkeys(row.game for row in rows), PAPER_PLAYS)
    for (game, plan), score in zip(pairs, scores, strict=True):
        log.append(Play(game.name, plan, score))
    protocol = _protocol(export, Benchmark.IPHYRE, rows, differing)
    selection = GameSelection(log.games, hz=AT_60_HZ.hz)
    yield games_record(list(log), selection, _values(name, log.limit), protocol)
