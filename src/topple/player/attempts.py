"""Attempts of people: which are allowed, which count, and storing them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from topple.iphyre.episode import play
from topple.iphyre.game import Game
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.play_log import PAPER_PLAYS
from topple.iphyre.score import Score
from topple.phyre.auccess import MAX_ATTEMPTS as TASK_ATTEMPTS
from topple.player.models import base
from topple.player.models.base import Benchmark, Progress
from topple.player.models.iphyre import GameAttempt
from topple.player.players import SHOWN, Tally, marks, tallies
from topple.player.puzzles import RULES, find_game
from topple.player.store import Store
from topple.player.study_session import participation
from topple.player.tables import Attempt, Player, Study

#: Attempts that count, as in the papers.
LIMITS = {Benchmark.PHYRE: TASK_ATTEMPTS, Benchmark.IPHYRE: PAPER_PLAYS}

Click = tuple[int, int, int | None]  # tick, body, tick on the screen


def progress(
    session: Session,
    player: Player | None,
    benchmark: Benchmark,
    subject: str,
    tally: Tally | None = None,
) -> Progress:
    """How far a player is with a puzzle; the tally of their attempts is looked up if need be."""
    if tally is None:
        tally = tallies(session, player, benchmark, subject).get(subject, Tally())
    limit, shown = LIMITS[benchmark], False
    if player is not None:
        shown = subject in marks(session, player, SHOWN)
        study = None if player.study_id is None else session.get(Study, player.study_id)
        limit = limit if study is None else study.attempt_limit
    return Progress.from_object(tally, limit=limit, shown=shown)


def allowed_progress(
    session: Session, player: Player, benchmark: Benchmark, subject: str
) -> tuple[Tally, Progress]:
    """A player's attempts at a puzzle, if it may be played now.

    Raises:
        ForbiddenError: the study has another puzzle to play now, or does not have this one.
        ConflictError: the puzzle is finished.
    """
    # The whole study has to be tallied to know which puzzle is the current one.
    done = tallies(session, player, benchmark, subject if player.study_id is None else None)
    study = participation(session, player, done)
    if study is not None:
        study.check_playable(benchmark, subject)
    tally = done.get(subject, Tally())
    return tally, progress(session, player, benchmark, subject, tally)


def add_attempt(
    session: Session,
    /,
    player: Player,
    benchmark: Benchmark,
    subject: str,
    action: list[Any],
    *,
    practice: bool = False,
    **columns: Any,
) -> tuple[Attempt, Progress]:
    """Store a new attempt and return it with the player's progress after it.

    It is numbered, and counts if it is no practice, within the limit, and no solution was shown.

    Raises:
        ForbiddenError, ConflictError: the player's study does not allow it.
    """
    # One attempt of a player at a time, so that numbers and limits hold.
    if session.get_bind().dialect.name != "sqlite":  # which has one writer anyway
        session.execute(select(Player.id).where(Player.id == player.id).with_for_update())
    tally, before = allowed_progress(session, player, benchmark, subject)
    row = Attempt(
        player_id=player.id,
        benchmark=benchmark.value,
        subject=subject,
        number=tally.made + 1,
        counted=not practice and not before.shown and before.attempts < before.limit,
        action=action,
        **columns,
    )
    session.add(row)
    session.flush()
    after = tally.add(row.counted, row.solved, row.reward)
    return row, Progress.from_object(after, limit=before.limit, shown=before.shown)


def own_attempts(player: Player, benchmark: Benchmark, subject: str) -> Select[Attempt]:
    """The query for a player's finished attempts at a puzzle, in order."""
    return (
        select(Attempt)
        .where(
            Attempt.player_id == player.id,
            Attempt.benchmark == benchmark.value,
            Attempt.subject == subject,
            Attempt.finished,
        )
        .order_by(Attempt.number)
    )


def start_game(store: Store, player: Player, name: str, clicks: list[Click], tick: int) -> Attempt:
    """Store an attempt at a game that begins now; one that takes up an earlier play is practice."""
    row, _ = store.change(
        add_attempt,
        player,
        Benchmark.IPHYRE,
        name,
        [list(click) for click in clicks],
        practice=tick > 0,
        finished=False,
        server=store.server_id,
    )
    return row


def save_clicks(store: Store, attempt_id: int, clicks: list[Click]) -> None:
    """Store the removals made so far."""
    with store.transaction() as session:
        session.get_one(Attempt, attempt_id).action = [list(click) for click in clicks]


def finish_game(
    store: Store, attempt_id: int, clicks: list[Click], score: Score, *, abandoned: bool
) -> Attempt:
    """Store the end of an attempt at a game."""
    with store.transaction() as session:
        row = session.get_one(Attempt, attempt_id)
        row.action = [list(click) for click in clicks]
        _end(row, score, abandoned)
        return row


def _end(row: Attempt, score: Score, abandoned: bool) -> None:
    row.finished, row.abandoned = True, abandoned
    row.solved, row.ticks, row.reward = score.solved, score.ticks, score.reward


def play_out(game: Game, clicks: list[Click]) -> Score:
    """The score of an attempt in which nothing more is removed."""
    return play(game, plan_of(clicks), RULES)


def plan_of(clicks: list[Click]) -> Plan:
    """The plan that some clicks amount to."""
    return Plan(tuple(Elimination(tick, body) for tick, body, _ in clicks))


def finish_interrupted(store: Store) -> int:
    """Play out the attempts that were under way when a server was killed; returns how many.

    Those of another server that still runs on this database are its own.
    """
    with store.transaction() as session:
        found = list(session.scalars(select(Attempt).where(~Attempt.finished)))
        running = {n for row in found if (n := row.server) is not None and store.is_running(n)}
        rows = [row for row in found if row.server not in running]
        for row in rows:
            with suppress(ValueError):  # a deleted or damaged game cannot be played out
                game = find_game(store, row.subject).game
                _end(row, play_out(game, row_clicks(row)), abandoned=True)
        return len(rows)


def row_clicks(row: Attempt) -> list[Click]:
    """The removals of an attempt at a game."""
    return [(tick, body, shown) for tick, body, shown in row.action]


def game_attempt(row: Attempt) -> GameAttempt:
    """A finished attempt at a game, for the page."""
    plan = [base.Elimination(tick=tick, body=body) for tick, body, _ in row_clicks(row)]
    return GameAttempt.from_object(row, reward=row.reward or 0.0, removed=len(plan), plan=plan)
