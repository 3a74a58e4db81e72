"""Where a participant is in a study: derived from what is stored, so that it survives anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from topple.player.errors import ConflictError, ForbiddenError, InvalidError
from topple.player.models.base import Benchmark
from topple.player.models.players import Me, Step, StudyItem, StudySession
from topple.player.models.studies import (
    CODE,
    PARTICIPANT,
    Answer,
    Block,
    EventsIn,
    Outcome,
    Question,
    StudyIn,
)
from topple.player.players import PLAYER, SKIPPED, Tally, mark, tallies
from topple.player.store import Store
from topple.player.study_design import ordered_blocks
from topple.player.tables import Event, Mark, Player, Study, now

# Events of the server.
SHOWN, ANSWER, GIVEN_UP = "shown", "answer", "given_up"
BREAK_STARTED, BREAK_ENDED = "break_started", "break_ended"
CONSENTED, FINISHED, WITHDRAWN = "consented", "finished", "withdrawn"

MAX_EVENTS = 50_000  # of a participant


def seconds_between(first: str, last: str) -> float:
    """The seconds from one stored time to another."""
    passed = datetime.fromisoformat(last) - datetime.fromisoformat(first)
    return passed.total_seconds()


@dataclass(frozen=True)
class Item:
    """A puzzle of a participant, and how far it got."""

    subject: str
    phase: Literal["practice", "main"]
    block: str
    tally: Tally
    outcome: Outcome
    shown: str | None  # when it was first sent to the page
    ended: str | None  # when it was given up or its time ran out

    @property
    def done(self) -> bool:
        """Whether the participant goes on to the next one."""
        return self.outcome not in (Outcome.UNFINISHED, Outcome.NOT_REACHED)


@dataclass(frozen=True)
class Participation:
    """A participant with all that decides where they are.

    Attributes:
        study: the study.
        player: the participant.
        done: the participant's attempts by puzzle.
        skipped: when puzzles were given up.
        events: events of the server by kind, those that steps depend on, in order.
    """

    study: Study
    player: Player
    done: Mapping[str, Tally]
    skipped: Mapping[str, str]
    events: Mapping[str, list[Event]] = field(default_factory=dict)

    @cached_property
    def design(self) -> StudyIn:
        """The design of the study."""
        return StudyIn.model_validate(self.study.design)

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks in this participant's order."""
        return ordered_blocks(self.design, self.player.number or 1)

    @cached_property
    def items(self) -> list[Item]:
        """The puzzles in this participant's order, practice first."""
        block_of = {name: block.name for block in self.design.blocks for name in block.puzzles}
        return [self._item(name, block_of) for name in self.player.schedule or ()]

    def _item(self, subject: str, block_of: Mapping[str, str]) -> Item:
        tally = self.done.get(subject, Tally())
        shown = self.shown.get(subject)
        limit, ended = self.design.time_limit, self.skipped.get(subject)
        outcome = Outcome.UNFINISHED if shown or tally.made else Outcome.NOT_REACHED
        if tally.solved:
            outcome = Outcome.SOLVED
        elif ended:
            outcome = Outcome.GIVEN_UP
        elif tally.made >= self.study.attempt_limit:
            outcome = Outcome.OUT_OF_ATTEMPTS
        elif shown and limit and seconds_between(shown, now()) >= limit:
            outcome = Outcome.OUT_OF_TIME
            end = datetime.fromisoformat(shown) + timedelta(seconds=limit)
            ended = end.isoformat(timespec="milliseconds")
        phase: Literal["practice", "main"] = "main" if subject in block_of else "practice"
        return Item(subject, phase, block_of.get(subject, ""), tally, outcome, shown, ended)

    @cached_property
    def shown(self) -> dict[str, str]:
        """When each puzzle was first sent to the page."""
        times: dict[str, str] = {}
        for event in self.events.get(SHOWN, ()):
            times.setdefault(str(event.subject), event.created)
        return times

    @cached_property
    def answers(self) -> dict[str, Event]:
        """The answers by question."""
        return {event.value["question"]: event for event in self.events.get(ANSWER, ())}

    @cached_property
    def current(self) -> int | None:
        """The index of the first puzzle that is not done."""
        return next((place for place, item in enumerate(self.items) if not item.done), None)

    @cached_property
    def step(self) -> Step:
        """What the participant has to do now."""
        if self.player.withdrawn:
            return Step(kind="withdrawn")
        if self.player.consented is None:
            return Step(kind="consent")
        return next(self._open_steps())

    def _open_steps(self) -> Iterator[Step]:
        """The steps that are not done, in order; the last one always is there."""
        yield from self._asked("before", self.design.before)
        practice = len(self.design.practice)
        yield from self._puzzles(self.items[:practice])
        yield from self._checks(after=0)
        played, start = 0, practice
        for number, block in enumerate(self.blocks):
            for item in self.items[start : start + len(block.puzzles)]:
                yield from self._puzzles([item])
                played += 1
                yield from self._checks(after=played)
            start += len(block.puzzles)
            if number + 1 < len(self.blocks):
                yield from self._break(number, block)
        yield from self._asked("after", self.design.after)
        participant = self.player.anonymous_id
        code = (self.design.completion_code or "").replace(PARTICIPANT, participant)
        address = (self.design.redirect or "").replace(PARTICIPANT, participant)
        yield Step(kind="finished", code=code or None, redirect=address.replace(CODE, code) or None)

    def _asked(self, kind: Literal["before", "after"], questions: list[Question]) -> Iterator[Step]:
        # All questions of a page are answered in one call, so one answer stands for all.
        if questions and not any(question.id in self.answers for question in questions):
            yield Step(kind=kind, questions=questions)

    def _puzzles(self, items: list[Item]) -> Iterator[Step]:
        limit = self.design.time_limit
        for item in items:
            if not item.done:
                passed = seconds_between(item.shown, now()) if item.shown else 0.0
                yield Step(kind="puzzle", seconds=limit and max(0.0, limit - passed))

    def _checks(self, after: int) -> Iterator[Step]:
        for check in self.design.checks:
            if check.after == after and check.id not in self.answers:
                # A question without its answer.
                asked = check.model_dump(include={"id", "text", "options"})
                yield Step(kind="check", questions=[Question(kind="choice", **asked)])

    def _break(self, number: int, block: Block) -> Iterator[Step]:
        if not (block.break_text or block.break_seconds):
            return
        if number in {event.value for event in self.events.get(BREAK_ENDED, ())}:
            return
        began = [e.created for e in self.events.get(BREAK_STARTED, ()) if e.value == number]
        passed = seconds_between(began[0], now()) if began else 0.0
        left = max(0.0, block.break_seconds - passed)
        yield Step(kind="break", text=block.break_text, seconds=left)

    @property
    def open_break(self) -> tuple[int, float]:
        """The number of the block before the present break, and the seconds it has to last."""
        for number, block in enumerate(self.blocks):
            if step := next(self._break(number, block), None):
                return number, step.seconds or 0.0
        raise ConflictError("there is no break to end now")

    @cached_property
    def reached(self) -> list[Item]:
        """The puzzles that the participant has seen or is to see now."""
        if self.current is None:
            return self.items
        return self.items[: self.current + (self.step.kind == "puzzle")]

    def session(self) -> StudySession:
        """The progress, as the page sees it: puzzles that are not reached have no names."""
        return StudySession.from_object(
            self,
            study=self.study.id,
            name=self.study.name,
            benchmark=Benchmark(self.study.benchmark),
            attempt_limit=self.study.attempt_limit,
            time_limit=self.design.time_limit,
            items=[
                StudyItem.from_object(
                    item,
                    subject=item.subject if place < len(self.reached) else None,
                    attempts=item.tally.made,
                    solved=item.tally.solved,
                )
                for place, item in enumerate(self.items)
            ],
        )

    def check_playable(self, benchmark: Benchmark, subject: str) -> None:
        """Refuse a puzzle that is not the one to play now.

        Raises:
            ForbiddenError: it is another puzzle's turn, or that of a question or a break.
            ConflictError: the puzzle is finished.
        """
        item = next((item for item in self.items if item.subject == subject), None)
        if item is None or benchmark.value != self.study.benchmark:
            raise ForbiddenError(f"{subject!r} is not part of your study")
        if item.outcome is Outcome.OUT_OF_TIME:
            raise ConflictError(f"the time for {subject!r} is up")
        if item.done:
            raise ConflictError(f"{subject!r} is finished: solved, skipped or out of attempts")
        if self.current is None or self.items[self.current] is not item:
            raise ForbiddenError(f"{subject!r} is not the puzzle to play now")
        if self.step.kind != "puzzle":
            raise ForbiddenError(f"the study continues with another step first: {self.step.kind}")


def participation(
    session: Session, player: Player, done: Mapping[str, Tally] | None = None
) -> Participation | None:
    """A participant with their progress; None for everybody else.

    Tallies of all the player's attempts in the study can be given if they are known already.
    """
    study = None if player.study_id is None else session.get(Study, player.study_id)
    if study is None:
        return None
    if done is None:
        done = tallies(session, player, Benchmark(study.benchmark))
    given_up = select(Mark).where(Mark.player_id == player.id, Mark.kind == SKIPPED)
    kinds = (SHOWN, ANSWER, BREAK_STARTED, BREAK_ENDED)
    query = select(Event).where(
        Event.player_id == player.id, Event.kind.in_(kinds), Event.page.is_(None)
    )
    events: dict[str, list[Event]] = {}
    for event in session.scalars(query.order_by(Event.id)):
        events.setdefault(event.kind, []).append(event)
    skipped = {row.subject: row.created for row in session.scalars(given_up)}
    return Participation(study, player, done, skipped, events)


def current_participation(session: Session, player: Player) -> Participation:
    """A participant with their progress, and no other call of theirs at the same time.

    Raises:
        ConflictError: the player is not in a study.
    """
    session.execute(select(Player.id).where(Player.id == player.id).with_for_update())
    own = session.get(Player, player.id, populate_existing=True)
    found = None if own is None else participation(session, own)
    if found is None:
        raise ConflictError("you are not in a study")
    return found


def record(session: Session, player: Player, kind: str, **columns: Any) -> None:
    """Store an event of the server."""
    session.add(Event(player_id=player.id, kind=kind, **columns))


def me(store: Store, player: Player) -> Me:
    """A player as they see themselves; what a participant sees for the first time is noted."""
    if player.study_id is None:
        return Me(anonymous_id=player.anonymous_id)
    return Me(anonymous_id=player.anonymous_id, study=store.change(_study_session, player))


def _study_session(session: Session, player: Player) -> StudySession:
    found = current_participation(session, player)
    own = found.player
    if found.step.kind == "break" and found.step.seconds is not None:
        number, _ = found.open_break
        if number not in {event.value for event in found.events.get(BREAK_STARTED, ())}:
            record(session, own, BREAK_STARTED, value=number)
    if found.step.kind == "finished" and own.ended is None:
        own.ended = now()
        record(session, own, FINISHED)
    return found.session()


def note_shown(session: Session, player: Player, subject: str) -> None:
    """Start the clock of a puzzle when a participant first sees it."""
    found = current_participation(session, player)
    now_shown = found.step.kind == "puzzle" and found.reached[-1].subject == subject
    if now_shown and subject not in found.shown:
        record(session, player, SHOWN, subject=subject)


def give_consent(session: Session, player: Player, free_key: str | None) -> None:
    """Store the consent of an invited participant."""
    own = current_participation(session, player).player
    if own.consented is None:
        own.consented = now()
        own.free_id = free_player_id(session, free_key)
        record(session, own, CONSENTED)


def free_player_id(session: Session, key: str | None) -> int | None:
    """The free player with a key, if there is one."""
    found = session.scalar(PLAYER, {"key": key})
    return found.id if found is not None and found.study_id is None else None


def give_up(session: Session, player: Player) -> None:
    """Give up the puzzle to play now."""
    found = current_participation(session, player)
    if found.step.kind != "puzzle" or found.current is None:
        raise ConflictError("there is no puzzle to give up now")
    subject = found.items[found.current].subject
    mark(session, found.player, subject, SKIPPED)
    record(session, found.player, GIVEN_UP, subject=subject)


def end_break(session: Session, player: Player) -> None:
    """End a break that has lasted long enough."""
    found = current_participation(session, player)
    if found.step.kind != "break":
        raise ConflictError("there is no break to end now")
    number, left = found.open_break
    if left > 0:
        raise ConflictError(f"the break lasts for another {left:.0f} s")
    record(session, found.player, BREAK_ENDED, value=number)


def answer(session: Session, player: Player, answers: Mapping[str, Answer]) -> None:
    """Store the answers to the questions that are asked now.

    Raises:
        InvalidError: one is missing, unknown, or of the wrong kind.
    """
    found = current_participation(session, player)
    asked = {question.id: question for question in found.step.questions}
    if not asked:
        raise ConflictError("no question is asked now")
    for name in answers:
        if name not in asked:
            raise InvalidError(f"no question {name!r} is asked now")
    for question in asked.values():
        value = checked_answer(question, answers.get(question.id))
        record(session, found.player, ANSWER, value={"question": question.id, "answer": value})


def checked_answer(question: Question, value: Answer | None) -> Answer | None:
    """An answer that fits its question.

    Raises:
        InvalidError: it does not.
    """
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "":
        if question.required:
            raise InvalidError(f"please answer: {question.text}")
        return None
    if question.kind == "choice" and value not in (question.options or ()):
        raise InvalidError(f"{value!r} is not an option of {question.id!r}")
    if question.kind == "scale" and not (
        isinstance(value, int) and question.low <= value <= question.high
    ):
        raise InvalidError(
            f"the answer to {question.id!r} is {value!r}; it has to be a whole number from "
            f"{question.low} to {question.high}"
        )
    if question.kind == "text" and not isinstance(value, str):
        raise InvalidError(f"the answer to {question.id!r} is {value!r}; it has to be a text")
    return value


def store_events(session: Session, player: Player, body: EventsIn) -> int:
    """Store events of the page, and return how many were new.

    Raises:
        ConflictError: the player is not in a study, or has too many events.
    """
    found = current_participation(session, player)
    known = select(Event.sequence).where(Event.player_id == player.id, Event.page == body.page)
    seen = set(session.scalars(known))
    made = session.scalar(select(func.count()).where(Event.player_id == player.id)) or 0
    subjects = {item.subject for item in found.items}
    rows = []
    for event in body.events:
        if event.sequence in seen:
            continue
        seen.add(event.sequence)
        rows.append(
            {
                **event.model_dump(include={"sequence", "page_time", "page_clock", "value"}),
                "player_id": player.id,
                "kind": event.event.value,
                "subject": event.puzzle if event.puzzle in subjects else None,
                "page": body.page,
            }
        )
    if made + len(rows) > MAX_EVENTS:
        raise ConflictError(f"a participant has at most {MAX_EVENTS} events")
    if rows:
        session.execute(insert(Event), rows)
    return len(rows)
