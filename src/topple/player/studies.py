"""Studies: creating them, taking part, inviting and deleting participants, and scoring them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from topple.iphyre.play_log import Play, best
from topple.iphyre.score import Score, average
from topple.phyre.auccess import auccess
from topple.player.attempts import LIMITS, plan_of, row_clicks
from topple.player.errors import InvalidError, NotFoundError
from topple.player.ids import new_short_id
from topple.player.models import studies as models
from topple.player.models.base import Benchmark
from topple.player.players import SHOWN, add_player
from topple.player.store import Store
from topple.player.study_design import drawn, schedule
from topple.player.study_session import (
    CONSENTED,
    WITHDRAWN,
    Item,
    Participation,
    current_participation,
    free_player_id,
    participation,
    record,
)
from topple.player.tables import Attempt, Event, Mark, Player, Study, now


def create_study(store: Store, wanted: models.StudyIn) -> str:
    """Store a new study and return its id."""
    design = drawn(store, wanted)
    row = Study(
        id=new_short_id(),
        name=design.name,
        benchmark=design.benchmark.value,
        subjects=[name for block in design.blocks for name in block.puzzles],
        seed=design.seed,
        attempt_limit=design.attempt_limit or LIMITS[design.benchmark],
        consent=design.consent,
        resume_by_name=design.resume_by_name,
        design=design.model_dump(mode="json"),
    )
    with store.transaction() as session:
        session.add(row)
    return row.id


def all_studies(store: Store) -> list[str]:
    """The ids of all studies, the newest first."""
    with store.reading() as session:
        return list(session.scalars(select(Study.id).order_by(Study.created.desc())))


def find_study(session: Session, study_id: str) -> Study:
    """A study by its id."""
    row = session.get(Study, study_id)
    if row is None:
        raise NotFoundError(f"there is no study {study_id!r} here")
    return row


def add_participant(session: Session, /, study_id: str, **columns: Any) -> Player:
    """Add a new participant, with the next number and the order that belongs to it."""
    study = find_study(session, study_id)
    last = select(func.max(Player.number)).where(Player.study_id == study_id)
    number = (session.scalar(last) or 0) + 1
    order = schedule(models.StudyIn.model_validate(study.design), number)
    player = add_player(session, study_id=study_id, number=number, schedule=order, **columns)
    if player.consented is not None:
        record(session, player, CONSENTED)
    return player


def take_part(store: Store, study_id: str, body: models.ParticipantIn) -> tuple[Player, bool]:
    """Join a study, or continue by a name if the study allows it; tells which of the two.

    Raises:
        InvalidError: a name is given, but the study asks for none.
        IntegrityError: the name is taken.
    """
    with store.reading() as session:
        study = find_study(session, study_id)
        if body.name and not study.design.get("ask_name"):
            raise InvalidError("this study asks for no names; leave yours out")
        known = None
        if body.name and study.resume_by_name:
            known = participant_named(session, study_id, body.name)
        free = free_player_id(session, body.free_player)
    if known is not None:
        return known, True
    columns = {"name": body.name, "consented": now(), "free_id": free}
    return store.change(add_participant, study_id, **columns), False


def participant_named(session: Session, study_id: str, name: str) -> Player | None:
    """The participant of a study with a name."""
    return session.scalar(select(Player).where(Player.study_id == study_id, Player.name == name))


def find_participant(session: Session, study_id: str, anonymous_id: str) -> Player:
    """The participant of a study with an anonymous id."""
    query = select(Player).where(Player.study_id == study_id, Player.anonymous_id == anonymous_id)
    found = session.scalar(query)
    if found is None:
        raise NotFoundError(f"study {study_id!r} has no participant {anonymous_id!r}")
    return found


def invite_participant(
    store: Store, study_id: str, name: str | None = None, group: str = ""
) -> tuple[str, str]:
    """The anonymous id and personal link of a participant, who is added if the name is new.

    Consent is asked for when the link is opened.
    """
    checked = models.ParticipantIn(consent=True, name=name).name
    with store.reading() as session:
        find_study(session, study_id)
        player = participant_named(session, study_id, checked) if checked else None
    player = player or store.change(add_participant, study_id, name=checked, group=group)
    return player.anonymous_id, study_link(study_id, player.key)


def _delete(session: Session, player: Player) -> None:
    for table in (Event, Mark, Attempt):
        session.execute(delete(table).where(table.player_id == player.id))
    session.delete(player)


def delete_participant(store: Store, study_id: str, anonymous_id: str) -> None:
    """Delete a participant and everything that is stored of them."""
    store.forget(
        lambda session: _delete(session, find_participant(session, study_id, anonymous_id))
    )


def delete_study(store: Store, study_id: str) -> None:
    """Delete a study with all its participants."""

    def work(session: Session) -> None:
        study = find_study(session, study_id)
        for player in participants(session, study_id):
            _delete(session, player)
        session.flush()
        session.delete(study)

    store.forget(work)


def withdraw(session: Session, player: Player) -> None:
    """Let a participant leave."""
    own = current_participation(session, player).player
    if own.ended is None:
        own.ended, own.withdrawn = now(), True
        record(session, own, WITHDRAWN)


def forget(session: Session, player: Player) -> None:
    """Let a participant leave, and delete everything that is stored of them."""
    _delete(session, current_participation(session, player).player)


def study_link(study_id: str, key: str | None = None) -> str:
    """The page of a study, for everybody or for one participant."""
    return f"/#/study/{study_id}" + (f"?key={key}" if key else "")


def study_card(row: Study) -> models.StudyCard:
    """A study in a list."""
    return models.StudyCard.from_object(row, items=len(row.subjects), link=study_link(row.id))


def kept(design: models.StudyIn) -> list[str]:
    """What is kept of a participant, in sentences for the consent form."""
    questions = len(design.before) + len(design.after) + len(design.checks)
    moves = "placed" if design.benchmark is Benchmark.PHYRE else "removed"
    return [
        "A random id, such as P-7K3MQX, under which your data are stored and exported."
        + ("" if design.ask_name else " You are not asked for your name."),
        *(
            ["Your name or code, if you enter one. It stays on this server and is not exported."]
            if design.ask_name
            else []
        ),
        f"Every attempt: what you {moves}, when, and what came of it; and which puzzles you gave "
        "up or did not reach.",
        "When you saw a puzzle, changed something, started it, left this page or came back.",
        *([f"Your answers to {questions} questions."] if questions > 1 else []),
        *(["Your answer to one question."] if questions == 1 else []),
        "How often you tried the same puzzles in this browser before, and whether you saw a "
        "solution.",
        "Your network address is not stored. You can leave the study at any time and choose "
        "whether your data are deleted; the researcher can also delete them for you.",
    ]


def study_out(row: Study) -> models.StudyOut:
    """A study as everybody may see it."""
    design = models.StudyIn.model_validate(row.design)
    return models.StudyOut(
        **study_card(row).model_dump(),
        consent=row.consent,
        kept=kept(design),
        ask_name=design.ask_name,
        time_limit=design.time_limit,
        practice=len(design.practice),
    )


def participants(session: Session, study_id: str) -> list[Player]:
    """The participants of a study, in the order in which they joined."""
    query = select(Player).where(Player.study_id == study_id).order_by(Player.id)
    return list(session.scalars(query))


@dataclass(frozen=True)
class FreePlay:
    """What the free player of the same browser did with a puzzle before the study."""

    attempts: int = 0
    solution_seen: bool = False

    def __bool__(self) -> bool:
        return self.attempts > 0 or self.solution_seen


@dataclass(frozen=True)
class Results:
    """What a participant did.

    Attributes:
        at: the participant and their progress.
        rows: the finished attempts in the study, in the order they were made.
        before: puzzles that were known from free play.
    """

    at: Participation
    rows: list[Attempt]
    before: dict[str, FreePlay]

    def is_counted(self, item: Item) -> bool:
        """Whether a puzzle counts in scores: it is no practice, and was not known before."""
        return item.phase == "main" and item.subject not in self.before

    @cached_property
    def scored(self) -> list[Item]:
        """The puzzles that count and have a result: they are finished, or have an attempt.

        A game has no reward before it is played, so one that was given up at once has no result.
        """
        games = self.at.study.benchmark == Benchmark.IPHYRE.value
        return [
            item
            for item in self.at.items
            if self.is_counted(item) and (item.tally.made or (item.done and not games))
        ]

    @cached_property
    def missing(self) -> list[Item]:
        """The puzzles that count and have none, which is no failure."""
        scored = {item.subject for item in self.scored}
        return [
            item for item in self.at.items if self.is_counted(item) and item.subject not in scored
        ]

    @property
    def known(self) -> int:
        """How many of the puzzles that would count were known before."""
        return sum(item.phase == "main" and item.subject in self.before for item in self.at.items)

    @cached_property
    def scored_rows(self) -> list[Attempt]:
        """The attempts at scored puzzles."""
        scored = {item.subject for item in self.scored}
        return [row for row in self.rows if row.subject in scored]

    @property
    def score(self) -> float | None:
        """AUCCESS, or the mean of the best rewards, over the scored puzzles."""
        if Benchmark(self.at.study.benchmark) is Benchmark.IPHYRE:
            return average(best(plays(self.scored_rows))).reward if self.scored_rows else None
        first = [item.tally.solved_at or 0 for item in self.scored]
        return auccess(first) if first else None

    @property
    def state(self) -> str:
        """How far the participant is, in words."""
        player = self.at.player
        if player.withdrawn:
            return "withdrawn"
        if player.consented is None:
            return "invited"
        return "finished" if self.at.step.kind == "finished" else "taking part"


def results(session: Session, player: Player) -> Results:
    """What a participant did."""
    at = participation(session, player)
    assert at is not None
    query = select(Attempt).where(Attempt.player_id == player.id, Attempt.finished)
    return Results(at, list(session.scalars(query.order_by(Attempt.id))), _before(session, player))


def _before(session: Session, player: Player) -> dict[str, FreePlay]:
    """What the participant's free player did before the study, by puzzle."""
    if player.free_id is None:
        return {}
    made = (
        select(Attempt.subject, func.count())
        .where(Attempt.player_id == player.free_id, Attempt.created < player.created)
        .group_by(Attempt.subject)
    )
    seen = select(Mark.subject).where(
        Mark.player_id == player.free_id, Mark.kind == SHOWN, Mark.created < player.created
    )
    counts = {row[0]: row[1] for row in session.execute(made)}
    shown = set(session.scalars(seen))
    return {
        name: FreePlay(counts.get(name, 0), name in shown)
        for name in player.schedule or ()
        if name in counts or name in shown
    }


def plays(rows: list[Attempt]) -> list[Play]:
    """A participant's attempts at games, in the same form as those of agents."""
    return [
        Play(
            row.subject,
            plan_of(row_clicks(row)),
            Score(row.reward or 0.0, row.solved, row.ticks, len(row.action)),
        )
        for row in rows
    ]


def participant_score(found: Results) -> models.ParticipantScore:
    """A participant in the researcher's view."""
    player = found.at.player
    return models.ParticipantScore.from_object(
        player,
        number=player.number or 0,
        link=study_link(found.at.study.id, player.key),
        state=found.state,
        attempts=len(found.rows),
        done=sum(item.done for item in found.at.items if item.phase == "main"),
        scored=len(found.scored),
        missing=len(found.missing),
        known=found.known,
        score=found.score,
    )


def study_detail(store: Store, study_id: str) -> models.StudyDetail:
    """A study as its owner sees it."""
    with store.reading() as session:
        study = find_study(session, study_id)
        people = [
            participant_score(results(session, player))
            for player in participants(session, study_id)
        ]
        return models.StudyDetail(
            **study_out(study).model_dump(),
            puzzles=study.subjects,
            seed=study.seed,
            created=study.created,
            design=models.StudyIn.model_validate(study.design),
            participants=people,
            groups=_groups(people),
        )


def _groups(people: list[models.ParticipantScore]) -> list[models.GroupScore]:
    groups: dict[str, list[tuple[float, models.ParticipantScore]]] = {}
    for person in people:
        if person.score is not None:
            groups.setdefault(person.group, []).append((person.score, person))
    found = []
    for group, members in groups.items():
        scores = [score for score, _ in members]
        interval = None
        if len(scores) > 1:
            from topple.reports.statistics import bootstrap_interval  # loads SciPy

            interval = bootstrap_interval(scores)
        found.append(
            models.GroupScore(
                group=group,
                participants=len(members),
                scored=sum(person.scored for _, person in members),
                missing=sum(person.missing for _, person in members),
                mean=fmean(scores),
                interval=interval,
            )
        )
    return found
