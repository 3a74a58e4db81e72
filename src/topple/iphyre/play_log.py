"""Plays of games, and the log every person and agent writes.

A play is one whole episode. A player may have several on a game; the best one counts, as it
did for the people of the paper, who had five.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from topple.iphyre.episode import EpisodeState
from topple.iphyre.plan import Plan
from topple.iphyre.score import Score

PAPER_PLAYS = 5  # people had so many on each game; the paper's agents had one


class Play(NamedTuple):
    """A finished episode."""

    game: str
    plan: Plan  # what was removed, and when
    score: Score


class PlayError(ValueError):
    """A play that the rules of the evaluation do not allow."""


def play_of(state: EpisodeState) -> Play:
    """The play that ended in a state."""
    return Play(state.game.name, Plan(state.history), state.score)


def best(plays: Iterable[Play]) -> dict[str, Score]:
    """The score with the highest reward of each game that was played; the first of equals."""
    found: dict[str, Score] = {}
    for play in plays:
        if play.game not in found or play.score.reward > found[play.game].reward:
            found[play.game] = play.score
    return found


class PlayLog:
    """Plays of some games, in the order they were made; it only ever grows.

    Args:
        games: their names. All of them count in the scores.
        limit: plays allowed on a game.
    """

    def __init__(self, games: Iterable[str], limit: int = 1) -> None:
        self.games = tuple(games)
        self.limit = limit
        if limit < 1:
            raise PlayError(f"limit is {limit}; it has to be at least 1")
        if len(set(self.games)) != len(self.games):
            raise PlayError("a game is listed twice; list each once")
        self._left = dict.fromkeys(self.games, limit)
        self._plays: list[Play] = []

    def append(self, play: Play) -> None:
        """Log a play.

        Raises:
            PlayError: The game is not among these, or has all its plays.
        """
        if self.remaining(play.game) == 0:
            raise PlayError(f"game {play.game!r} already has its {self.limit} plays")
        self._left[play.game] -= 1
        self._plays.append(play)

    def remaining(self, game: str) -> int:
        """Plays still allowed on a game."""
        try:
            return self._left[game]
        except KeyError:
            raise PlayError(f"game {game!r} is not one of those being played") from None

    @property
    def last(self) -> Play:
        """The play that was logged last."""
        return self._plays[-1]

    def __len__(self) -> int:
        return len(self._plays)

    def __iter__(self) -> Iterator[Play]:
        return iter(self._plays)
