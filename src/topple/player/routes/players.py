"""The state of the server, and its players."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse

from topple import __version__
from topple.phyre.engine_hash import engine_hash
from topple.player import players
from topple.player.errors import ConflictError, ForbiddenError
from topple.player.models.players import Health, Me, NewPlayer, PuzzleProgress
from topple.player.players import SKIPPED, mark, me, study_session
from topple.player.service import (
    OWNER_COOKIE,
    CurrentPlayer,
    CurrentService,
    Heavy,
    is_owner,
    is_same,
)

router = APIRouter(prefix="/api", tags=["players"])

OWNER_SECONDS = 30 * 24 * 3600


@router.get("/health")
def health(owner: Annotated[bool, Depends(is_owner)]) -> Health:
    """Return that the server is up, its version, and whether the caller is its owner."""
    return Health(version=__version__, engine=engine_hash(), owner=owner)


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
def who_am_i(service: CurrentService, player: CurrentPlayer) -> Me:
    """Return the caller and, for a participant, their progress through the study."""
    return me(service.store, player)


@router.get("/me/progress")
def my_progress(service: CurrentService, player: CurrentPlayer) -> list[PuzzleProgress]:
    """List the puzzles that the caller has tried, and how far they got with each."""
    return players.all_progress(service.store, player)


@router.post("/me/skip")
def skip(service: CurrentService, player: CurrentPlayer) -> Me:
    """Give up the current item of a study."""

    def note(session: Session) -> None:
        study = study_session(session, player)
        if study is None or study.current is None:
            raise ConflictError("there is nothing to skip: you are not in a study")
        mark(session, player, study.items[study.current].subject, SKIPPED)

    service.store.change(note)
    return me(service.store, player)
