"""What an agent is: it trains on a fold, then acts on that fold's test tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from topple.phyre.phases import Testing, Training


class Observation(Enum):
    """What an agent looks at before it acts on a task."""

    NOTHING = "nothing"
    TEMPLATE = "template"  # only which template the task comes from
    IMAGE = "image"
    OBJECTS = "objects"  # the table of object features
    SCENE = "scene"  # the exact scene, which people cannot see


@dataclass(frozen=True, slots=True)
class Traits:
    """What one has to know to compare an agent's results with others'."""

    online: bool = False  # learns from its attempts on test tasks
    observation: Observation = Observation.NOTHING
    candidates: int | None = None  # it ranks this many first actions of the list; None: any action
    grid: str = ""  # it chooses from a grid such as "5x5x5"; "": from no grid


class Agent(Protocol):
    """An agent of PHYRE. Settings are arguments of its class, all with defaults.

    A fresh agent is made for every run: :meth:`train` is called once, then :meth:`act` once.
    """

    @property
    def traits(self) -> Traits:
        """What its results are to be compared with; may depend on settings."""
        ...

    def train(self, training: Training) -> None:
        """Learn from the training tasks, with as much simulation as wanted."""
        ...

    def act(self, testing: Testing) -> None:
        """Try to solve the test tasks, in any order, with as few attempts as possible."""
        ...


class Report(NamedTuple):
    """How training is getting on."""

    done: int  # updates made
    planned: int  # in all
    loss: float  # mean since the last report
    rate: float  # updates a second since the last report
    learning_rate: float  # of the last update


@runtime_checkable
class Learner(Agent, Protocol):
    """An agent whose training takes long: it reports, saves its state and goes on from it."""

    #: Settings with which training takes a minute on a CPU, to see that all is well.
    smoke: ClassVar[Mapping[str, str | int | float | bool | None]]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name, as they were used."""
        ...

    def learn(
        self,
        training: Training,
        checkpoint: Path | None = None,
        *,
        run: dict[str, Any] | None = None,
        minutes: float | None = None,
    ) -> Iterator[Report]:
        """Train, with a report every few seconds; :meth:`train` has nothing left to do then.

        Args:
            training: what to learn from.
            checkpoint: a file to go on from if it is there, and to save to.
            run: what the training is for, kept in the checkpoint.
            minutes: at most about so long, with fewer updates where needed.
        """
        ...

    def load(self, path: Path) -> dict[str, Any]:
        """Take the state of finished training from a checkpoint, and say what it was for."""
        ...
