"""Replays and films of attempts, and the run records of agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.player.errors import InvalidError, NotFoundError
from topple.player.imagined import imagination, run_again
from topple.player.models import base
from topple.player.models.base import MAX_STRIDE, Benchmark
from topple.player.models.replays import (
    FilmFormat,
    GameReplay,
    Imagination,
    PhyreReplay,
    ReplayHz,
    RunAttempt,
    RunCard,
    RunDetail,
    RunItem,
)
from topple.player.puzzles import find_game, find_task
from topple.player.replays import (
    action_text,
    game_film,
    game_replay,
    parse_action,
    parse_plan,
    phyre_film,
    phyre_replay,
    plan_text,
)
from topple.player.runs import IndexedRun, run_card, run_record
from topple.player.service import AskedPage, CurrentService, GamePath, Heavy, RunPath, TaskPath
from topple.runs.record import RecordError

router = APIRouter(prefix="/api", tags=["replays"])

ActionText = Annotated[
    str, Query(max_length=200, description="x, y and radius of each ball, separated by commas.")
]
PlanText = Annotated[
    str,
    Query(
        pattern=r"^(\d{1,5}:\d{1,3}(,\d{1,5}:\d{1,3}){0,11})?$",
        description="Eliminations as tick:body in order, separated by commas; may be empty.",
    ),
]
SubjectPath = Annotated[str, Path(pattern=r"^[a-z0-9_:]{1,40}$", description="A task or game.")]
FilmSize = Annotated[int, Query(ge=64, le=1024, multiple_of=2)]
Stride = Annotated[int, Query(ge=1, le=MAX_STRIDE)]
_TYPES = {FilmFormat.GIF: "image/gif", FilmFormat.MP4: "video/mp4"}
_FILM: dict[str, Any] = {
    "dependencies": [Heavy],
    "response_class": Response,
    "responses": {200: {"content": {kind: {} for kind in _TYPES.values()}}},
}


def _film_response(content: bytes, kind: FilmFormat, name: str) -> Response:
    named = f'attachment; filename="{name.replace(":", "-")}.{kind.value}"'
    return Response(content, media_type=_TYPES[kind], headers={"Content-Disposition": named})


@router.get("/replays/phyre/{task}", dependencies=[Heavy])
def replay_task(
    service: CurrentService, task: TaskPath, action: ActionText, stride: Stride = 1
) -> PhyreReplay:
    """Simulate a PHYRE attempt again."""
    found = find_task(service.store, task)
    with service.simulations.slot():
        return phyre_replay(found, parse_action(action), stride)


@router.get("/replays/phyre/{task}/film.{kind}", **_FILM)
def film_task(
    service: CurrentService,
    task: TaskPath,
    kind: FilmFormat,
    action: ActionText,
    size: FilmSize = 512,
) -> Response:
    """Return a PHYRE attempt as a GIF or MP4."""
    found = find_task(service.store, task)
    numbers = parse_action(action)
    validity = found.validity(numbers)
    if not validity.valid:
        raise InvalidError(validity.reason or "the action is invalid")
    with service.searches.slot():
        return _film_response(phyre_film(found.scene, tuple(numbers), size, kind), kind, task)


@router.get("/replays/iphyre/{game}", dependencies=[Heavy])
def replay_game(
    service: CurrentService, game: GamePath, plan: PlanText = "", hz: ReplayHz = ReplayHz.PEOPLE
) -> GameReplay:
    """Simulate an I-PHYRE attempt again."""
    named = find_game(service.store, game)
    with service.simulations.slot():
        return game_replay(named, parse_plan(plan), hz)


@router.get("/replays/iphyre/{game}/film.{kind}", **_FILM)
def film_game(
    service: CurrentService,
    game: GamePath,
    kind: FilmFormat,
    plan: PlanText = "",
    hz: ReplayHz = ReplayHz.PEOPLE,
    size: FilmSize = 600,
) -> Response:
    """Return an I-PHYRE attempt as a GIF or MP4."""
    named = find_game(service.store, game)
    with service.searches.slot():
        return _film_response(game_film(named.game, parse_plan(plan), size, kind, hz), kind, game)


@router.get("/runs")
def list_runs(service: CurrentService, page: AskedPage) -> list[RunCard]:
    """List the run records that can be watched; damaged ones are left out."""
    cards = []
    for entry in page.items(list(service.runs)):
        try:
            cards.append(run_card(entry))
        except RecordError:
            continue
    return cards


@contextmanager
def _readable(service: CurrentService, run: str) -> Iterator[IndexedRun]:
    """A run whose record is read; one that is damaged cannot be found."""
    entry = service.runs.find(run)
    if entry is None:
        raise NotFoundError(f"there is no run {run!r} here")
    try:
        yield entry
    except RecordError:
        raise NotFoundError(f"the record of run {run!r} cannot be read") from None


@router.get("/runs/{run}")
def show_run(service: CurrentService, run: RunPath) -> RunDetail:
    """Return a run with its tasks or games."""
    with _readable(service, run) as entry:
        card = run_card(entry)
        games = entry.benchmark is Benchmark.IPHYRE
        items = _games(entry) if games else _tasks(entry, card.imagines)
        return RunDetail(**card.model_dump(), items=items)


def _tasks(entry: IndexedRun, imagines: bool) -> list[RunItem]:
    record = run_record(entry.path)
    results = record.results
    made = Counter(attempt.task for attempt in results.attempts)
    again = imagines and not made  # they are made again when they are asked for
    return [
        RunItem(
            subject=str(task),
            attempts=first or record.config.attempts if again else made[task],
            first_solved=first or None,
        )
        for task, first in zip(results.tasks, results.first_solved.tolist(), strict=True)
    ]


def _games(entry: IndexedRun) -> list[RunItem]:
    record = run_record(entry.path)
    items = []
    for name, score in record.results.scores.items():
        plays = [play for play in record.results.plays if play.game == name]
        first = next((k for k, play in enumerate(plays, start=1) if play.score.solved), None)
        items.append(
            RunItem(subject=name, attempts=len(plays), first_solved=first, reward=score.reward)
        )
    return items


@router.get("/runs/{run}/items/{subject}")
def list_run_attempts(
    service: CurrentService, run: RunPath, subject: SubjectPath
) -> list[RunAttempt]:
    """List an agent's attempts at a task or game, in order."""
    with _readable(service, run) as entry:
        games = entry.benchmark is Benchmark.IPHYRE
        found = _plays(entry, subject) if games else _attempts(service, entry, subject)
    if not found:
        raise NotFoundError(f"run {run!r} has no attempts at {subject!r}")
    return found


@router.get("/runs/{run}/items/{subject}/imagined", dependencies=[Heavy])
def show_imagined(
    service: CurrentService,
    run: RunPath,
    subject: SubjectPath,
    attempt: Annotated[int, Query(ge=1, le=MAX_ATTEMPTS)] = 1,
) -> Imagination:
    """Return what an agent had imagined before one of its attempts at a task or game."""
    with _readable(service, run) as entry:
        if not run_card(entry).imagines:
            raise NotFoundError(f"the agent of run {run!r} imagines nothing")
        with service.searches.slot():
            return imagination(entry.path, subject, attempt)


def _attempts(service: CurrentService, entry: IndexedRun, subject: str) -> list[RunAttempt]:
    made = run_record(entry.path).results.attempts
    attempts = [attempt for attempt in made if str(attempt.task) == subject]
    if not made and run_card(entry).imagines:
        with service.searches.slot():
            attempts = list(run_again(entry.path, subject).attempts)
    return [
        RunAttempt(
            number=number,
            solved=attempt.outcome.is_solved,
            action=list(attempt.action),
            replay=f"/api/replays/phyre/{subject}?action={action_text(attempt.action)}",
        )
        for number, attempt in enumerate(attempts, start=1)
    ]


def _plays(entry: IndexedRun, subject: str) -> list[RunAttempt]:
    record = run_record(entry.path)
    plays = [play for play in record.results.plays if play.game == subject]
    return [
        RunAttempt(
            number=number,
            solved=play.score.solved,
            plan=[base.Elimination(tick=t, body=body) for t, body in play.plan.eliminations],
            reward=play.score.reward,
            replay=(
                f"/api/replays/iphyre/{subject}?plan={plan_text(play.plan)}&hz={record.config.selection.hz}"
            ),
        )
        for number, play in enumerate(plays, start=1)
    ]
