"""A participant as a run record: people and agents are scored and reported by the same code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from topple.iphyre.rules import AT_60_HZ
from topple.phyre.attempt import AttemptLog
from topple.phyre.fold import SEEDS, Setup, load_fold
from topple.phyre.task import TaskId, load_task
from topple.phyre.tier import Tier
from topple.player import tables
from topple.player.ids import OWN
from topple.player.models.base import Benchmark
from topple.player.store import Store
from topple.player.studies import attempt_log, find_study, participants, plays, study_attempts
from topple.runs.config import RunConfig
from topple.runs.game_config import GameRunConfig
from topple.runs.game_store import GameRunRecord
from topple.runs.run import provenance
from topple.runs.store import RunRecord, record_of

AGENT = "human"


class StudyRecordError(ValueError):
    """A study cannot be turned into run records; the message says why."""


def study_records(store: Store, study_id: str) -> Iterator[RunRecord | GameRunRecord]:
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
            if Benchmark(study.benchmark) is Benchmark.IPHYRE:
                yield _games(study, player, rows)
            else:
                yield from _tasks(study, player, rows)


def _protocol(study: tables.Study, attempts: int, **more: Any) -> dict[str, Any]:
    return {
        "learning": "online",
        "observation": "moving pictures",
        "trained_on": "nothing",
        "study": study.name,
        "attempts": attempts,
        **more,
    }


def _games(study: tables.Study, player: tables.Player, rows: list[tables.Attempt]) -> GameRunRecord:
    played = {row.subject for row in rows}
    config = GameRunConfig(
        AGENT,
        tuple(name for name in study.subjects if name in played),
        {"study": study.id, "participant": player.anonymous_id},
        hz=AT_60_HZ.hz,
        seed=study.seed,
        plays=study.attempt_limit,
        label=f"{AGENT} {player.anonymous_id}",
    )
    protocol = _protocol(
        study, len(rows), strategy="on_the_fly", plays_per_game=study.attempt_limit
    )
    return GameRunRecord(config, provenance(), protocol, tuple(plays(rows)))


def _tasks(
    study: tables.Study, player: tables.Player, rows: list[tables.Attempt]
) -> Iterator[RunRecord]:
    log = attempt_log(study, rows)
    for tier in Tier:
        tasks = [task for task in log.tasks if load_task(task).tier is tier]
        if not tasks:
            continue
        part = AttemptLog(tasks, study.attempt_limit)
        for attempt in log:
            if attempt.task in set(tasks):
                part.append(*attempt)
        setup, fold = _fold(tier, tasks)
        config = RunConfig(
            AGENT,
            setup,
            fold,
            {"study": study.id, "participant": player.anonymous_id},
            seed=study.seed,
            attempts=study.attempt_limit,
            label=f"{AGENT} {player.anonymous_id}",
            tasks=tuple(map(str, tasks)),
        )
        protocol = _protocol(
            study,
            len(part),
            attempts_per_task=study.attempt_limit,
            candidates=None,
            scored_tasks=len(tasks),
            tried_tasks=int((part.attempts_made() > 0).sum()),
            test_tasks_of_the_fold=set(tasks) <= set(load_fold(setup, fold).test),
        )
        yield record_of(config, provenance(), protocol, part)


def _fold(tier: Tier, tasks: Sequence[TaskId]) -> tuple[Setup, int]:
    """A fold whose test tasks hold all of these, if there is one; else the first."""
    setups = [setup for setup in Setup if setup.tier is tier]
    for setup in setups:
        for fold in SEEDS:
            if set(tasks) <= set(load_fold(setup, fold).test):
                return setup, fold
    return setups[0], SEEDS[0]
