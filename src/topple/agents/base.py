"""What an agent is: it trains on a fold, then acts on that fold's test tasks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from topple.agents.phase import Testing, Training


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
