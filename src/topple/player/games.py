"""I-PHYRE games by name, published or made here, and keeping attempts at them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from fastapi import HTTPException
from sqlalchemy import select
from sqlalchemy.orm import Session

from topple.iphyre.episode import play
from topple.iphyre.game import Game, GameError
from topple.iphyre.game_file import game_from_json
from topple.iphyre.games import game_named
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.score import Score
from topple.iphyre.split import split_of
from topple.player import tables
from topple.player.attempts import add_attempt
from topple.player.ids import OWN
from topple.player.models import base
from topple.player.models.base import Benchmark
from topple.player.models.iphyre import GameAttempt
from topple.player.people import Person
from topple.player.store import Store
from topple.player.tasks import find_puzzle

RULES = AT_60_HZ  # people play at 60 ticks a second

Click = tuple[int, int, int | None]  # tick, body, tick on the screen


@dataclass(frozen=True)
class PlayedGame:
    """A game under the name it is played by."""

    name: str
    game: Game

    @property
    def split(self) -> str:
        """Its split, or that it is somebody's own."""
        split = None if self.name.startswith(OWN) else split_of(self.name)
        return split.value if split else "own"


def find_game(store: Store, name: str) -> PlayedGame:
    """A game by its name."""
    if name.startswith(OWN):
        row = find_puzzle(store, name.removeprefix(OWN), Benchmark.IPHYRE)
        return PlayedGame(name, game_from_json(row.data))
    try:
        return PlayedGame(name, game_named(name))
    except GameError as error:
        raise HTTPException(404, str(error)) from None


def start_attempt(store: Store, person: Person, name: str) -> tables.Attempt:
    """Keep an attempt that begins now."""
    return store.change(
        lambda session: add_attempt(session, person, Benchmark.IPHYRE, name, [], finished=False)
    )


def keep_clicks(store: Store, attempt_id: int, clicks: list[Click]) -> None:
    """Keep what was removed so far."""
    with store.transaction() as session:
        row = session.get_one(tables.Attempt, attempt_id)
        row.action = [list(click) for click in clicks]


def finish_attempt(
    store: Store, attempt_id: int, clicks: list[Click], score: Score, *, abandoned: bool
) -> tables.Attempt:
    """Keep how an attempt ended."""
    with store.transaction() as session:
        row = session.get_one(tables.Attempt, attempt_id)
        row.action = [list(click) for click in clicks]
        _end(row, score, abandoned)
        return row


def _end(row: tables.Attempt, score: Score, abandoned: bool) -> None:
    row.finished, row.abandoned = True, abandoned
    row.solved, row.ticks, row.reward = score.solved, score.ticks, score.reward


def play_out(game: Game, clicks: list[Click]) -> Score:
    """What an attempt earns if nothing more is removed."""
    return play(game, plan_of(clicks), RULES)


def plan_of(clicks: list[Click]) -> Plan:
    """The plan that some clicks amount to."""
    return Plan(tuple(Elimination(tick, body) for tick, body, _ in clicks))


def recover(store: Store) -> int:
    """End attempts that were under way when a server was killed; tells how many."""
    with store.transaction() as session:
        rows = list(session.scalars(select(tables.Attempt).where(~tables.Attempt.finished)))
        for row in rows:
            with suppress(HTTPException):  # a game that is no more has no end to play to
                game = find_game(store, row.subject).game
                _end(row, play_out(game, row_clicks(row)), abandoned=True)
        return len(rows)


def row_clicks(row: tables.Attempt) -> list[Click]:
    """What was removed in an attempt."""
    return [(tick, body, shown) for tick, body, shown in row.action]


def attempt_model(row: tables.Attempt) -> GameAttempt:
    """A finished attempt for the page."""
    clicks = row_clicks(row)
    return GameAttempt(
        id=row.id,
        number=row.number,
        solved=row.solved,
        reward=row.reward or 0.0,
        ticks=row.ticks,
        removed=len(clicks),
        plan=[base.Elimination(tick=tick, body=body) for tick, body, _ in clicks],
        counted=row.counted,
        abandoned=row.abandoned,
    )


def counted_rewards(session: Session, person: Person) -> dict[str, list[float]]:
    """A player's rewards of counted attempts, by game."""
    table = tables.Attempt
    query = select(table.subject, table.reward).where(
        table.player_id == person.id,
        table.benchmark == Benchmark.IPHYRE.value,
        table.counted,
        table.finished,
    )
    rewards: dict[str, list[float]] = {}
    for name, reward in session.execute(query.order_by(table.id)):
        rewards.setdefault(name, []).append(reward or 0.0)
    return rewards
