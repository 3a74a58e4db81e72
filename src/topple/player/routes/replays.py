"""Watching attempts: by link, as a film, and those of agents."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Response

from topple.player.games import find_game
from topple.player.ids import GamePath, RunPath, TaskPath
from topple.player.models import base
from topple.player.models.base import MAX_STRIDE, Benchmark
from topple.player.models.replays import (
    FilmFormat,
    GameReplay,
    PhyreReplay,
    ReplayHz,
    RunAttempt,
    RunCard,
    RunDetail,
    RunItem,
)
from topple.player.replays import (
    ActionText,
    PlanText,
    action_text,
    game_film,
    game_replay,
    parse_action,
    parse_plan,
    phyre_film,
    phyre_replay,
    plan_text,
)
from topple.player.runs import Shelved, game_record, run_card, task_record
from topple.player.service import Desk, Heavy
from topple.player.tasks import find_task
from topple.runs.record_files import RecordError

router = APIRouter(prefix="/api", tags=["replays"])

FilmSize = Annotated[int, Query(ge=64, le=512, multiple_of=2)]
Stride = Annotated[int, Query(ge=1, le=MAX_STRIDE)]
_TYPES = {FilmFormat.GIF: "image/gif", FilmFormat.MP4: "video/mp4"}
_FILM: dict[int | str, dict[str, Any]] = {200: {"content": {kind: {} for kind in _TYPES.values()}}}


def _film(content: bytes, kind: FilmFormat, name: str) -> Response:
    named = f'attachment; filename="{name.replace(":", "-")}.{kind.value}"'
    return Response(content, media_type=_TYPES[kind], headers={"Content-Disposition": named})


@router.get("/replays/phyre/{task}", dependencies=[Heavy])
def replay_task(desk: Desk, task: TaskPath, action: ActionText, stride: Stride = 1) -> PhyreReplay:
    """A PHYRE attempt, simulated again."""
    found = find_task(desk.store, task)
    with desk.short.turn():
        return phyre_replay(found, parse_action(action), stride)


@router.get(
    "/replays/phyre/{task}/film.{kind}",
    dependencies=[Heavy],
    response_class=Response,
    responses=_FILM,
)
def film_task(
    desk: Desk, task: TaskPath, kind: FilmFormat, action: ActionText, size: FilmSize = 256
) -> Response:
    """A PHYRE attempt as GIF or MP4."""
    found = find_task(desk.store, task)
    numbers = parse_action(action)
    fit = found.validity(numbers)
    if not fit.valid:
        raise HTTPException(422, fit.reason or "the action does not fit")
    with desk.long.turn():
        return _film(phyre_film(found.scene, tuple(numbers), size, kind), kind, task)


@router.get("/replays/iphyre/{game}", dependencies=[Heavy])
def replay_game(
    desk: Desk, game: GamePath, plan: PlanText = "", hz: ReplayHz = ReplayHz.PEOPLE
) -> GameReplay:
    """An I-PHYRE attempt, simulated again."""
    played = find_game(desk.store, game)
    with desk.short.turn():
        return game_replay(played, parse_plan(plan), hz)


@router.get(
    "/replays/iphyre/{game}/film.{kind}",
    dependencies=[Heavy],
    response_class=Response,
    responses=_FILM,
)
def film_game(
    desk: Desk,
    game: GamePath,
    kind: FilmFormat,
    plan: PlanText = "",
    hz: ReplayHz = ReplayHz.PEOPLE,
    size: FilmSize = 300,
) -> Response:
    """An I-PHYRE attempt as GIF or MP4."""
    played = find_game(desk.store, game)
    with desk.long.turn():
        return _film(game_film(played.game, parse_plan(plan), size, kind, hz), kind, game)


@router.get("/runs")
def list_runs(desk: Desk) -> list[RunCard]:
    """The run records that can be watched; damaged ones are left out."""
    cards = []
    for entry in desk.runs:
        try:
            cards.append(run_card(entry))
        except RecordError:
            continue
    return cards


def _entry(desk: Desk, run: str) -> Shelved:
    entry = desk.runs.find(run)
    if entry is None:
        raise HTTPException(404, f"there is no run {run!r} here")
    return entry


@router.get("/runs/{run}")
def show_run(desk: Desk, run: RunPath) -> RunDetail:
    """A run with its tasks or games."""
    entry = _entry(desk, run)
    try:
        card = run_card(entry).model_dump()
        if entry.benchmark is Benchmark.IPHYRE:
            return RunDetail(**card, items=_games(entry))
        return RunDetail(**card, items=_tasks(entry))
    except RecordError:
        raise HTTPException(404, f"the record of run {run!r} cannot be read") from None


def _tasks(entry: Shelved) -> list[RunItem]:
    record = task_record(entry.path)
    made = Counter(attempt.task for attempt in record.attempts)
    return [
        RunItem(subject=str(task), attempts=made[task], first_solved=first or None)
        for task, first in zip(record.tasks, record.first_solved.tolist(), strict=True)
    ]


def _games(entry: Shelved) -> list[RunItem]:
    record = game_record(entry.path)
    items = []
    for name, score in record.scores.items():
        plays = [play for play in record.plays if play.game == name]
        first = next((k for k, play in enumerate(plays, start=1) if play.score.solved), None)
        items.append(
            RunItem(subject=name, attempts=len(plays), first_solved=first, reward=score.reward)
        )
    return items


@router.get("/runs/{run}/items/{subject}")
def list_run_attempts(
    desk: Desk, run: RunPath, subject: Annotated[str, Path(pattern=r"^[a-z0-9_:]{1,40}$")]
) -> list[RunAttempt]:
    """An agent's attempts at a task or game, in order."""
    entry = _entry(desk, run)
    try:
        games = entry.benchmark is Benchmark.IPHYRE
        found = _plays(entry, subject) if games else _attempts(entry, subject)
    except RecordError:
        raise HTTPException(404, f"the record of run {run!r} cannot be read") from None
    if not found:
        raise HTTPException(404, f"run {run!r} has no attempts at {subject!r}")
    return found


def _attempts(entry: Shelved, subject: str) -> list[RunAttempt]:
    attempts = [a for a in task_record(entry.path).attempts if str(a.task) == subject]
    return [
        RunAttempt(
            number=number,
            solved=attempt.outcome.is_solved,
            action=list(attempt.action),
            replay=f"/api/replays/phyre/{subject}?action={action_text(attempt.action)}",
        )
        for number, attempt in enumerate(attempts, start=1)
    ]


def _plays(entry: Shelved, subject: str) -> list[RunAttempt]:
    record = game_record(entry.path)
    plays = [play for play in record.plays if play.game == subject]
    return [
        RunAttempt(
            number=number,
            solved=play.score.solved,
            plan=[base.Elimination(tick=t, body=body) for t, body in play.plan.eliminations],
            reward=play.score.reward,
            replay=(
                f"/api/replays/iphyre/{subject}?plan={plan_text(play.plan)}&hz={record.config.hz}"
            ),
        )
        for number, play in enumerate(plays, start=1)
    ]
