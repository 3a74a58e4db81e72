"""The noise that explains people best: a fit of an imagining agent to what they did.

For each puzzle and each level of noise, an imagining agent perceives the puzzle a number of times
and imagines candidate actions under every percept. A participant is assumed to look at the puzzle
as often as the agent has percepts in mind, and to choose an action that works in most of them:
actions are the more likely, the more percepts they work in. The likelihood of a first action is its
probability beside that of the candidates; what it led to follows from it. After a failure, each
further attempt succeeds as often as such an agent does. Now and then somebody has no idea what to
do in a puzzle, and makes all attempts at it at random: without this, a few failures that have
nothing to do with perception would make everybody seem to perceive badly. A level's likelihood for
a participant is the product over all puzzles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.reports.figures import color, label, panels, svg
from topple.reports.table import Table

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

LEVELS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # of noise, in pixels
# With 16 percepts, the actions of people who perceive badly work in too few of them by chance, and
# the fit takes them for people who perceive well. The number of candidates matters little.
PERCEPTS = 32  # imagined at each level of noise
CANDIDATES = 80  # actions that people could have chosen
EVERYBODY = "everybody"
_IN_MIND = 8  # percepts that a participant has in mind
_DRAWS = 256  # of such percepts
_SHARPNESS = 20.0  # of choices; an action that works in all percepts against one that never does
_CLUELESS = 0.2  # share of puzzles in which somebody acts at random
_LEAST = 1e-9  # likelihood, where an attempt succeeds that nobody could expect to
_INTERVAL = 1.92  # of log-likelihood below the best: a 95 % interval of one parameter


class First(NamedTuple):
    """How somebody began with a puzzle, and how it ended."""

    participant: str
    attempts: int  # made, at least 1
    solved_at: int  # the attempt that solved it, from 1; 0 if none did


@dataclass(frozen=True)
class Candidates:
    """Actions that could be chosen on a puzzle.

    Attributes:
        name: of the puzzle.
        solve: (candidates,) whether each really solves it.
        weights: (candidates,) how many actions each stands for; of any size.
        firsts: those who made an attempt.
        imagine: given a level of noise, tells of (percepts, candidates and then first actions)
            whether each works in each percept.
    """

    name: str
    solve: Bools
    weights: Floats
    firsts: Sequence[First]
    imagine: Callable[[float], Bools]


#: The log-likelihoods of each participant, a number for each level.
Likelihoods = dict[str, list[float]]


def puzzle_likelihoods(puzzle: Candidates, levels: Sequence[float]) -> Likelihoods:
    """The log-likelihoods of those who tried one puzzle."""
    found: Likelihoods = {first.participant: [] for first in puzzle.firsts}
    for level in levels:
        imagined = puzzle.imagine(level)
        count = len(puzzle.solve)
        draws = np.random.default_rng(0).integers(len(imagined), size=(_DRAWS, _IN_MIND))
        values = imagined[draws].mean(axis=1)  # (draws, candidates and first actions)
        best = values.max(axis=1, keepdims=True)
        appeal = np.exp(_SHARPNESS * (values - best))
        share = puzzle.weights / puzzle.weights.sum()
        usual = appeal[:, :count] @ share
        chosen = (appeal[:, :count] * share / usual[:, None]).mean(axis=0)
        for place, first in enumerate(puzzle.firsts, start=count):
            density = (appeal[:, place] / usual).mean()
            likelihood = (1 - _CLUELESS) * density * _later(first, chosen @ puzzle.solve)
            likelihood += _CLUELESS * _later(first, share @ puzzle.solve)
            found[first.participant].append(float(np.log(max(likelihood, _LEAST))))
    return found


def _later(first: First, succeeds: float) -> float:
    """How likely the attempts after the first one are, if each succeeds as often."""
    failures = (first.solved_at or first.attempts + 1) - 2
    return float((1 - succeeds) ** max(failures, 0) * (succeeds if first.solved_at > 1 else 1.0))


@dataclass(frozen=True)
class NoiseFit:
    """How well each level of noise explains each participant.

    Attributes:
        levels: of noise, rising.
        puzzles: of each participant, how many count.
        likelihoods: of each participant, the log-likelihoods of all levels.
    """

    levels: Sequence[float]
    puzzles: Mapping[str, int]
    likelihoods: Mapping[str, Sequence[float]]

    @classmethod
    def of(cls, levels: Sequence[float], found: Iterable[Likelihoods]) -> NoiseFit:
        """The fit of some puzzles together; everybody together is one participant more."""
        sums: dict[str, Floats] = {}
        puzzles: dict[str, int] = {}
        for each in found:
            for name, values in each.items():
                for key in (name, EVERYBODY):
                    sums[key] = sums.get(key, np.zeros(len(levels))) + values
                    puzzles[key] = puzzles.get(key, 0) + 1
        order = sorted(sums, key=lambda name: (name == EVERYBODY, name))
        return cls(levels, puzzles, {name: sums[name].tolist() for name in order})

    def best(self, participant: str) -> float:
        """The level that explains a participant best."""
        return self.levels[int(np.argmax(self.likelihoods[participant]))]

    def interval(self, participant: str) -> tuple[float, float]:
        """The lowest and the highest level that explain a participant nearly as well."""
        values = np.array(self.likelihoods[participant])
        close = np.flatnonzero(values >= values.max() - _INTERVAL)
        return self.levels[int(close[0])], self.levels[int(close[-1])]

    def table(self) -> Table:
        """A row for each participant, and one for all of them together."""
        rows = []
        for name, values in self.likelihoods.items():
            low, high = self.interval(name)
            relative = [f"{value - max(values):.1f}" for value in values]
            best = (f"{self.best(name):g}", f"{low:g}-{high:g}")
            rows.append([name, str(self.puzzles[name]), *best, *relative])
        return Table(
            "Noise that explains people best",
            [
                "participant",
                "puzzles",
                "noise, px",
                "interval",
                *map("{:g} px".format, self.levels),
            ],
            rows,
            "Log-likelihoods of levels of noise, less the best one; the interval has all levels "
            f"within {_INTERVAL:g} of it.",
        )

    def figure(self) -> str:
        """Log-likelihoods by noise, a line for each participant."""
        figure, (axis,) = panels(1)
        for number, (name, values) in enumerate(self.likelihoods.items()):
            together = name == EVERYBODY
            axis.plot(
                self.levels,
                np.array(values) - max(values),
                color="#333333" if together else color(number),
                linewidth=2 if together else 1,
                marker="o",
                markersize=3,
                label=name,
            )
        axis.axhline(-_INTERVAL, color="#888888", linewidth=0.8, linestyle=":")
        axis.set_xscale("log", base=2)
        axis.set_xticks(self.levels, [f"{level:g}" for level in self.levels])
        few = len(self.likelihoods) <= 9  # more names than this hide the lines
        label(axis, "people", "noise of perception, px", "log-likelihood below the best", few)
        return svg(figure)
