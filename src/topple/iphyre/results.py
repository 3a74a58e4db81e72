"""The results of a run: what every play of every game earned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.play_log import Play, best
from topple.iphyre.score import Average, Score, average, averages
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import Split
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord


@dataclass(frozen=True, eq=False)
class GameResults:
    """All plays of a run, in the order they were made."""

    plays: tuple[Play, ...]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> GameResults:
        """The results with these plain values."""
        return cls(tuple(map(_play, data["plays"])))

    @property
    def scores(self) -> dict[str, Score]:
        """The best play of each game."""
        return best(self.plays)

    @property
    def passes(self) -> list[dict[str, Score]]:
        """The scores of all games in the first plays, in the second plays, and so on."""
        found: list[dict[str, Score]] = []
        for play in self.plays:
            scores = next((each for each in found if play.game not in each), None)
            if scores is None:
                found.append(scores := {})
            scores[play.game] = play.score
        return found

    @property
    def average(self) -> Average:
        """The average over all games of the run."""
        return average(self.scores)

    @property
    def averages(self) -> dict[Split, Average]:
        """The averages over the games of each split."""
        return averages(self.scores)

    def solved_within(self, plays: int) -> float:
        """The share of games solved within so many plays."""
        made: Counter[str] = Counter()
        solved = set()
        for play in self.plays:
            made[play.game] += 1
            if play.score.solved and made[play.game] <= plays:
                solved.add(play.game)
        return len(solved) / len(made)

    def metrics(self) -> dict[str, Any]:
        """The averages over all games and over each split."""
        return {
            "average": self.average._asdict(),
            "averages": {split.value: mean._asdict() for split, mean in self.averages.items()},
        }

    def to_data(self) -> dict[str, Any]:
        """Every play: what was removed at which tick, and what it earned."""
        return {
            "plays": [
                {"game": play.game, "plan": play.plan.eliminations, **play.score._asdict()}
                for play in self.plays
            ]
        }

    def arrays(self) -> None:
        """Plays are small, so there are none."""
        return


IPhyreConfig = RunConfig[GameSelection]
IPhyreRecord = RunRecord[GameSelection, GameResults]


def _play(row: Mapping[str, Any]) -> Play:
    plan = Plan(tuple(Elimination(*pair) for pair in row["plan"]))
    score = Score(float(row["reward"]), bool(row["solved"]), row["ticks"], row["removed"])
    return Play(row["game"], plan, score)
