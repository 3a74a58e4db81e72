"""The agent protocol: an agent trains on some tasks or games, then acts on others.

The two benchmarks share the protocol and differ in the phases they hand to an agent: see
:mod:`topple.phyre.phases` and :mod:`topple.iphyre.phases`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, runtime_checkable

HUMAN = "human"  # in the place of an agent's name: somebody who played in a study

Setting = str | int | float | bool | None

TrainingT = TypeVar("TrainingT", contravariant=True)
TestingT = TypeVar("TestingT", contravariant=True)


class Observation(Enum):
    """What an agent looks at before it acts."""

    NOTHING = "nothing"
    TEMPLATE = "template"  # only which template the task comes from
    IMAGE = "image"
    OBJECTS = "objects"  # the table of object features
    SCENE = "scene"  # the exact scene, which people cannot see


class Kind(Enum):
    """Where knowledge of what will happen comes from; compare only results of one kind."""

    LEARNED = "learned"  # from a training, from attempts, or from nowhere
    IMAGINING = "imagining"  # from simulations that are not those of the benchmark
    ORACLE = "oracle"  # from the benchmark's own simulations of what it is scored on
    PEOPLE = "people"  # who played in a study

    @property
    def place(self) -> int:
        """The place of its rows in tables."""
        return list(Kind).index(self)


@dataclass(frozen=True, slots=True)
class Traits:
    """What one has to know to compare an agent's results with those of others."""

    online: bool = False  # it learns from its attempts on the scored tasks or games
    observation: Observation = Observation.NOTHING
    candidates: int | None = None  # PHYRE: it ranks so many listed actions; None: any action
    grid: str = ""  # PHYRE: the grid of actions it chooses from, such as "5x5x5", if any
    strategy: str = ""  # I-PHYRE: when it decides, a value of topple.iphyre.Strategy
    #: All settings of an agent that simulates what it is scored on before it acts, in its own
    #: engine or as it perceives it; None of others.
    imagination: Mapping[str, Setting] | None = None


class Agent(Protocol[TrainingT, TestingT]):
    """An agent. Its settings are the arguments of its class, all of which have defaults.

    A fresh agent is made for every run: :meth:`train` is called once, then :meth:`act` once.
    """

    @property
    def traits(self) -> Traits:
        """The traits of this agent, which may depend on its settings."""

    def train(self, training: TrainingT) -> None:
        """Learn from the training tasks or games, with as much simulation as wanted."""

    def act(self, testing: TestingT) -> None:
        """Try to solve every scored task or game with as few attempts as possible."""


class Untrained:
    """The training of agents that need none."""

    def train(self, training: object) -> None:
        """Nothing to learn."""


class Report(NamedTuple):
    """The state of a training, reported every few seconds."""

    done: int  # updates or environment steps so far
    planned: int  # in total
    rate: float  # per second since the last report
    loss: float | None = None  # mean since the last report
    learning_rate: float | None = None  # of the last update
    reward: float | None = None  # mean of the episodes since the last report
    solved: float | None = None  # share of these episodes
    preparing: bool = False  # training data are still being made; ``done`` then counts these


class TrainingOptions(NamedTuple):
    """Where a training is saved, and how long it may take."""

    checkpoint: Path | None = None  # the file to resume from, if it exists, and to save to
    run: dict[str, Any] | None = None  # what it is for, kept in the checkpoint
    minutes: float | None = None  # an approximate limit, for agents that can plan by time
    tensorboard: Path | None = None  # a folder for further logs, for agents that write any


UNSAVED = TrainingOptions()


@runtime_checkable
class Learner(Agent[TrainingT, TestingT], Protocol[TrainingT, TestingT]):
    """An agent with a long training, which it reports on, saves and resumes."""

    #: Settings with which a training takes a minute or less, to see that everything works.
    smoke: ClassVar[Mapping[str, Setting]]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name, as they were used."""

    def learn(self, training: TrainingT, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Train and yield reports; afterwards :meth:`train` has nothing left to do."""

    def load(self, path: Path) -> dict[str, Any]:
        """Load a finished training from a checkpoint and return what it was for."""
