"""Studies, for participants and for the owner of the server."""

from __future__ import annotations

from fastapi import APIRouter, Response
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import defer
from starlette.responses import StreamingResponse

from topple.player.errors import ConflictError, ForbiddenError
from topple.player.models.players import NewPlayer
from topple.player.models.studies import (
    ParticipantIn,
    StudyCard,
    StudyDetail,
    StudyExport,
    StudyIn,
    StudyOut,
)
from topple.player.players import me, new_player, participant_named
from topple.player.service import AskedPage, CurrentService, Heavy, OwnerOnly, StudyPath
from topple.player.studies import create_study, find_study, study_card, study_detail, study_out
from topple.player.study_export import export_csv, export_rows, export_study
from topple.player.tables import Study

router = APIRouter(prefix="/api/studies", tags=["studies"])


@router.post("", dependencies=[OwnerOnly])
def new_study(service: CurrentService, body: StudyIn) -> StudyDetail:
    """Create a study."""
    return study_detail(service.store, create_study(service.store, body))


@router.get("", dependencies=[OwnerOnly])
def list_studies(service: CurrentService, page: AskedPage) -> list[StudyCard]:
    """List the studies without their consent texts, the newest first."""
    query = select(Study).options(defer(Study.consent)).order_by(Study.created.desc(), Study.id)
    with service.store.reading() as session:
        return [StudyCard(**study_card(row)) for row in page.rows(session, query)]


@router.get("/{study}")
def show_study(service: CurrentService, study: StudyPath) -> StudyOut:
    """Return what a participant sees of a study before taking part."""
    with service.store.reading() as session:
        return study_out(find_study(session, study))


@router.get("/{study}/detail", dependencies=[OwnerOnly])
def show_detail(service: CurrentService, study: StudyPath) -> StudyDetail:
    """Return a study with its puzzles, participants and scores."""
    return study_detail(service.store, study)


@router.post("/{study}/participants", dependencies=[Heavy])
def take_part(service: CurrentService, study: StudyPath, body: ParticipantIn) -> NewPlayer:
    """Take part in a study; a used name is refused, unless the study lets it resume."""
    with service.store.reading() as session:
        by_name = find_study(session, study).resume_by_name
    if not body.consent:
        raise ForbiddenError("you can take part only if you give your consent")
    known = participant_named(service.store, study, body.name) if body.name and by_name else None
    try:
        player = known or new_player(service.store, study, body.name)
    except IntegrityError:
        raise ConflictError(
            f"the name {body.name!r} is taken; if it is yours, continue by your personal link, "
            "which whoever invited you can send you again"
        ) from None
    return NewPlayer(
        **me(service.store, player).model_dump(), key=player.key, resumed=known is not None
    )


def _attachment(study: str, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="study-{study}.{ending}"'}


@router.get(
    "/{study}/export.csv",
    dependencies=[OwnerOnly],
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def as_csv(service: CurrentService, study: StudyPath) -> StreamingResponse:
    """Return every attempt of a study, one per row."""
    with service.store.reading() as session:
        find_study(session, study)
    rows = export_csv(export_rows(service.store, study))
    return StreamingResponse(rows, media_type="text/csv", headers=_attachment(study, "csv"))


@router.get("/{study}/export.json", dependencies=[OwnerOnly])
def as_json(service: CurrentService, study: StudyPath, response: Response) -> StudyExport:
    """Return the study, its participants without names, and every attempt."""
    response.headers.update(_attachment(study, "json"))
    return export_study(service.store, study)
