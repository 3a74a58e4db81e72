"""PHYRE: the gallery, playing, and scores."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, HTTPException, Query, Request, Response

from topple.phyre.engine.result import Outcome
from topple.phyre.templates import MODULES, find_template
from topple.phyre.tier import Tier
from topple.player.attempts import add_attempt, check_allowed, own_attempts, progress
from topple.player.geometry import scene_model
from topple.player.ids import TaskPath, TemplatePath
from topple.player.models.base import Benchmark, OutcomeName, TierName
from topple.player.models.phyre import (
    ActionIn,
    AttemptIn,
    AttemptOut,
    PastAttempt,
    Solution,
    Standing,
    TaskCard,
    TaskScene,
    TemplateCard,
    Validity,
)
from topple.player.people import SHOWN, Tally, mark, marks, tallies
from topple.player.service import Desk, Heavy, Known, Visitor
from topple.player.solutions import find_solution
from topple.player.standing import keep_baselines, standing, tried
from topple.player.tasks import (
    RADIUS_MAX,
    RADIUS_MIN,
    find_task,
    outcome_name,
    published_task,
    task_names,
)
from topple.player.thumbnails import SIZE, Size, png_response, scene_png

router = APIRouter(prefix="/api/phyre", tags=["PHYRE"])


def _thumbnail(task: str) -> str:
    return f"/api/phyre/tasks/{task}/thumbnail.png"


@router.get("/templates")
def list_templates(
    desk: Desk, visitor: Visitor, tier: TierName | None = None
) -> list[TemplateCard]:
    """The 50 templates, with the caller's progress."""
    done: dict[str, Tally] = {}
    if visitor is not None:
        with desk.store.reading() as session:
            done = tallies(session, visitor.id, Benchmark.PHYRE)
    cards = []
    for template_id in MODULES:
        template = find_template(template_id)
        if tier is not None and template.tier.value != tier.value:
            continue
        names = task_names(template_id)
        tried = [done[name] for name in names if name in done and done[name].made]
        cards.append(
            TemplateCard(
                id=template_id,
                tier=TierName(template.tier.value),
                idea=template.idea,
                thumbnail=_thumbnail(names[0]),
                scene=scene_model(published_task(names[0]).scene),
                tasks=len(names),
                tried=len(tried),
                solved=sum(tally.solved for tally in tried),
            )
        )
    return cards


@router.get("/templates/{template}/tasks")
def list_tasks(
    desk: Desk, visitor: Visitor, template: TemplatePath, solved: bool | None = None
) -> list[TaskCard]:
    """The published tasks of a template, perhaps only those the caller has or has not solved."""
    if template not in MODULES:
        raise HTTPException(404, f"there is no template {template!r}")
    done: dict[str, Tally] = {}
    shown: set[str] = set()
    if visitor is not None:
        with desk.store.reading() as session:
            done = tallies(session, visitor.id, Benchmark.PHYRE)
            shown = marks(session, visitor.id, SHOWN)
    cards = []
    for name in task_names(template):
        tally = done.get(name, Tally())
        if solved is None or solved == tally.solved:
            task = published_task(name)
            cards.append(
                TaskCard(
                    id=name,
                    description=task.description,
                    thumbnail=_thumbnail(name),
                    scene=scene_model(task.scene),
                    attempts=tally.attempts,
                    solved=tally.solved,
                    shown=name in shown,
                )
            )
    return cards


@router.get("/tasks/{task}")
def show_task(desk: Desk, visitor: Visitor, task: TaskPath) -> TaskScene:
    """All that is needed to play a task."""
    found = find_task(desk.store, task)
    before, after = found.neighbours()
    in_study = visitor is not None and visitor.study_id is not None
    with desk.store.reading() as session:
        made = progress(session, visitor, Benchmark.PHYRE, task)
    return TaskScene(
        id=found.name,
        template=found.template or "",
        tier=TierName(found.tier.value),
        description=found.description,
        idea="" if in_study else found.idea,  # it would be a hint
        balls=found.tier.balls,
        radius_min=RADIUS_MIN,
        radius_max=RADIUS_MAX,
        scene=scene_model(found.scene),
        previous=before,
        next=after,
        progress=made,
    )


@router.get(
    "/tasks/{task}/thumbnail.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def thumbnail(request: Request, desk: Desk, task: TaskPath, size: Size = SIZE) -> Response:
    """A picture of a task."""
    return png_response(request, scene_png(find_task(desk.store, task).scene, size))


@router.post("/tasks/{task}/validate")
def validate(desk: Desk, task: TaskPath, body: ActionIn) -> Validity:
    """Whether an action fits, exactly as the simulator decides."""
    return find_task(desk.store, task).validity(body.action)


@router.post("/tasks/{task}/attempts", dependencies=[Heavy])
def make_attempt(
    desk: Desk, player: Known, task: TaskPath, body: AttemptIn, later: BackgroundTasks
) -> AttemptOut:
    """Simulate an action; a valid one is an attempt, and is kept before this answers."""
    found = find_task(desk.store, task)
    with desk.store.reading() as session:
        check_allowed(session, player, Benchmark.PHYRE, task)
    with desk.short.turn():
        result = found.attempt(body.action, body.stride)
    if not result.outcome.is_valid:
        with desk.store.reading() as session:
            made = progress(session, player, Benchmark.PHYRE, task)
        return AttemptOut(
            id=None,
            number=None,
            counted=False,
            outcome=OutcomeName.INVALID,
            steps=0,
            reason=found.validity(body.action).reason,
            trajectory=None,
            progress=made,
        )
    row, made = desk.store.change(
        lambda session: (
            add_attempt(
                session,
                player,
                Benchmark.PHYRE,
                task,
                body.action,
                solved=result.outcome.is_solved,
                ticks=result.steps,
            ),
            progress(session, player, Benchmark.PHYRE, task),
        )
    )
    later.add_task(keep_baselines, desk.store, [task])
    return AttemptOut(
        id=row.id,
        number=row.number,
        counted=row.counted,
        outcome=outcome_name(result.outcome),
        steps=result.steps,
        reason=None,
        trajectory=found.trajectory(result, body.stride),
        progress=made,
    )


@router.get("/tasks/{task}/attempts")
def list_attempts(desk: Desk, player: Known, task: TaskPath) -> list[PastAttempt]:
    """The caller's attempts at a task, in order."""
    with desk.store.reading() as session:
        return [
            PastAttempt(
                id=row.id,
                number=row.number,
                action=row.action,
                outcome=OutcomeName.SOLVED if row.solved else OutcomeName.NOT_SOLVED,
                counted=row.counted,
            )
            for row in own_attempts(session, player, task)
        ]


@router.post("/tasks/{task}/solution", dependencies=[Heavy])
def show_solution(desk: Desk, player: Known, task: TaskPath) -> Solution:
    """An agent's solution or one found by search; later attempts do not count."""
    if player.study_id is not None:
        raise HTTPException(403, "no solutions are shown in a study")
    found = find_task(desk.store, task)
    with desk.long.turn():
        solution = find_solution(desk.runs, found)
        if solution is None:
            raise HTTPException(404, f"no solution of {task} is known, and a search found none")
        action, source = solution
        result = found.attempt(action)
    assert result.outcome is not Outcome.INVALID
    with desk.store.transaction() as session:
        mark(session, player, task, SHOWN)
    return Solution(action=action, source=source, trajectory=found.trajectory(result, 1))


@router.get("/standing")
def show_standing(
    desk: Desk,
    player: Known,
    later: BackgroundTasks,
    tier: Annotated[TierName, Query()] = TierName.BALL,
) -> Standing:
    """The caller's success curve and AUCCESS so far, beside others'."""
    later.add_task(keep_baselines, desk.store, tried(desk.store, player, Tier(tier.value)))
    return standing(desk.store, player, Tier(tier.value))
