"""`topple cache`: build, check and exchange the outcomes of the fixed action list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli.errors import resumable
from topple.cli.groups import App
from topple.cli.options import (
    AUTO,
    Backend,
    Cache,
    Compute,
    Templates,
    TierName,
    free_file,
    out_file,
)
from topple.cli.output import Cell, Output, listing
from topple.cli.runner import open_runner
from topple.cli.select_tasks import chosen_tasks
from topple.files import write_whole
from topple.phyre import Task, Tier, template_tasks
from topple.phyre.action import CACHE_SEED
from topple.phyre.benchmark import PHYRE
from topple.phyre.cache import ACTION_CACHE, ActionCache, SolutionIndex
from topple.phyre.cache.index import SUFFIX
from topple.phyre.cache.shard import SHARD_ACTIONS
from topple.phyre.cache.verify import (
    Entry,
    committed_entry,
    entry_of,
    import_index,
    simulate_sample,
)
from topple.phyre.engine.backend import check_backend
from topple.phyre.engine_hash import engine_hash

app = App(
    """Build, check and exchange the outcomes of the fixed action list on PHYRE tasks.

    The package contains the solutions among 100,000 actions on all published
    tasks, so agents and analyses need none of these commands. They verify that
    data, and add longer lists, other seeds and your own templates.

    Examples:
      topple cache check --tier ball --actions 100000 --sample 1000
      topple cache build --tier ball --actions 100000 --backend cuda
    """
)

Actions = Annotated[
    int,
    typer.Option(
        min=SHARD_ACTIONS, help="Number of actions from the fixed list, a multiple of 1,000."
    ),
]


ListSeed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the action list; 42 is the published one.")
]


@app.command()
@resumable()
def build(
    tier: TierName = Tier.BALL.value,
    actions: Actions = 1_000,
    seed: ListSeed = CACHE_SEED,
    templates: Templates = None,
    compute: Compute = AUTO,
    manifest: Annotated[Path | None, typer.Option(callback=free_file)] = None,
) -> Output:
    """Simulate and store outcomes, also those that the package already contains.

    A template may be a Python file of your own. An interrupted build resumes where it stopped.

    Options:
        manifest: Also write the hashes of the outcomes to this JSON file.

    Examples:
      topple cache build --tier two_balls --actions 10000 --templates 00100,00101
      topple cache build --templates my_template.py --actions 10000
    """
    placed = Tier.parse(tier)
    chosen = _templates(placed, templates)
    _check_actions(actions)
    with open_runner(compute) as (runner, bar):
        outcomes = PHYRE.action_cache(placed, runner, seed=seed, indexes=())
        entries = {}
        for template, tasks in chosen.items():
            bar.start(template)
            outcomes.build(tasks, actions)
            entries[template] = entry_of(outcomes, tasks, actions)
            if manifest is not None:
                _write(manifest, placed, seed, entries)
    return _listing(placed, seed, entries)


@app.command()
def check(
    tier: TierName = Tier.BALL.value,
    actions: Actions = 1_000,
    templates: Templates = None,
    sample: Annotated[int, typer.Option(min=0)] = 0,
    cache: Cache = None,
    backend: Backend = "auto",
) -> Output:
    """Compare outcomes with the hashes that come with the package, and with simulations.

    Outcomes that `topple cache build` simulated are checked where they are
    complete, and those of the solution index otherwise. To simulate every
    outcome again, build them first, preferably with --backend cuda. The exit
    status is 1 if outcomes differ.

    Options:
        sample: Number of random pairs of task and action to simulate.

    Examples:
      topple cache check --tier ball --actions 100000 --json
      topple cache check --tier two_balls --actions 100000 --sample 1000
    """
    placed = Tier.parse(tier)
    _check_actions(actions)
    folder = _folder(cache)
    chosen = _templates(placed, templates)
    simulated = ActionCache(folder, placed, indexes=())
    known = ActionCache(folder, placed, backend=check_backend(backend))
    entries = {
        template: entry_of(simulated, tasks, actions) or entry_of(known, tasks, actions)
        for template, tasks in chosen.items()
    }
    tasks = [task for name, tasks in chosen.items() if entries[name] for task in tasks]
    wrong = simulate_sample(known, tasks, actions, sample) if tasks and sample else []
    for task, number, outcome, found in wrong:
        typer.echo(f"{task}, action {number}: known as {outcome}, simulated as {found}", err=True)
    if sample and not wrong:
        typer.echo(f"{sample if tasks else 0} simulated pairs agree", err=True)
    output = _listing(placed, CACHE_SEED, entries)
    output.failed |= bool(wrong)
    return output


@app.command("export")
def export_index(
    out: Annotated[Path, out_file(f"the solution index, such as mine{SUFFIX}")],
    tier: TierName = Tier.BALL.value,
    actions: Actions = 1_000,
    seed: ListSeed = CACHE_SEED,
    templates: Templates = None,
    cache: Cache = None,
) -> Output:
    """Write the solutions of some templates to a small file that others can import.

    Examples:
      topple cache export --templates my_template.py --actions 10000 --out mine.solutions
    """
    placed = Tier.parse(tier)
    tasks = [task for group in _templates(placed, templates).values() for task in group]
    index = ActionCache(_folder(cache), placed, seed=seed).index(tasks, actions)
    index.save(out)
    return _index_listing(index, out)


@app.command("import")
def import_file(
    path: Path,
    sample: Annotated[int, typer.Option(min=0)] = 100,
    cache: Cache = None,
) -> Output:
    """Add a solution index to the cache, so that what it covers is never simulated again.

    Random pairs of its published tasks and actions are simulated first; the
    file is refused if one differs.

    Options:
        path: A file that `topple cache export` wrote.
        sample: Number of random pairs to simulate before it is accepted.

    Examples:
      topple cache import mine.solutions
    """
    index = import_index(_folder(cache), path, sample)
    return _index_listing(index, path)


def _folder(cache: Path | None) -> Path:
    return (cache or paths.cache_folder()) / ACTION_CACHE


def _templates(tier: Tier, names: str | None) -> dict[str, Sequence[Task]]:
    """Return the tasks of published templates and of template files."""
    chosen: dict[str, Sequence[Task]] = {}
    for name in tier.template_ids if names is None else names.split(","):
        if name.endswith(".py"):
            own = chosen_tasks([name]).get(tier)
            if own is None:
                raise ValueError(f"the template of {name} is not of tier {tier.value!r}")
            chosen[own[0].id.template] = own
        elif name in tier.template_ids:
            chosen[name] = template_tasks(name)
        else:
            raise ValueError(f"tier {tier.value!r} has no template {name!r}; see `topple tasks`")
    return chosen


def _check_actions(actions: int) -> None:
    if actions % SHARD_ACTIONS:
        raise ValueError(f"actions is {actions}; the cache is built in whole {SHARD_ACTIONS}s")


def _index_listing(index: SolutionIndex, path: Path) -> Output:
    row: list[Cell] = [index.tier, index.seed, len(index.scenes), index.actions, len(index.numbers)]
    columns = ("tier", "seed", "tasks", "actions", "solutions")
    return listing(f"Solution index {path}", columns, [row])


def _listing(tier: Tier, seed: int, entries: dict[str, Entry | None]) -> Output:
    """List the stored outcomes; the check fails if some contradict the manifest."""
    rows: list[list[Cell]] = []
    right = True
    for template, entry in entries.items():
        known = committed_entry(tier.value, template) if seed == CACHE_SEED else None
        if entry is None:
            rows.append([template, None, None, None, "not built"])
            continue
        verdict = "no hash to compare with"
        if known is not None and known.actions == entry.actions:
            verdict = "as committed" if known == entry else "DIFFERS"
            right &= known == entry
        rows.append([template, entry.valid, entry.solved, entry.digest, verdict])
    columns = ("template", "valid", "solved", "hash", "check")
    return listing(f"Outcomes of tier {tier.value}", columns, rows, failed=not right)


def _write(path: Path, tier: Tier, seed: int, entries: dict[str, Entry | None]) -> None:
    """Add entries to a manifest, and keep those of other templates."""
    data: dict[str, Any] = {"engine": engine_hash(), "seed": seed, "tiers": {}}
    if path.exists():
        data = json.loads(path.read_text())
    rows = {name: entry._asdict() for name, entry in entries.items() if entry is not None}
    data["tiers"].setdefault(tier.value, {}).update(rows)
    write_whole(path, json.dumps(data, indent=1, sort_keys=True) + "\n")
