"""What a spec refers to, kept beside the data as plain JSON.

Own and scrambled puzzles and the attempts of agents are written into the folder ``sources`` of a
data set, so that it can be checked anywhere, and without running anybody's program.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from topple.datasets.attempts import ATTEMPTS, agent_attempts, read_attempts
from topple.datasets.iphyre_source import IPhyreSource
from topple.datasets.phyre_source import PhyreSource
from topple.datasets.plan import open_source
from topple.datasets.sample import SOURCES
from topple.datasets.spec import Spec, is_file
from topple.files import write_whole
from topple.iphyre.game_file import game_to_json
from topple.phyre.puzzle_file import write_puzzles


def gather(spec: Spec, folder: Path) -> Spec:
    """Write what a spec refers to into a folder; returns the spec that refers to it there."""
    tasks = spec.tasks.renamed(
        lambda _, name: _puzzles(spec, name, folder) if is_file(name) else name
    )
    spec = replace(spec, tasks=tasks)
    if spec.benchmark == "phyre" and spec.tasks.scrambled:
        PhyreSource(spec, folder).keep_scrambled()
    if "agent" not in spec.actions.counts():
        return spec
    kept = f"{SOURCES}/{ATTEMPTS}"
    gathered = replace(spec, actions=replace(spec.actions, records=(kept,)))
    if not (folder / kept).exists():
        source = open_source(spec, folder)
        games = source.games() if isinstance(source, IPhyreSource) else {}
        found = read_attempts(map(Path, spec.actions.records), spec, games)
        if spec.actions.agent:
            for task, actions in agent_attempts(spec, source, games).items():
                found[task] += actions
        write_whole(folder / kept, json.dumps(found, sort_keys=True) + "\n")
    return gathered


def _puzzles(spec: Spec, name: str, folder: Path) -> str:
    """Write the puzzles of a file as JSON; returns its name in the folder."""
    changes: dict[str, Any] = {"dev": (), "test": (), "limit": 0, "variants": 0, "scrambled": 0}
    alone = replace(spec, tasks=replace(spec.tasks, train=(name,), **changes))
    path = f"{SOURCES}/{Path(name).stem}.json"
    if spec.benchmark == "phyre":
        source = PhyreSource(alone)
        write_puzzles(folder / path, source.tier, list(map(source.scene, source.splits["train"])))
        return path
    games = IPhyreSource(alone)
    data = [game_to_json(games.game(task)) for task in games.splits["train"]]
    write_whole(folder / path, json.dumps(data) + "\n")
    return path
