"""Players: who they are, and what they have done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, bindparam, case, func, select
from sqlalchemy.orm import Session

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.player.errors import ForbiddenError
from topple.player.ids import new_anonymous_id, new_player_key
from topple.player.models.base import Benchmark
from topple.player.models.players import PuzzleProgress
from topple.player.store import Store
from topple.player.tables import Attempt, Mark, Player

SHOWN, SKIPPED = "shown", "skipped"  # kinds of marks


def find_player(store: Store, key: str) -> Player | None:
    """The player with a key."""
    with store.reading() as session:
        return session.scalar(PLAYER, {"key": key})


def new_player(store: Store, **columns: Any) -> Player:
    """Store a new player; a name is unique within its study."""
    return store.change(add_player, **columns)


def add_player(session: Session, /, **columns: Any) -> Player:
    """Add a new player."""
    row = Player(key=new_player_key(), anonymous_id=new_anonymous_id(), **columns)
    session.add(row)
    session.flush()
    return row


def marks(session: Session, player: Player, kind: str) -> set[str]:
    """The puzzles that a player has marked in this way."""
    return set(session.scalars(_MARKS, {"player": player.id, "kind": kind}))


def mark(session: Session, player: Player, subject: str, kind: str) -> None:
    """Store a mark of a player on a puzzle."""
    session.merge(Mark(player_id=player.id, subject=subject, kind=kind))


def refuse_in_study(player: Player) -> None:
    """Refuse what would help a participant of a study.

    Raises:
        ForbiddenError: the player is one.
    """
    if player.study_id is not None:
        raise ForbiddenError("no hints and no solutions are shown in a study")


@dataclass(frozen=True)
class Tally:
    """A player's attempts at one puzzle, counted."""

    attempts: int = 0  # that count towards scores
    made: int = 0  # practice included
    solved_at: int | None = None  # number of the first one that solved it, among `attempts`
    best_reward: float | None = None
    practised: int = 0  # how many attempts solved it that do not count

    @property
    def solved(self) -> bool:
        """Whether an attempt that counts solved the puzzle."""
        return self.solved_at is not None

    def add(self, counted: bool, solved: bool, reward: float | None) -> Tally:
        """The tally after one more attempt."""
        if not counted:
            return replace(self, made=self.made + 1, practised=self.practised + solved)
        attempts = self.attempts + 1
        rewards = [r for r in (self.best_reward, reward) if r is not None]
        return Tally(
            attempts,
            self.made + 1,
            attempts if solved and not self.solved else self.solved_at,
            max(rewards, default=None),
            self.practised,
        )


def _tally_query(of_one_puzzle: bool) -> Select[Any]:
    own = [Attempt.player_id == bindparam("player"), Attempt.benchmark == bindparam("benchmark")]
    made: Any = func.max(Attempt.number)
    if of_one_puzzle:
        # Practice may go on for ever, and only its last number is of interest. Attempts that
        # count come before it, so their numbers are at most the highest limit.
        own.append(Attempt.subject == bindparam("subject"))
        made = select(made).where(*own).scalar_subquery()
        own.append(Attempt.number <= MAX_ATTEMPTS)
    query = select(
        Attempt.subject,
        func.count(case((Attempt.counted, 1))),
        made,
        func.min(case((Attempt.counted & Attempt.solved, Attempt.number))),
        func.max(case((Attempt.counted, Attempt.reward))),
        func.count(case((~Attempt.counted & Attempt.solved, 1))),
    )
    return query.where(*own).group_by(Attempt.subject)


# Queries of every call are built once, which takes longer than to run them.
_TALLIES, _TALLY = _tally_query(False), _tally_query(True)
#: The player with a key.
PLAYER = select(Player).where(Player.key == bindparam("key"))
_MARKS = select(Mark.subject).where(
    Mark.player_id == bindparam("player"), Mark.kind == bindparam("kind")
)


def tallies(
    session: Session, player: Player | None, benchmark: Benchmark, subject: str | None = None
) -> dict[str, Tally]:
    """A player's attempts by puzzle, or at one puzzle; empty without a player."""
    if player is None:
        return {}
    own: dict[str, Any] = {"player": player.id, "benchmark": benchmark.value}
    rows = (
        session.execute(_TALLIES, own)
        if subject is None
        else session.execute(_TALLY, {**own, "subject": subject})
    )
    return {name: Tally(*numbers) for name, *numbers in rows}


def all_progress(store: Store, player: Player) -> list[PuzzleProgress]:
    """What a player has done, puzzle by puzzle."""
    with store.reading() as session:
        return [
            PuzzleProgress.from_object(
                tally,
                benchmark=benchmark,
                subject=subject,
                attempts=tally.made,
                practised=tally.practised > 0,
            )
            for benchmark in Benchmark
            for subject, tally in tallies(session, player, benchmark).items()
        ]
