"""Run records of I-PHYRE: the files of :mod:`topple.runs.store`, with plays in JSON.

``metrics.json`` holds the averages of each split and, game by game, every play: what was
removed at which tick, and what it earned; of agents that report on their training, also its curve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topple.runs.game_config import GameRunConfig
from topple.runs.record_files import (
    CONFIG,
    IPHYRE,
    METRICS,
    PROTOCOL,
    PROVENANCE,
    RecordError,
    find_folders,
    read_parts,
    to_json,
    write_folder,
)
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.play_log import Play, best
from topple.iphyre.score import Average, Score, average, averages
from topple.iphyre.split import Split


@dataclass(frozen=True, eq=False)
class GameRunRecord:
    """What came out of a run."""

    config: GameRunConfig
    provenance: Mapping[str, Any]
    protocol: Mapping[str, Any]
    plays: tuple[Play, ...]  # in the order they were made
    training: Mapping[str, Any] = field(default_factory=dict)  # its steps, seconds and curve

    @property
    def scores(self) -> dict[str, Score]:
        """The best play of each game."""
        return best(self.plays)

    @property
    def passes(self) -> list[dict[str, Score]]:
        """The scores of all games in the first plays, in the second plays, and so on."""
        found: list[dict[str, Score]] = []
        for play in self.plays:
            room = next((scores for scores in found if play.game not in scores), None)
            if room is None:
                found.append(room := {})
            room[play.game] = play.score
        return found

    @property
    def average(self) -> Average:
        """Over all games of the run."""
        return average(self.scores)

    def solved_within(self, plays: int) -> float:
        """The share of games solved within so many plays."""
        made: Counter[str] = Counter()
        solved = set()
        for play in self.plays:
            made[play.game] += 1
            if play.score.solved and made[play.game] <= plays:
                solved.add(play.game)
        return len(solved) / len(made)

    @property
    def averages(self) -> dict[Split, Average]:
        """Over the games of each split."""
        return averages(self.scores)


def write_game_record(folder: Path, record: GameRunRecord) -> Path:
    """Write a record into a folder of records; it is there completely or not at all.

    Returns:
        The record's own folder. A record with the same config is replaced.
    """
    files = {
        CONFIG: to_json(record.config.to_data()),
        PROVENANCE: to_json(record.provenance),
        PROTOCOL: to_json(record.protocol),
        METRICS: to_json(_metrics(record)),
    }
    return write_folder(folder / record.config.name, files)


def read_game_record(folder: Path) -> GameRunRecord:
    """Read a record from its own folder.

    Raises:
        RecordError: The folder is no record.
    """
    try:
        config, provenance, protocol, metrics = read_parts(folder)
        plays = tuple(_play(row) for row in metrics["plays"])
        training = metrics.get("training", {})
        return GameRunRecord(GameRunConfig.from_data(config), provenance, protocol, plays, training)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{folder} is no run record: {error}") from error


def find_game_records(*folders: Path) -> Iterator[GameRunRecord]:
    """All records in some folders, each a record or a folder of records, in order of names."""
    return (read_game_record(path) for path in find_folders(*folders, benchmark=IPHYRE))


def _metrics(record: GameRunRecord) -> dict[str, Any]:
    training = {"training": record.training} if record.training else {}
    return {
        **training,
        "average": record.average._asdict(),
        "averages": {split.value: mean._asdict() for split, mean in record.averages.items()},
        "plays": [
            {"game": play.game, "plan": play.plan.eliminations, **play.score._asdict()}
            for play in record.plays
        ],
    }


def _play(row: Mapping[str, Any]) -> Play:
    plan = Plan(tuple(Elimination(*pair) for pair in row["plan"]))
    score = Score(float(row["reward"]), bool(row["solved"]), row["ticks"], row["removed"])
    return Play(row["game"], plan, score)
