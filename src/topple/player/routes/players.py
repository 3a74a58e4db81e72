"""The state of the server, and its players."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import RedirectResponse

from topple import __version__
from topple.player import players, studies, study_session
from topple.player.errors import ForbiddenError
from topple.player.models.base import Benchmark
from topple.player.models.players import Health, Me, NewPlayer, PuzzleProgress
from topple.player.models.studies import AnswersIn, Consent, EventsIn, Stored, Withdrawal
from topple.player.routes.guard import forget, remember
from topple.player.service import (
    OWNER_COOKIE,
    CurrentPlayer,
    CurrentService,
    Heavy,
    is_owner,
    is_same,
)
from topple.player.study_session import me
from topple.runs.benchmark import find_benchmark

router = APIRouter(prefix="/api", tags=["players"])

OWNER_SECONDS = 30 * 24 * 3600
NO_CONSENT = "you can take part only if you give your consent"


@router.get("/health")
def health(owner: Annotated[bool, Depends(is_owner)]) -> Health:
    """Return that the server is up, its version, and whether the caller is its owner."""
    engines = {kind: find_benchmark(kind.value).engine_hash() for kind in Benchmark}
    return Health(
        version=__version__, engine=engines[Benchmark.PHYRE], engines=engines, owner=owner
    )


@router.get("/owner", include_in_schema=False, dependencies=[Heavy])
def become_owner(
    request: Request, service: CurrentService, key: Annotated[str, Query(max_length=200)] = ""
) -> RedirectResponse:
    """Sign in as the owner, by the link that `topple play` prints."""
    if service.settings.owner_key is None or not is_same(key, service.settings.owner_key):
        raise ForbiddenError("this is not the owner key that `topple play` printed")
    answer = RedirectResponse("/#/study", 303)
    answer.set_cookie(
        OWNER_COOKIE,
        key,
        max_age=OWNER_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post("/players", dependencies=[Heavy])
def new_player(service: CurrentService) -> NewPlayer:
    """Create an anonymous player."""
    player = players.new_player(service.store)
    return NewPlayer(anonymous_id=player.anonymous_id, key=player.key)


@router.get("/me")
def who_am_i(
    request: Request, response: Response, service: CurrentService, player: CurrentPlayer
) -> Me:
    """Return the caller and, for a participant, their progress through the study."""
    who = me(service.store, player)
    if player.study_id is not None:
        remember(response, request, player.study_id, player.key, who)
    return who


@router.post("/me/consent")
def consent(
    request: Request,
    response: Response,
    service: CurrentService,
    player: CurrentPlayer,
    body: Consent,
) -> Me:
    """Consent to take part in a study to which the caller was invited by a personal link."""
    if not body.consent:
        raise ForbiddenError(NO_CONSENT)
    service.store.change(study_session.give_consent, player, body.free_player)
    return who_am_i(request, response, service, player)


@router.get("/me/progress")
def my_progress(service: CurrentService, player: CurrentPlayer) -> list[PuzzleProgress]:
    """List the puzzles that the caller has tried, and how far they got with each."""
    return players.all_progress(service.store, player)


@router.post("/me/skip")
def skip(service: CurrentService, player: CurrentPlayer) -> Me:
    """Give up the current puzzle of a study."""
    service.store.change(study_session.give_up, player)
    return me(service.store, player)


@router.post("/me/answers")
def give_answers(service: CurrentService, player: CurrentPlayer, body: AnswersIn) -> Me:
    """Answer the questions that a study asks now."""
    service.store.change(study_session.answer, player, body.answers)
    return me(service.store, player)


@router.post("/me/continue")
def end_break(service: CurrentService, player: CurrentPlayer) -> Me:
    """End a break that has lasted long enough."""
    service.store.change(study_session.end_break, player)
    return me(service.store, player)


@router.post("/me/events")
def add_events(service: CurrentService, player: CurrentPlayer, body: EventsIn) -> Stored:
    """Store what happened on the page of a participant."""
    return Stored(stored=service.store.change(study_session.store_events, player, body))


@router.post("/me/withdraw")
def leave_study(
    response: Response, service: CurrentService, player: CurrentPlayer, body: Withdrawal
) -> Withdrawal:
    """Leave a study; on request, everything that is stored of the caller is deleted."""
    if body.delete:
        service.store.forget(studies.forget, player)
    else:
        service.store.change(studies.withdraw, player)
    forget(response, player.study_id or "")
    return body
