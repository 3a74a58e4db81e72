"""A participant as a run record: people and agents are scored and reported by the same code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from topple.iphyre.play_log import Play
from topple.iphyre.results import GameResults, IPhyreRecord
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.selection import GameSelection
from topple.phyre.attempt import AttemptLog
from topple.phyre.fold import SEEDS, Setup, load_fold
from topple.phyre.results import PhyreRecord, TaskResults
from topple.phyre.selection import TaskSelection
from topple.phyre.task import TaskId, load_task
from topple.phyre.tier import Tier
from topple.player import tables
from topple.player.ids import OWN
from topple.player.models.base import Benchmark
from topple.player.store import Store
from topple.player.studies import attempt_log, find_study, participants, plays, study_attempts
from topple.runs.benchmark import provenance
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord

AGENT = "human"


class StudyRecordError(ValueError):
    """A study cannot be turned into run records; the message says why."""


def study_records(store: Store, study_id: str) -> Iterator[RunRecord[Any, Any]]:
    """A record for every participant who made an attempt; of each tier, if there are two.

    Raises:
        StudyRecordError: the study has puzzles made here, which no agent can be run on.
    """
    with store.reading() as session:
        study = find_study(session, study_id)
        own = [name for name in study.subjects if name.startswith(OWN)]
        if own:
            raise StudyRecordError(
                f"study {study_id!r} has puzzles made in the player, such as {own[0]!r}; run "
                "records hold published ones only, so use `topple study export`"
            )
        for player in participants(session, study_id):
            rows = study_attempts(session, player.id)
            if not rows:
                continue
            values, conditions = _config_values(study, player), {"study": study.name}
            if Benchmark(study.benchmark) is Benchmark.IPHYRE:
                yield games_record(plays(rows), values, conditions, study.subjects)
            else:
                yield from task_records(attempt_log(study, rows), values, conditions)


def _config_values(study: tables.Study, player: tables.Player) -> dict[str, Any]:
    """What the config of a participant has beside the tasks or games."""
    return {
        "settings": {"study": study.id, "participant": player.anonymous_id},
        "seed": study.seed,
        "attempts": study.attempt_limit,
        "label": f"{AGENT} {player.anonymous_id}",
    }


def _protocol(attempts: int, **more: Any) -> dict[str, Any]:
    return {
        "learning": "online",
        "observation": "moving pictures",
        "trained_on": "nothing",
        "privileged": False,
        "attempts": attempts,
        **more,
    }


def games_record(
    played: Sequence[Play],
    values: Mapping[str, Any],
    conditions: Mapping[str, Any],
    order: Sequence[str] = (),
) -> IPhyreRecord:
    """The record of a person's plays.

    Args:
        played: the plays, in the order they were made.
        values: what its config has beside the games.
        conditions: what its protocol has beside what is common to all people.
        order: the games in order; by default, as they were played.
    """
    names = {play.game for play in played}
    games = tuple(dict.fromkeys([name for name in order if name in names] or sorted(names)))
    config = RunConfig(AGENT, GameSelection(games, hz=AT_60_HZ.hz), **values)
    protocol = _protocol(
        len(played), strategy="on_the_fly", plays_per_game=values["attempts"], **conditions
    )
    return RunRecord(config, provenance("iphyre"), protocol, GameResults(tuple(played)))


def task_records(
    log: AttemptLog, values: Mapping[str, Any], conditions: Mapping[str, Any]
) -> Iterator[PhyreRecord]:
    """The records of a person's attempts: one of each tier.

    Args:
        log: the attempts.
        values: what their configs have beside the tasks.
        conditions: what their protocols have beside what is common to all people.
    """
    for tier in Tier:
        tasks = [task for task in log.tasks if load_task(task).tier is tier]
        if not tasks:
            continue
        part = AttemptLog(tasks, log.limit)
        for attempt in log:
            if attempt.task in set(tasks):
                part.append(*attempt)
        config = RunConfig(AGENT, _selection(tier, tasks), **values)
        protocol = _protocol(
            len(part),
            attempts_per_task=log.limit,
            candidates=None,
            scored_tasks=len(tasks),
            tried_tasks=int((part.attempts_made() > 0).sum()),
            **conditions,
        )
        yield RunRecord(config, provenance("phyre"), protocol, TaskResults.of(part))


def _selection(tier: Tier, tasks: Sequence[TaskId]) -> TaskSelection:
    """The fold whose test tasks hold all of these, if there is one; otherwise only the tasks."""
    names = tuple(map(str, tasks))
    for setup in Setup:
        for fold in SEEDS if setup.tier is tier else ():
            if set(tasks) <= set(load_fold(setup, fold).test):
                return TaskSelection(setup, fold, tasks=names)
    return TaskSelection(None, None, tasks=names)
