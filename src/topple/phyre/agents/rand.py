"""RAND: tries random actions.

They are those of the fixed list, in its order, so that results are deterministic: on each task its
first 100 valid ones are tried. This is how the published row was made.
"""

from __future__ import annotations

from dataclasses import dataclass

from topple.phyre.phases import Testing
from topple.runs.agent import Traits, Untrained

LIST_LENGTH = 100_000  # far more than any published task needs for 100 valid actions


@dataclass
class Rand(Untrained):
    """The random agent."""

    @property
    def traits(self) -> Traits:
        """It sees nothing and may place anything."""
        return Traits()

    def act(self, testing: Testing) -> None:
        """Try listed actions in order."""
        testing.prefetch(LIST_LENGTH, valid=testing.log.limit)
        for task in testing.tasks:
            testing.attempt_listed(task, range(LIST_LENGTH))
