"""Puzzles: making, keeping, checking."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse

from topple.phyre.tier import Tier
from topple.player import tables
from topple.player.ids import OWN, PuzzlePath, new_short_id
from topple.player.models.base import Benchmark, TierName
from topple.player.models.puzzles import (
    PuzzleCheck,
    PuzzleIn,
    PuzzleOut,
    Solvability,
    SolvabilityIn,
)
from topple.player.people import Person
from topple.player.puzzles import (
    PuzzleError,
    blank,
    check,
    clean_data,
    game_solvability,
    read_game,
    read_scene,
    scene_solvability,
)
from topple.player.service import Desk, Heavy, Known, Visitor

router = APIRouter(prefix="/api/puzzles", tags=["puzzles"])

MAX_PUZZLES = 500  # of one player

_THUMBNAIL = {
    Benchmark.PHYRE.value: "/api/phyre/tasks/{}/thumbnail.png",
    Benchmark.IPHYRE.value: "/api/iphyre/games/{}/thumbnail.png",
}


def _out(row: tables.Puzzle, visitor: Person | None) -> PuzzleOut:
    subject = f"{OWN}{row.id}"
    return PuzzleOut(
        id=row.id,
        subject=subject,
        name=row.name,
        benchmark=Benchmark(row.benchmark),
        tier=TierName(row.tier),
        data=row.data,
        thumbnail=_THUMBNAIL[row.benchmark].format(subject),
        mine=visitor is not None and row.player_id == visitor.id,
    )


def _find(session: Session, puzzle: str) -> tables.Puzzle:
    row = session.get(tables.Puzzle, puzzle)
    if row is None:
        raise HTTPException(404, f"there is no puzzle {puzzle!r} here")
    return row


def _data(body: PuzzleIn) -> dict[str, object]:
    try:
        return clean_data(body)
    except PuzzleError as error:
        raise HTTPException(422, str(error)) from None


@router.get("")
def list_puzzles(
    desk: Desk, visitor: Visitor, benchmark: Benchmark | None = None
) -> list[PuzzleOut]:
    """All puzzles made here, the newest first."""
    query = select(tables.Puzzle).order_by(tables.Puzzle.created.desc()).limit(MAX_PUZZLES)
    if benchmark is not None:
        query = query.where(tables.Puzzle.benchmark == benchmark.value)
    with desk.store.reading() as session:
        return [_out(row, visitor) for row in session.scalars(query)]


@router.get("/blank")
def blank_puzzle(benchmark: Benchmark) -> PuzzleIn:
    """A first puzzle to change."""
    return blank(benchmark)


@router.post("/check")
def check_puzzle(body: PuzzleIn) -> PuzzleCheck:
    """Whether a puzzle keeps the rules, without keeping it."""
    return check(body)


@router.post("", dependencies=[Heavy])
def new_puzzle(desk: Desk, player: Known, body: PuzzleIn) -> PuzzleOut:
    """Keep a puzzle."""
    row = tables.Puzzle(
        id=new_short_id(),
        player_id=player.id,
        name=body.name,
        benchmark=body.benchmark.value,
        tier=body.tier.value,
        data=_data(body),
    )
    with desk.store.transaction() as session:
        table = tables.Puzzle
        made = session.scalar(
            select(func.count()).select_from(table).where(table.player_id == player.id)
        )
        if (made or 0) >= MAX_PUZZLES:
            raise HTTPException(409, f"you have {MAX_PUZZLES} puzzles; delete one first")
        session.add(row)
    return _out(row, player)


@router.get("/{puzzle}")
def show_puzzle(desk: Desk, visitor: Visitor, puzzle: PuzzlePath) -> PuzzleOut:
    """One puzzle."""
    with desk.store.reading() as session:
        return _out(_find(session, puzzle), visitor)


@router.get("/{puzzle}/file.json")
def download(desk: Desk, puzzle: PuzzlePath) -> JSONResponse:
    """The file that the Python API and the command line load."""
    with desk.store.reading() as session:
        row = _find(session, puzzle)
        named = f'attachment; filename="puzzle-{row.id}.json"'
        return JSONResponse(row.data, headers={"Content-Disposition": named})


def _changeable(session: Session, player: Person, puzzle: str) -> tables.Puzzle:
    """A puzzle that its maker may still change: nobody else's results rest on it."""
    row = _find(session, puzzle)
    if row.player_id != player.id:
        raise HTTPException(403, "only its maker may change a puzzle; save it as your own")
    subject = f"{OWN}{puzzle}"
    table = tables.Attempt
    others = session.scalar(
        select(func.count())
        .select_from(table)
        .where(table.subject == subject, (table.player_id != player.id) | ~table.finished)
    )
    studies = session.scalars(select(tables.Study.subjects))
    if others or any(subject in subjects for subjects in studies):
        raise HTTPException(409, "others play this puzzle or a study has it; save it as a new one")
    # The maker's own attempts were at a puzzle that is no more.
    session.execute(delete(table).where(table.subject == subject))
    session.execute(delete(tables.Mark).where(tables.Mark.subject == subject))
    return row


@router.put("/{puzzle}")
def change_puzzle(desk: Desk, player: Known, puzzle: PuzzlePath, body: PuzzleIn) -> PuzzleOut:
    """Change a puzzle; the maker's attempts at it are forgotten."""
    data = _data(body)
    with desk.store.transaction() as session:
        row = _changeable(session, player, puzzle)
        if row.benchmark != body.benchmark.value:
            raise HTTPException(422, "a puzzle stays with its benchmark; save a new one")
        row.name, row.tier, row.data = body.name, body.tier.value, data
    return _out(row, player)


@router.delete("/{puzzle}")
def delete_puzzle(desk: Desk, player: Known, puzzle: PuzzlePath) -> PuzzleOut:
    """Delete a puzzle; answers what it was."""
    with desk.store.transaction() as session:
        row = _changeable(session, player, puzzle)
        gone = _out(row, player)
        session.delete(row)
    return gone


@router.post("/{puzzle}/solvability", dependencies=[Heavy])
def solvability(desk: Desk, puzzle: PuzzlePath, body: SolvabilityIn) -> Solvability:
    """Look for solutions for some seconds."""
    with desk.store.reading() as session:
        row = _find(session, puzzle)
    with desk.long.turn():
        if row.benchmark == Benchmark.PHYRE.value:
            return scene_solvability(read_scene(row.data), Tier(row.tier), body.seconds)
        return game_solvability(read_game(row.data), body.seconds)
