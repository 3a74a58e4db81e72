"""Studies, for participants and for the owner of the server."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import defer

from topple.player import studies
from topple.player.errors import ConflictError, ForbiddenError
from topple.player.ids import ANONYMOUS_PATTERN
from topple.player.models import studies as models
from topple.player.models.players import NewPlayer
from topple.player.routes.guard import remember
from topple.player.routes.players import NO_CONSENT
from topple.player.service import AskedPage, CurrentService, Heavy, OwnerOnly, StudyPath
from topple.player.study_design import parse_design
from topple.player.study_export import ExportTable, export_csv, export_study, export_zip
from topple.player.study_session import me
from topple.player.tables import Study

ParticipantPath = Annotated[str, Path(pattern=ANONYMOUS_PATTERN, examples=["P-7K3MQX"])]
AskedParticipant = Annotated[
    str | None, Query(pattern=ANONYMOUS_PATTERN, description="Anonymous id of one participant.")
]

router = APIRouter(prefix="/api/studies", tags=["studies"])


@router.post("", dependencies=[OwnerOnly])
def new_study(service: CurrentService, body: models.StudyIn) -> models.StudyDetail:
    """Create a study."""
    return studies.study_detail(service.store, studies.create_study(service.store, body))


@router.post("/toml", dependencies=[OwnerOnly])
def new_study_from_toml(service: CurrentService, body: models.DesignText) -> models.StudyDetail:
    """Create a study from the text of a design file."""
    return new_study(service, parse_design(body.toml))


@router.get("", dependencies=[OwnerOnly])
def list_studies(service: CurrentService, page: AskedPage) -> list[models.StudyCard]:
    """List the studies without their consent texts, the newest first."""
    query = (
        select(Study)
        .options(defer(Study.consent), defer(Study.design))
        .order_by(Study.created.desc(), Study.id)
    )
    with service.store.reading() as session:
        return [studies.study_card(row) for row in page.rows(session, query)]


@router.get("/{study}")
def show_study(service: CurrentService, study: StudyPath) -> models.StudyOut:
    """Return what a participant sees of a study before taking part."""
    with service.store.reading() as session:
        return studies.study_out(studies.find_study(session, study))


@router.get("/{study}/detail", dependencies=[OwnerOnly])
def show_detail(service: CurrentService, study: StudyPath) -> models.StudyDetail:
    """Return a study with its puzzles, participants and scores."""
    return studies.study_detail(service.store, study)


@router.post("/{study}/participants", dependencies=[Heavy])
def join(
    request: Request,
    response: Response,
    service: CurrentService,
    study: StudyPath,
    body: models.ParticipantIn,
) -> NewPlayer:
    """Take part in a study; a used name is refused, unless the study lets it resume."""
    if not body.consent:
        raise ForbiddenError(NO_CONSENT)
    try:
        player, resumed = studies.take_part(service.store, study, body)
    except IntegrityError:
        if body.name is None:
            raise
        raise ConflictError(
            f"the name {body.name!r} is taken; if it is yours, continue by your personal link, "
            "which whoever invited you can send you again"
        ) from None
    who = me(service.store, player)
    remember(response, request, study, player.key, who)
    return NewPlayer(**who.model_dump(), key=player.key, resumed=resumed)


@router.delete("/{study}/participants/{participant}", dependencies=[OwnerOnly])
def remove_participant(
    service: CurrentService, study: StudyPath, participant: ParticipantPath
) -> models.StudyDetail:
    """Delete a participant and everything that is stored of them."""
    studies.delete_participant(service.store, study, participant)
    return studies.study_detail(service.store, study)


@router.delete("/{study}", dependencies=[OwnerOnly])
def remove_study(service: CurrentService, study: StudyPath) -> models.StudyCard:
    """Delete a study with all its participants."""
    with service.store.reading() as session:
        card = studies.study_card(studies.find_study(session, study))
    studies.delete_study(service.store, study)
    return card


def _attachment(study: str, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="study-{study}.{ending}"'}


def _file(kind: str) -> dict[str, Any]:
    return {
        "dependencies": [OwnerOnly],
        "response_class": Response,
        "responses": {200: {"content": {kind: {}}}},
    }


@router.get("/{study}/export.csv", **_file("text/csv"))
def as_csv(
    service: CurrentService,
    study: StudyPath,
    table: ExportTable = ExportTable.ATTEMPTS,
    participant: AskedParticipant = None,
) -> Response:
    """Return one table of a study, of everybody or of one participant."""
    content = export_csv(export_study(service.store, study, participant), table)
    return Response(content, media_type="text/csv", headers=_attachment(study, "csv"))


@router.get("/{study}/export.zip", **_file("application/zip"))
def as_zip(
    service: CurrentService, study: StudyPath, participant: AskedParticipant = None
) -> Response:
    """Return all tables of a study as CSV files, with the design of the study."""
    content = export_zip(export_study(service.store, study, participant))
    return Response(content, media_type="application/zip", headers=_attachment(study, "zip"))


@router.get("/{study}/export.json", dependencies=[OwnerOnly])
def as_json(
    service: CurrentService,
    study: StudyPath,
    response: Response,
    participant: AskedParticipant = None,
) -> models.StudyExport:
    """Return the study, its participants without names, and all tables."""
    response.headers.update(_attachment(study, "json"))
    return export_study(service.store, study, participant)
