"""Puzzles made in the player: storing, changing and checking them."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, defer
from starlette.responses import JSONResponse

from topple.player import own_puzzles
from topple.player.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError
from topple.player.ids import OWN, new_short_id
from topple.player.models.base import Benchmark
from topple.player.models.puzzles import (
    DraftIn,
    PuzzleCard,
    PuzzleCheck,
    PuzzleIn,
    PuzzleOut,
    Solvability,
    SolvabilityIn,
)
from topple.player.own_puzzles import blank, check, clean_data
from topple.player.service import (
    AskedPage,
    CurrentPlayer,
    CurrentService,
    Heavy,
    OptionalPlayer,
    PuzzlePath,
)
from topple.player.tables import Attempt, Mark, Player, Puzzle, Study
from topple.player.texts import check_texts

router = APIRouter(prefix="/api/puzzles", tags=["puzzles"])

MAX_PUZZLES = 500  # of one player

_THUMBNAIL = {
    Benchmark.PHYRE.value: "/api/phyre/tasks/{}/thumbnail.png",
    Benchmark.IPHYRE.value: "/api/iphyre/games/{}/thumbnail.png",
}


def _card(row: Puzzle, player: Player | None) -> PuzzleCard:
    """A stored puzzle without its data."""
    subject = f"{OWN}{row.id}"
    thumbnail = _THUMBNAIL[row.benchmark].format(subject)
    mine = player is not None and row.player_id == player.id
    return PuzzleCard.from_object(row, subject=subject, thumbnail=thumbnail, mine=mine)


def _out(row: Puzzle, player: Player | None) -> PuzzleOut:
    check_texts(row.data)
    puzzle = PuzzleOut(**_card(row, player).model_dump(), data=row.data)
    puzzle.model_dump_json()  # before a new row is committed, so that it can always be answered
    return puzzle


def _find(session: Session, puzzle: str) -> Puzzle:
    row = session.get(Puzzle, puzzle)
    if row is None:
        raise NotFoundError(f"there is no puzzle {puzzle!r} here")
    return row


@router.get("")
def list_puzzles(
    service: CurrentService,
    player: OptionalPlayer,
    page: AskedPage,
    benchmark: Benchmark | None = None,
) -> list[PuzzleCard]:
    """List the puzzles made here without their data, the newest first."""
    query = select(Puzzle).options(defer(Puzzle.data)).order_by(Puzzle.created.desc(), Puzzle.id)
    if benchmark is not None:
        query = query.where(Puzzle.benchmark == benchmark.value)
    with service.store.reading() as session:
        return [_card(row, player) for row in page.rows(session, query)]


@router.get("/blank")
def blank_puzzle(benchmark: Benchmark) -> PuzzleIn:
    """Return a simple puzzle to start from."""
    return blank(benchmark)


@router.post("/check")
def check_puzzle(body: PuzzleIn) -> PuzzleCheck:
    """Return whether a puzzle keeps the rules, without storing it."""
    return check(body)


@router.post("/solvability", dependencies=[Heavy])
def draft_solvability(service: CurrentService, body: DraftIn) -> Solvability:
    """Measure how many random actions or plans solve a puzzle, without storing it."""
    clean_data(body)
    with service.searches.slot():
        return own_puzzles.solvability(body, body.seconds, measure=True)


@router.post("", dependencies=[Heavy])
def new_puzzle(service: CurrentService, player: CurrentPlayer, body: PuzzleIn) -> PuzzleOut:
    """Store a puzzle."""
    row = Puzzle(
        id=new_short_id(),
        player_id=player.id,
        name=body.name,
        benchmark=body.benchmark.value,
        tier=body.tier.value,
        data=clean_data(body),
    )
    with service.store.transaction() as session:
        made = session.scalar(
            select(func.count()).select_from(Puzzle).where(Puzzle.player_id == player.id)
        )
        if (made or 0) >= MAX_PUZZLES:
            raise ConflictError(f"you have {MAX_PUZZLES} puzzles; delete one first")
        session.add(row)
        return _out(row, player)


@router.get("/{puzzle}")
def show_puzzle(service: CurrentService, player: OptionalPlayer, puzzle: PuzzlePath) -> PuzzleOut:
    """Return a puzzle with its data."""
    with service.store.reading() as session:
        return _out(_find(session, puzzle), player)


@router.get("/{puzzle}/file.json")
def download(service: CurrentService, puzzle: PuzzlePath) -> JSONResponse:
    """Return the file that the Python API and the command line load."""
    with service.store.reading() as session:
        row = _find(session, puzzle)
        check_texts(row.data)
        named = f'attachment; filename="puzzle-{row.id}.json"'
        return JSONResponse(row.data, headers={"Content-Disposition": named})


def _changeable(session: Session, player: Player, puzzle: str) -> Puzzle:
    """A puzzle that its maker may still change, because nobody else has played it."""
    row = _find(session, puzzle)
    if row.player_id != player.id:
        raise ForbiddenError("only its maker may change a puzzle; save a copy instead")
    subject = f"{OWN}{puzzle}"
    others = session.scalar(
        select(func.count())
        .select_from(Attempt)
        .where(Attempt.subject == subject, (Attempt.player_id != player.id) | ~Attempt.finished)
    )
    studies = session.execute(select(Study.subjects, Study.design))
    if others or any(subject in [*main, *design["practice"]] for main, design in studies):
        raise ConflictError(
            "others have played this puzzle or a study uses it; save a copy instead"
        )
    # The maker's own attempts were at the former puzzle.
    session.execute(delete(Attempt).where(Attempt.subject == subject))
    session.execute(delete(Mark).where(Mark.subject == subject))
    return row


@router.put("/{puzzle}")
def change_puzzle(
    service: CurrentService, player: CurrentPlayer, puzzle: PuzzlePath, body: PuzzleIn
) -> PuzzleOut:
    """Change a puzzle; the maker's attempts at it are deleted."""
    data = clean_data(body)
    with service.store.transaction() as session:
        row = _changeable(session, player, puzzle)
        if row.benchmark != body.benchmark.value:
            raise InvalidError("a puzzle cannot change its benchmark; save a new one")
        row.name, row.tier, row.data = body.name, body.tier.value, data
        return _out(row, player)


@router.delete("/{puzzle}")
def delete_puzzle(service: CurrentService, player: CurrentPlayer, puzzle: PuzzlePath) -> PuzzleCard:
    """Delete a puzzle."""
    with service.store.transaction() as session:
        row = _changeable(session, player, puzzle)
        gone = _card(row, player)
        session.delete(row)
    return gone


@router.post("/{puzzle}/solvability", dependencies=[Heavy])
def solvability(service: CurrentService, puzzle: PuzzlePath, body: SolvabilityIn) -> Solvability:
    """Search for solutions for some seconds."""
    with service.store.reading() as session:
        row = _find(session, puzzle)
    with service.searches.slot():
        return own_puzzles.solvability(row, body.seconds)
