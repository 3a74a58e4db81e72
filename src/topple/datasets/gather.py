"""What a spec refers to, kept beside the data as plain JSON.

Own puzzles and the attempts of agents are written into the folder ``sources`` of a data set, so
that it can be checked anywhere, and without running anybody's program.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topple import paths
from topple.datasets.iphyre_source import IPhyreSource
from topple.datasets.phyre_source import PhyreSource
from topple.datasets.plan import open_source
from topple.datasets.spec import Spec, SpecError, is_file
from topple.files import whole_file
from topple.iphyre.game_file import game_to_json
from topple.iphyre.selection import GameSelection
from topple.phyre.fold import Setup
from topple.phyre.scene.codec import scene_to_json
from topple.phyre.selection import Part, TaskSelection
from topple.progress import Progress
from topple.runs.record import find_records, write_record
from topple.runs.runner import Runner
from topple.runs.spec import find_spec

SOURCES = "sources"
RECORDS = f"{SOURCES}/records"


def gather(spec: Spec, folder: Path, progress: Progress | None = None) -> Spec:
    """Write what a spec refers to into a folder; returns the spec that refers to it there."""
    tasks = spec.tasks.renamed(
        lambda _, name: _puzzles(spec, name, folder) if is_file(name) else name
    )
    spec = replace(spec, tasks=tasks)
    if "agent" not in spec.actions.counts():
        return spec
    for record in find_records(*map(Path, spec.actions.records), benchmark=spec.benchmark):
        write_record(folder / RECORDS, record)
    spec = replace(spec, actions=replace(spec.actions, records=(RECORDS,)))
    if spec.actions.agent:
        _run_agent(spec, folder, progress)
    return spec


def _puzzles(spec: Spec, name: str, folder: Path) -> str:
    """Write the puzzles of a file as JSON; returns its name in the folder."""
    alone = replace(spec, tasks=replace(spec.tasks, train=(name,), dev=(), test=(), limit=0))
    data: Any
    if spec.benchmark == "phyre":
        source = PhyreSource(alone)
        scenes = [json.loads(scene_to_json(source.scene(task))) for task in source.splits["train"]]
        data = {"tier": source.tier.value, "scenes": scenes}
    else:
        alone = replace(alone, tasks=replace(alone.tasks, variants=0, scrambled=0))
        games = IPhyreSource(alone)
        data = [game_to_json(games.game(task)) for task in games.splits["train"]]
    path = f"{SOURCES}/{Path(name).stem}.json"
    with whole_file(folder / path) as temporary:
        temporary.write_text(json.dumps(data) + "\n", encoding="utf-8")
    return path


def _run_agent(spec: Spec, folder: Path, progress: Progress | None) -> None:
    """Let the agent attempt the tasks of every split, and keep its records."""
    agent = find_spec(spec.actions.agent, spec.benchmark)
    runner = Runner(paths.cache_folder(), progress=progress)
    count = spec.actions.counts()["agent"]
    configs = [
        agent.config(selection, spec.actions.settings, seed=spec.seed, attempts=attempts)
        for selection in _selections(spec, folder)
        if (attempts := min(count, selection.max_attempts))
    ]
    for _ in runner.sweep(configs, folder / RECORDS):
        pass


def _selections(spec: Spec, folder: Path) -> Sequence[Any]:
    without = replace(spec, actions=replace(spec.actions, records=()))
    splits = open_source(without, folder).splits
    if spec.benchmark == "iphyre":
        return [GameSelection(tuple(games), hz=spec.keep.hz) for games in splits.values()]
    found = []
    for split, tasks in splits.items():
        if not spec.tasks.setup or split == "train":
            # No part of a fold is left to learn from, so the agent has to do without.
            found.append(TaskSelection(None, None, tasks=tuple(tasks)))
        else:
            setup = Setup.parse(spec.tasks.setup)
            found.append(TaskSelection(setup, spec.tasks.fold, Part(split), tuple(tasks)))
    if not found:
        raise SpecError("actions.agent has no tasks to attempt; name some")
    return found
