"""Attempts of agents and people: from run records, or made by an agent for a data set."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from topple import paths
from topple.datasets.sample import Source
from topple.datasets.spec import Spec, SpecError
from topple.iphyre.engine.batch import NEVER
from topple.iphyre.game import Game
from topple.iphyre.play_log import Play
from topple.iphyre.selection import GameSelection
from topple.phyre.benchmark import PHYRE
from topple.phyre.fold import Setup
from topple.phyre.selection import Part, TaskSelection
from topple.runs.record import find_records
from topple.runs.runner import Runner
from topple.runs.spec import find_spec

ATTEMPTS = "attempts.json"  # by task, as a data set keeps them

Attempts = dict[str, list[list[float]]]  # task -> actions in the order they were made


def read_attempts(places: Iterable[Path], spec: Spec, games: Mapping[str, Game]) -> Attempts:
    """The attempts of run records, or of what a data set keeps of them, by task.

    Raises:
        SpecError: Plays were made at another number of ticks a second.
    """
    found: Attempts = defaultdict(list)
    for place in places:
        if place.name == ATTEMPTS:
            for task, actions in json.loads(place.read_text(encoding="utf-8")).items():
                found[task] += actions
            continue
        for record in find_records(place, benchmark=spec.benchmark):
            if spec.benchmark == "phyre":
                for attempt in record.results.attempts:
                    found[str(attempt.task)].append(list(attempt.action))
                continue
            if record.config.selection.hz != spec.keep.hz:
                raise SpecError(
                    f"{place} has plays at {record.config.selection.hz} Hz; set keep.hz, which "
                    f"is {spec.keep.hz}"
                )
            for play in record.results.plays:
                if play.game in games:
                    found[play.game].append(ticks_of(play, games[play.game]))
    return found


def ticks_of(play: Play, game: Game) -> list[float]:
    """The tick of removal of each gray block in a play."""
    due = {body: tick for tick, body in play.plan.eliminations}
    return [due.get(body, NEVER) for body in game.eliminable]


def agent_attempts(spec: Spec, source: Source, games: Mapping[str, Game]) -> Attempts:
    """Let the agent of a spec attempt the tasks of every split.

    On a fold of PHYRE the agent is trained on its train tasks, on I-PHYRE on the basic games; on
    PHYRE tasks by name there is nothing to learn from.
    """
    agent_spec = find_spec(spec.actions.agent, spec.benchmark)
    runner = Runner(paths.cache_folder())
    options: dict[str, Any] = {"settings": spec.actions.settings, "seed": spec.seed}
    count = spec.actions.counts()["agent"]
    found: Attempts = defaultdict(list)
    if spec.benchmark == "iphyre":
        for names in source.splits.values():
            chosen = GameSelection(tuple(names), hz=spec.keep.hz)
            record = runner.run(agent_spec.config(chosen, attempts=count, **options))
            for play in record.results.plays:
                found[play.game].append(ticks_of(play, games[play.game]))
        return found
    attempts = min(count, TaskSelection.max_attempts)
    agent = None
    if spec.tasks.setup:
        fold = TaskSelection(Setup.parse(spec.tasks.setup), spec.tasks.fold, Part.DEV)
        config = agent_spec.config(fold, attempts=attempts, **options)
        agent = runner.make(config)
        agent.train(PHYRE.training(config, runner))
    for names in source.splits.values():
        selection = TaskSelection(None, None, tasks=tuple(names))
        config = agent_spec.config(selection, attempts=attempts, **options)
        agent = agent or runner.make(config)
        testing = PHYRE.testing(config, runner)
        agent.act(testing)
        for attempt in testing.results().attempts:
            found[str(attempt.task)].append(list(attempt.action))
    return found
