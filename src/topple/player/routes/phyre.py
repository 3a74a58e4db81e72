"""PHYRE: templates and tasks, attempts, and scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from fastapi import APIRouter, BackgroundTasks, Request, Response

from topple.phyre.engine.result import Outcome
from topple.phyre.templates import MODULES, find_template, template_name
from topple.phyre.tier import Tier
from topple.player.attempts import add_attempt, allowed_progress, own_attempts, progress
from topple.player.errors import NotFoundError
from topple.player.geometry import thumbnail
from topple.player.models import phyre as models
from topple.player.models.base import Benchmark, Hint, HintIn, OutcomeName
from topple.player.players import SHOWN, Tally, mark, marks, refuse_in_study, tallies
from topple.player.puzzles import (
    RADIUS_MAX,
    RADIUS_MIN,
    PhyreTask,
    find_task,
    outcome_name,
    published_task,
    task_names,
)
from topple.player.service import (
    PNG,
    AskedPage,
    CurrentPlayer,
    CurrentService,
    Heavy,
    OptionalPlayer,
    TaskPath,
    TemplatePath,
    ThumbnailSize,
    png_response,
)
from topple.player.solutions import find_solution, task_hint
from topple.player.standing import has_baseline, phyre_standing, store_baselines
from topple.player.study_session import note_shown
from topple.player.tables import Player

router = APIRouter(prefix="/api/phyre", tags=["PHYRE"])


def _thumbnail(task: str) -> str:
    return f"/api/phyre/tasks/{task}/thumbnail.png"


@router.get("/templates", response_model=list[models.TemplateCard])
def list_templates(
    service: CurrentService, player: OptionalPlayer, tier: Tier | None = None
) -> Response:
    """List the 50 templates with the caller's progress."""
    with service.store.reading() as session:
        done = tallies(session, player, Benchmark.PHYRE)
    cards = []
    for template_id in MODULES:
        if tier is None or find_template(template_id).tier is tier:
            names = task_names(template_id)
            tried = [done[name] for name in names if name in done and done[name].made]
            cards.append(_card(template_id, len(tried), sum(tally.solved for tally in tried)))
    return Response(b"[" + b",".join(cards) + b"]", media_type="application/json")


@lru_cache(maxsize=1024)
def _card(template_id: str, tried: int, solved: int) -> bytes:
    """A template in JSON, most of which is its scene."""
    template, names = find_template(template_id), task_names(template_id)
    card = models.TemplateCard(
        id=template_id,
        name=template_name(template_id),
        tier=template.tier,
        idea=template.idea,
        thumbnail=_thumbnail(names[0]),
        scene=published_task(names[0]).model,
        tasks=len(names),
        tried=tried,
        solved=solved,
    )
    return card.model_dump_json().encode()


@router.get("/templates/{template}/tasks")
def list_tasks(
    service: CurrentService,
    player: OptionalPlayer,
    template: TemplatePath,
    solved: bool | None = None,
) -> list[models.TaskCard]:
    """List a template's published tasks, or only those the caller has or has not solved."""
    if template not in MODULES:
        raise NotFoundError(f"there is no template {template!r}")
    with service.store.reading() as session:
        done = tallies(session, player, Benchmark.PHYRE)
        shown = set() if player is None else marks(session, player, SHOWN)
    cards = []
    for name in task_names(template):
        tally = done.get(name, Tally())
        if solved is None or solved == tally.solved:
            task = published_task(name)
            cards.append(
                models.TaskCard.from_object(
                    tally,
                    id=name,
                    description=task.description,
                    thumbnail=_thumbnail(name),
                    scene=task.model,
                    shown=name in shown,
                )
            )
    return cards


@router.get("/tasks/{task}")
def show_task(service: CurrentService, player: OptionalPlayer, task: TaskPath) -> models.TaskScene:
    """Return everything that is needed to play a task."""
    found = find_task(service.store, task)
    in_study = player is not None and player.study_id is not None
    before, after = (None, None) if in_study else found.neighbours()
    if player is not None and in_study:
        service.store.change(note_shown, player, task)
    with service.store.reading() as session:
        made = progress(session, player, Benchmark.PHYRE, task)
    return models.TaskScene.from_object(
        found,
        id=found.name,
        name="" if in_study else found.title,  # it would be a hint
        template=found.template or "",
        idea="" if in_study else found.idea,  # it would be a hint
        balls=found.tier.balls,
        radius_min=RADIUS_MIN,
        radius_max=RADIUS_MAX,
        scene=found.model,
        previous=before,
        next=after,
        progress=made,
    )


@router.get("/tasks/{task}/thumbnail.png", response_class=Response, responses=PNG)
def task_thumbnail(
    request: Request, service: CurrentService, task: TaskPath, size: ThumbnailSize = 128
) -> Response:
    """Return a picture of a task."""
    return png_response(request, thumbnail(task, find_task(service.store, task).scene, size))


@router.post("/tasks/{task}/validate")
def validate(service: CurrentService, task: TaskPath, body: models.ActionIn) -> models.Validity:
    """Return whether an action is valid, exactly as the simulator decides."""
    return find_task(service.store, task).validity(body.action)


@router.post("/tasks/{task}/attempts", dependencies=[Heavy], response_model=models.AttemptOut)
def make_attempt(
    service: CurrentService,
    player: CurrentPlayer,
    task: TaskPath,
    body: models.AttemptIn,
    later: BackgroundTasks,
) -> Response:
    """Simulate an action; a valid one is an attempt, which is stored before this answers."""
    found = find_task(service.store, task)
    with service.simulations.slot():
        result = found.attempt(body.action)
    row, reason = None, None
    if result.outcome.is_valid:
        row, made = service.store.change(
            add_attempt,
            player,
            Benchmark.PHYRE,
            task,
            body.action,
            solved=result.outcome.is_solved,
            ticks=result.steps,
        )
        if not has_baseline(service.store, task):
            later.add_task(store_baselines, service.store, [task])
    else:
        reason = found.validity(body.action).reason
        with service.store.reading() as session:
            _, made = allowed_progress(session, player, Benchmark.PHYRE, task)
    made_attempt = models.AttemptOut(
        id=None if row is None else row.id,
        number=None if row is None else row.number,
        counted=row is not None and row.counted,
        outcome=outcome_name(result.outcome),
        steps=result.steps if row else 0,
        reason=reason,
        trajectory=found.trajectory(result, body.stride) if row else None,
        progress=made,
    )
    # Written here: FastAPI would change threads to check and write it once more.
    return Response(made_attempt.model_dump_json(), media_type="application/json")


@router.get("/tasks/{task}/attempts")
def list_attempts(
    service: CurrentService, player: CurrentPlayer, task: TaskPath, page: AskedPage
) -> list[models.PastAttempt]:
    """List the caller's attempts at a task, in order."""
    with service.store.reading() as session:
        return [
            models.PastAttempt.from_object(
                row, outcome=OutcomeName.SOLVED if row.solved else OutcomeName.NOT_SOLVED
            )
            for row in page.rows(session, own_attempts(player, Benchmark.PHYRE, task))
        ]


@router.post("/tasks/{task}/solution", dependencies=[Heavy])
def show_solution(
    service: CurrentService, player: CurrentPlayer, task: TaskPath
) -> models.Solution:
    """Return an agent's solution or one found by search; later attempts do not count."""
    with _solved(service, player, task) as (found, action, source):
        result = found.attempt(action)
    assert result.outcome is not Outcome.INVALID
    return models.Solution(action=action, source=source, trajectory=found.trajectory(result, 1))


@contextmanager
def _solved(
    service: CurrentService, player: Player, task: str
) -> Iterator[tuple[PhyreTask, list[float], str]]:
    """A task with a solution and its source, which the player is marked to know afterwards."""
    refuse_in_study(player)
    found = find_task(service.store, task)
    with service.searches.slot():
        solution = find_solution(service.runs, found)
        if solution is None:
            raise NotFoundError(f"no solution of {found.name} is known, and a search found none")
        yield found, *solution
    with service.store.transaction() as session:
        mark(session, player, task, SHOWN)


@router.post("/tasks/{task}/hints", dependencies=[Heavy])
def give_hint(service: CurrentService, player: CurrentPlayer, task: TaskPath, body: HintIn) -> Hint:
    """Return a hint, taken from a solution; later attempts do not count."""
    with _solved(service, player, task) as (found, action, _):
        return task_hint(found, action, body.level)


@router.get("/standing")
def show_standing(
    service: CurrentService,
    player: CurrentPlayer,
    later: BackgroundTasks,
    tier: Tier = Tier.BALL,
) -> models.Standing:
    """Return the caller's success curve and AUCCESS so far, beside those of agents."""
    standing, tasks = phyre_standing(service.store, player, tier)
    later.add_task(store_baselines, service.store, tasks)
    return standing
