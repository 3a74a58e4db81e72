"""The server itself, and who plays."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException
from sqlalchemy.orm import Session

from topple import __version__
from topple.phyre.engine_hash import engine_hash
from topple.player.models.people import Health, Me, NewPlayer
from topple.player.people import SKIPPED, mark, me, new_person, study_session
from topple.player.service import Desk, Heavy, Known, is_owner

router = APIRouter(prefix="/api", tags=["people"])


@router.get("/health")
def health(owner: Annotated[bool, Depends(is_owner)]) -> Health:
    """That the server is up, and what it is."""
    return Health(version=__version__, engine=engine_hash(), owner=owner)


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
