"""Studies: the design that a researcher writes, and what participants and researchers see."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from topple.player.ids import GameName, PlayerKey, TaskName
from topple.player.models.base import Benchmark, LongText, Model, Name, Unit
from topple.player.settings import LOOPBACK
from topple.player.texts import check_text

MAX_PUZZLES = 500  # of a study, practice included
MAX_ANSWER = 2000  # characters of an answer
MAX_EVENTS_IN_CALL = 100
PARTICIPANT, CODE = "{participant}", "{code}"  # replaced in completion codes and addresses

QuestionId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
ShortText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=1000),
    AfterValidator(check_text),
]
Options = Annotated[list[Name], Field(min_length=2, max_length=30)]
Puzzles = Annotated[list[TaskName | GameName], Field(max_length=MAX_PUZZLES)]
Milliseconds = Annotated[float, Field(ge=0, le=1e14, allow_inf_nan=False)]


def _check_address(text: str) -> str:
    """Return an address to which participants may be sent: HTTPS, or this machine."""
    with suppress(ValueError):
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port  # a port that is no number raises ValueError
        secure = parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)
        if host and secure and "@" not in parts.netloc and text.isprintable() and " " not in text:
            return text
    raise ValueError("use an address such as 'https://example.org/done?code={code}'")


Address = Annotated[str, StringConstraints(max_length=500), AfterValidator(_check_address)]


class Order(str, Enum):
    """How the order of puzzles or blocks is chosen for each participant."""

    FIXED = "fixed"  # as listed, for everybody
    RANDOM = "random"  # by the seed of the study and the participant's number
    LATIN_SQUARE = "latin_square"  # a row of a balanced Latin square, by the participant's number


class Question(Model):
    """A question before or after the puzzles."""

    id: QuestionId
    kind: Literal["text", "choice", "scale"]
    text: ShortText
    required: bool = True
    options: Options | None = None  # of a choice
    low: Annotated[int, Field(ge=-100, le=100)] = 1  # of a scale
    high: Annotated[int, Field(ge=-100, le=100)] = 7
    low_label: Annotated[str, StringConstraints(max_length=80), AfterValidator(check_text)] = ""
    high_label: Annotated[str, StringConstraints(max_length=80), AfterValidator(check_text)] = ""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Question:
        if (self.kind == "choice") != (self.options is not None):
            raise ValueError(f"question {self.id!r}: options belong to the kind 'choice'")
        if self.kind == "scale" and not 1 <= self.high - self.low <= 20:
            raise ValueError(
                f"question {self.id!r}: a scale has 2 to 21 points; this one runs from "
                f"{self.low} to {self.high}"
            )
        return self


class AttentionCheck(Model):
    """A question with one right answer, to see whether participants read."""

    id: QuestionId
    text: ShortText
    options: Options
    answer: Name
    after: Annotated[int, Field(ge=0, le=MAX_PUZZLES)]  # so many puzzles that count

    @model_validator(mode="after")
    def _has_its_answer(self) -> AttentionCheck:
        if self.answer not in self.options:
            raise ValueError(f"check {self.id!r}: answer {self.answer!r} is not an option")
        return self


class Draw(Model):
    """Puzzles by name, and how many to draw from which sets."""

    puzzles: Puzzles = Field(default_factory=list)
    # Tiers, templates, test tasks of a fold, or splits to draw from.
    pools: Annotated[list[Name], Field(max_length=60)] = Field(default_factory=list)
    count: Annotated[int, Field(ge=1, le=MAX_PUZZLES)] | None = None  # None for all
    shuffle: bool = True  # whether to order by the seed, not as listed


class Block(Draw):
    """Puzzles that are played together, and perhaps a break after them."""

    name: Annotated[str, StringConstraints(max_length=80), AfterValidator(check_text)] = ""
    order: Order | None = None  # None for that of the study
    break_text: LongText = ""
    break_seconds: Annotated[int, Field(ge=0, le=3600)] = 0  # that a break takes at least


class StudyIn(Draw):
    """The design of a study; `docs/guides/studies.md` describes every key."""

    name: Name
    benchmark: Benchmark
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    consent: LongText = ""
    ask_name: bool = False  # whether participants are asked for a name
    # Whether entering a used name, which is then asked for, is enough to continue as that one.
    resume_by_name: bool = False
    # None for the limit of the paper.
    attempt_limit: Annotated[int, Field(ge=1, le=100)] | None = None
    time_limit: Annotated[int, Field(ge=1, le=86_400)] | None = None  # seconds on each puzzle
    order: Order = Order.FIXED
    block_order: Order = Order.FIXED
    practice: Puzzles = Field(default_factory=list)
    blocks: Annotated[list[Block], Field(max_length=50)] = Field(default_factory=list)
    before: Annotated[list[Question], Field(max_length=50)] = Field(default_factory=list)
    after: Annotated[list[Question], Field(max_length=50)] = Field(default_factory=list)
    checks: Annotated[list[AttentionCheck], Field(max_length=50)] = Field(default_factory=list)
    completion_code: Name | None = None
    redirect: Address | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> StudyIn:
        if self.blocks and (self.puzzles or self.pools or self.count):
            raise ValueError("puzzles, pools and count belong into the blocks of a study with any")
        ids = [question.id for question in (*self.before, *self.after)]
        ids += [check.id for check in self.checks]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"two questions or checks have the id {twice[0]!r}")
        self.ask_name = self.ask_name or self.resume_by_name
        return self


class DesignText(Model):
    """The design of a study as TOML."""

    toml: Annotated[str, StringConstraints(max_length=200_000)]


class StudyCard(Model):
    """A study in a list."""

    id: str
    name: str
    benchmark: Benchmark
    items: int  # puzzles that count
    attempt_limit: int
    resume_by_name: bool
    link: str


class StudyOut(StudyCard):
    """A study as a participant sees it before taking part."""

    consent: str
    kept: list[str]  # what the server keeps of a participant, in sentences
    ask_name: bool
    time_limit: int | None
    practice: int


class ParticipantScore(Model):
    """A participant in the researcher's view; counts are of puzzles that count."""

    anonymous_id: str
    number: int
    group: str
    name: str | None
    link: str  # personal link that resumes where this participant stopped
    state: str  # invited, taking part, finished or withdrawn
    attempts: int
    done: int
    scored: int  # finished, or with an attempt, and not known before
    missing: int  # neither: no result, which is no failure
    known: int  # tried or seen in free play before the study, so left out of the score
    score: float | None  # AUCCESS, or the mean of the best rewards, over the scored puzzles


class GroupScore(Model):
    """The participants of a group who have a score, together."""

    group: str
    participants: int
    scored: int  # puzzles, of all of them
    missing: int
    mean: float
    interval: tuple[float, float] | None  # of the mean, by bootstrap; None for one participant


class StudyDetail(StudyOut):
    """A study as its owner sees it."""

    puzzles: list[str]
    seed: int
    created: str
    design: StudyIn
    participants: list[ParticipantScore]
    groups: list[GroupScore]


class Outcome(str, Enum):
    """How a participant's puzzle, or one attempt at it, ended."""

    SOLVED = "solved"
    NOT_SOLVED = "not_solved"  # of an attempt; of a puzzle, out_of_attempts
    OUT_OF_ATTEMPTS = "out_of_attempts"
    GIVEN_UP = "given_up"
    OUT_OF_TIME = "out_of_time"
    UNFINISHED = "unfinished"  # shown, and left
    NOT_REACHED = "not_reached"  # never shown


class ExportedParticipant(Model):
    """A participant without a name."""

    participant: str  # anonymous id
    number: int  # in the order of joining, from 1; it chooses the order of the puzzles
    group: str
    state: str
    joined: str  # UTC
    consented: str | None
    ended: str | None  # finished or withdrawn
    attempts: int
    done: int
    scored: int
    missing: int
    known: int
    score: float | None
    checks_passed: int
    checks_failed: int


class ExportedPuzzle(Model):
    """A participant and a puzzle, reached or not."""

    participant: str
    group: str
    position: int  # in this participant's order, practice included, from 1
    phase: Literal["practice", "main"]
    block: str
    puzzle: str
    outcome: Outcome
    attempts: int
    solved_at: int | None  # number of the attempt
    best_reward: float | None  # I-PHYRE
    counted: bool  # in scores: not practice, and not known before
    free_attempts_before: int
    solution_seen_before: bool
    shown: str | None  # UTC, by the server's clock
    ended: str | None
    seconds: float | None  # between the two


class ExportedAttempt(Model):
    """An attempt, or the end of a puzzle that was not solved."""

    participant: str
    group: str
    position: int
    phase: Literal["practice", "main"]
    block: str
    benchmark: Benchmark
    puzzle: str
    attempt: int | None  # number, from 1; None for the end of a puzzle without success
    outcome: Outcome
    counted: bool
    free_attempts_before: int
    solution_seen_before: bool
    ticks: int | None  # PHYRE: index of the last step
    reward: float | None  # I-PHYRE
    removed: int | None  # I-PHYRE
    action: list[Any]  # PHYRE: numbers; I-PHYRE: [tick, body, tick that was on the screen]
    abandoned: bool | None
    time: str | None  # UTC, by the server's clock


class ExportedEvent(Model):
    """Something that happened, by the clocks of the page and of the server."""

    participant: str
    source: Literal["page", "server"]
    event: str
    puzzle: str | None
    value: Any
    page_time: float | None  # ms since 1970, by the clock of the participant's machine
    page_clock: float | None  # ms since the page was opened, by a clock that is never set
    page: str | None  # distinguishes the times the page was opened
    sequence: int | None  # of the page's events
    server_time: str  # UTC, when it was stored


class ExportedAnswer(Model):
    """An answer to a question or an attention check."""

    participant: str
    phase: Literal["before", "check", "after"]
    question: str
    answer: Any
    correct: bool | None  # of an attention check
    time: str


class StudyExport(Model):
    """A study and all its tables, without names."""

    study: StudyOut
    design: StudyIn
    participants: list[ExportedParticipant]
    puzzles: list[ExportedPuzzle]
    attempts: list[ExportedAttempt]
    answers: list[ExportedAnswer]
    events: list[ExportedEvent]


class ParticipantIn(Model):
    """A request to take part."""

    consent: bool
    name: Name | None = None  # only if the study asks for it
    # The free player of the same browser, whose earlier attempts at the puzzles are taken note of.
    free_player: PlayerKey | None = None


class Consent(Model):
    """The consent of a participant who was invited by a personal link."""

    consent: bool
    free_player: PlayerKey | None = None


Answer = Annotated[str, StringConstraints(max_length=MAX_ANSWER), AfterValidator(check_text)] | int


class AnswersIn(Model):
    """Answers to the questions that are asked now, by id; text, an option, or a number."""

    answers: Annotated[dict[QuestionId, Answer], Field(max_length=50)]


class PageEvent(str, Enum):
    """What the page reports."""

    OPENED = "page_opened"
    SHOWN = "shown"
    FIRST_PLACEMENT = "first_placement"
    PLACEMENT = "placement"
    SUBMIT = "submit"
    REMOVAL = "removal"
    MOTION_STARTED = "motion_started"
    MOTION_ENDED = "motion_ended"
    FOCUS_LOST = "focus_lost"
    FOCUS_GAINED = "focus_gained"
    DISCONNECTED = "disconnected"
    RECONNECTED = "reconnected"


class EventIn(Model):
    """An event of the page."""

    event: PageEvent
    sequence: Annotated[int, Field(ge=0, le=10**6)]
    page_time: Milliseconds
    page_clock: Milliseconds
    puzzle: TaskName | GameName | None = None
    # A placement as x, y and radius of each ball; a number of an attempt or a body.
    value: Annotated[list[Unit], Field(max_length=6)] | int | None = None


class EventsIn(Model):
    """Some events; those that are stored already are ignored, so a call can be repeated."""

    page: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{8,16}$")]
    events: Annotated[list[EventIn], Field(min_length=1, max_length=MAX_EVENTS_IN_CALL)]


class Stored(Model):
    """How many new events were stored."""

    stored: int


class Withdrawal(Model):
    """A participant leaves the study, and may ask to have everything deleted."""

    delete: bool = False
