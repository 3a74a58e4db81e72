"""A participant as a run record: people and agents are scored and reported by the same code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from topple.iphyre.play_log import Play
from topple.iphyre.results import GameResults, IPhyreRecord
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.selection import GameSelection
from topple.phyre.attempt import AttemptLog
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Setup
from topple.phyre.results import PhyreRecord, TaskResults
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.task import TaskId, load_task
from topple.phyre.tier import Tier
from topple.player.ids import OWN
from topple.player.models import studies as models
from topple.player.models.base import Benchmark
from topple.player.store import Store
from topple.player.studies import Results, find_study, participants, plays, results
from topple.player.tables import Study
from topple.runs.agent import HUMAN
from topple.runs.benchmark import provenance
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord


class StudyRecordError(ValueError):
    """A study cannot be turned into run records; the message says why."""


def study_selections(
    store: Store, study_id: str, setup: Setup | None, fold: int, hz: int
) -> tuple[list[TaskSelection] | list[GameSelection], int]:
    """The puzzles of a study for agents, and how many attempts its participants have at each.

    Args:
        store: the player's database.
        study_id: the study.
        setup: PHYRE: the setup whose fold agents train on; None for no training.
        fold: PHYRE: the fold that agents train on.
        hz: I-PHYRE: ticks a second.

    Raises:
        StudyRecordError: the study has puzzles made here, or none of the tier of the setup.
    """
    with store.reading() as session:
        study = _published(find_study(session, study_id))
        if Benchmark(study.benchmark) is Benchmark.IPHYRE:
            games = GameSelection(tuple(study.subjects), hz=hz, study=study.id)
            return [games], study.attempt_limit
        tiers = _tiers(study)
        if setup is not None:
            if setup.tier not in tiers:
                raise StudyRecordError(
                    f"study {study_id!r} has no tasks of the tier of {setup.value!r}"
                )
            tiers = {setup.tier: tiers[setup.tier]}
        return [
            TaskSelection(setup, None if setup is None else fold, Part.STUDY, names, study.id)
            for names in tiers.values()
        ], study.attempt_limit


def _published(study: Study) -> Study:
    """The study, if agents can be run on all its puzzles."""
    own = [name for name in study.subjects if name.startswith(OWN)]
    if own:
        raise StudyRecordError(
            f"study {study.id!r} has puzzles made in the player, such as {own[0]!r}; run "
            "records hold published ones only, so use `topple study export`"
        )
    return study


def _tiers(study: Study) -> dict[Tier, tuple[str, ...]]:
    """The tasks of a study by tier, in the order of the study."""
    found = {tier: [n for n in study.subjects if load_task(n).tier is tier] for tier in Tier}
    return {tier: tuple(names) for tier, names in found.items() if names}


def study_records(store: Store, study_id: str) -> Iterator[RunRecord[Any, Any]]:
    """A record for every participant with a scored puzzle; of each tier, if there are two.

    Raises:
        StudyRecordError: the study has puzzles made here, which no agent can be run on.
    """
    with store.reading() as session:
        study = _published(find_study(session, study_id))
        for player in participants(session, study_id):
            found = results(session, player)
            if not found.scored:
                continue
            if Benchmark(study.benchmark) is Benchmark.IPHYRE:
                names = tuple(study.subjects)
                selection = GameSelection(names, hz=AT_60_HZ.hz, study=study.id)
                values, conditions = _config_values(study, found), _conditions(found, names)
                yield games_record(plays(found.scored_rows), selection, values, conditions)
            else:
                for names in _tiers(study).values():
                    yield from _tasks(study, found, names)


def _config_values(study: Study, found: Results) -> dict[str, Any]:
    """What the config of a participant has beside the tasks or games."""
    player = found.at.player
    return {
        "settings": {"study": study.id, "participant": player.anonymous_id},
        "seed": study.seed,
        "attempts": study.attempt_limit,
        "label": f"{HUMAN} {player.group}".strip(),
        "variant": player.anonymous_id,
    }


def _conditions(found: Results, names: tuple[str, ...]) -> dict[str, Any]:
    """What the protocol of a participant has beside what is common to all people."""
    unfinished = models.Outcome.UNFINISHED
    return {
        "study": found.at.study.name,
        "scored_tasks": sum(item.subject in names for item in found.scored),
        "missing_tasks": sum(item.subject in names for item in found.missing),
        "known_tasks": sum(name in found.before for name in names),
        "unfinished_tasks": sum(
            item.subject in names and item.outcome is unfinished for item in found.scored
        ),
    }


def _tasks(study: Study, found: Results, names: tuple[str, ...]) -> Iterator[PhyreRecord]:
    scored = {item.subject for item in found.scored}
    log = AttemptLog([TaskId.parse(n) for n in names if n in scored], study.attempt_limit)
    if not log.tasks:
        return
    for row in found.scored_rows:
        if row.subject in names:
            outcome = Outcome.SOLVED if row.solved else Outcome.NOT_SOLVED
            log.append(TaskId.parse(row.subject), row.action, outcome)
    selection = TaskSelection(None, None, Part.STUDY, names, study.id)
    yield task_record(log, selection, _config_values(study, found), _conditions(found, names))


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
    selection: GameSelection,
    values: Mapping[str, Any],
    conditions: Mapping[str, Any],
) -> IPhyreRecord:
    """The record of a person's plays.

    Args:
        played: the plays, in the order they were made.
        selection: the games.
        values: what its config has beside the games.
        conditions: what its protocol has beside what is common to all people.
    """
    config = RunConfig(HUMAN, selection, **values)
    limit = values["attempts"]
    protocol = _protocol(len(played), strategy="on_the_fly", plays_per_game=limit, **conditions)
    return RunRecord(config, provenance("iphyre"), protocol, GameResults(tuple(played)))


def task_record(
    log: AttemptLog,
    selection: TaskSelection,
    values: Mapping[str, Any],
    conditions: Mapping[str, Any],
) -> PhyreRecord:
    """The record of a person's attempts at tasks of one tier.

    Args:
        log: the attempts.
        selection: the tasks.
        values: what its config has beside the tasks.
        conditions: what its protocol has beside what is common to all people.
    """
    config = RunConfig(HUMAN, selection, **values)
    protocol = _protocol(
        len(log),
        attempts_per_task=log.limit,
        candidates=None,
        tried_tasks=int((log.attempts_made() > 0).sum()),
        **{"scored_tasks": len(log.tasks), **conditions},
    )
    return RunRecord(config, provenance("phyre"), protocol, TaskResults.of(log))
