"""The server itself, and who plays."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse

from topple import __version__
from topple.phyre.engine_hash import engine_hash
from topple.player.models.people import Health, Me, NewPlayer
from topple.player.people import SKIPPED, mark, me, new_person, study_session
from topple.player.service import OWNER_COOKIE, Desk, Heavy, Known, is_owner, is_same

router = APIRouter(prefix="/api", tags=["people"])

OWNER_SECONDS = 30 * 24 * 3600


@router.get("/health")
def health(owner: Annotated[bool, Depends(is_owner)]) -> Health:
    """That the server is up, and what it is."""
    return Health(version=__version__, engine=engine_hash(), owner=owner)


@router.get("/owner", include_in_schema=False, dependencies=[Heavy])
def become_owner(
    request: Request, desk: Desk, key: Annotated[str, Query(max_length=200)] = ""
) -> RedirectResponse:
    """The link that `topple play` prints for whoever started it, to make and export studies."""
    if desk.settings.owner_key is None or not is_same(key, desk.settings.owner_key):
        raise HTTPException(403, "this is not the owner key that `topple play` printed")
    answer = RedirectResponse("/#/studies", 303)
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
def new_player(desk: Desk) -> NewPlayer:
    """A new anonymous player."""
    person = new_person(desk.store)
    return NewPlayer(anonymous_id=person.anonymous_id, key=person.key)


@router.get("/me")
def who_am_i(desk: Desk, player: Known) -> Me:
    """The caller and, for a participant, their place in the study."""
    return me(desk.store, player)


@router.post("/me/skip")
def skip(desk: Desk, player: Known) -> Me:
    """Give up the current item of a study."""

    def note(session: Session) -> None:
        study = study_session(session, player)
        if study is None or study.current is None:
            raise HTTPException(409, "there is nothing to skip: you are not within a study")
        mark(session, player, study.items[study.current].subject, SKIPPED)

    desk.store.change(note)
    return me(desk.store, player)
