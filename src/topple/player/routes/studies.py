"""Studies: for participants, and for who runs them."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Response
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from starlette.responses import StreamingResponse

from topple.player import tables
from topple.player.ids import StudyPath
from topple.player.models.people import NewPlayer
from topple.player.models.studies import ParticipantIn, StudyDetail, StudyExport, StudyIn, StudyOut
from topple.player.people import Person, me, new_person, participant_named
from topple.player.service import Desk, Heavy, OwnerOnly
from topple.player.studies import (
    create_study,
    find_study,
    study_detail,
    study_out,
)
from topple.player.study_export import export_csv, export_study

router = APIRouter(prefix="/api/studies", tags=["studies"])


@router.post("", dependencies=[OwnerOnly])
def new_study(desk: Desk, body: StudyIn) -> StudyDetail:
    """Create a study."""
    return study_detail(desk.store, create_study(desk.store, body))


@router.get("", dependencies=[OwnerOnly])
def list_studies(desk: Desk) -> list[StudyOut]:
    """All studies, the newest first."""
    with desk.store.reading() as session:
        rows = session.scalars(select(tables.Study).order_by(tables.Study.created.desc()))
        return [study_out(row) for row in rows]


@router.get("/{study}")
def show_study(desk: Desk, study: StudyPath) -> StudyOut:
    """What a study is about, before one takes part."""
    with desk.store.reading() as session:
        return study_out(find_study(session, study))


@router.get("/{study}/detail", dependencies=[OwnerOnly])
def show_detail(desk: Desk, study: StudyPath) -> StudyDetail:
    """A study with its puzzles, participants and scores."""
    return study_detail(desk.store, study)


@router.post("/{study}/participants", dependencies=[Heavy])
def take_part(desk: Desk, study: StudyPath, body: ParticipantIn) -> NewPlayer:
    """Take part in a study; a name that was used before leads back to its place."""
    with desk.store.reading() as session:
        find_study(session, study)
    if not body.consent:
        raise HTTPException(403, "taking part needs your consent")
    known = participant_named(desk.store, study, body.name) if body.name else None
    person = known
    if person is None:
        try:
            person = new_person(desk.store, study, body.name)
        except IntegrityError:  # the same name, at the same moment
            raise HTTPException(409, f"the name {body.name!r} was just taken") from None
    return _welcome(desk, person, resumed=known is not None)


def _welcome(desk: Desk, person: Person, resumed: bool) -> NewPlayer:
    known = me(desk.store, person)
    return NewPlayer(
        anonymous_id=known.anonymous_id, study=known.study, key=person.key, resumed=resumed
    )


def _named(study: str, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="study-{study}.{ending}"'}


@router.get(
    "/{study}/export.csv",
    dependencies=[OwnerOnly],
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def as_csv(desk: Desk, study: StudyPath) -> StreamingResponse:
    """Every attempt of a study, a row each."""
    with desk.store.reading() as session:
        find_study(session, study)
    return StreamingResponse(
        export_csv(desk.store, study), media_type="text/csv", headers=_named(study, "csv")
    )


@router.get("/{study}/export.json", dependencies=[OwnerOnly])
def as_json(desk: Desk, study: StudyPath, response: Response) -> StudyExport:
    """The study, its participants without names, and every attempt."""
    response.headers.update(_named(study, "json"))
    return export_study(desk.store, study)
