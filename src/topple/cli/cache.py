"""`topple cache`: build the outcomes of the fixed action list, and check them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli.errors import CHECK_FAILED, resumable, user_errors
from topple.cli.groups import HelpfulGroup
from topple.cli.options import (
    AUTO,
    Cache,
    Compute,
    Json,
    Templates,
    TierName,
    free_file,
    option_groups,
)
from topple.cli.output import Cell, show
from topple.cli.runner import open_runner
from topple.files import whole_file
from topple.phyre.action import CACHE_SEED
from topple.phyre.benchmark import ACTION_CACHE, PHYRE
from topple.phyre.cache import ActionCache
from topple.phyre.cache.manifest import Entry, committed_entry, entry_of
from topple.phyre.cache.shard import SHARD_ACTIONS
from topple.phyre.engine_hash import engine_hash
from topple.phyre.task import template_tasks
from topple.phyre.tier import Tier

app = typer.Typer(cls=HelpfulGroup, add_completion=False)

Actions = Annotated[
    int,
    typer.Option(
        min=SHARD_ACTIONS, help="Number of actions from the fixed list, a multiple of 1,000."
    ),
]


@app.callback()
def _group() -> None:
    """Build and check the outcomes of the fixed list of 100,000 actions on every PHYRE task.

    Examples:
      topple cache build --tier ball --actions 100000 --backend cuda

      topple cache check --tier ball --actions 100000
    """


@app.command()
@option_groups
def build(
    tier: TierName = Tier.BALL.value,
    actions: Actions = 1_000,
    templates: Templates = None,
    compute: Compute = AUTO,
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="Also write the hashes of the outcomes to this JSON file.", callback=free_file
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate and store the outcomes that are missing.

    An interrupted build resumes where it stopped.

    Examples:
      topple cache build --tier two_balls --actions 10000 --templates 00100,00101
    """
    with user_errors(), resumable():
        placed = Tier.parse(tier)
        chosen = _templates(placed, templates)
        _check_actions(actions)
        with open_runner(compute) as (runner, bar):
            outcomes = PHYRE.action_cache(placed, runner)
            entries = {}
            for template in chosen:
                bar.start(template)
                outcomes.build(template_tasks(template), actions)
                entries[template] = entry_of(outcomes, template, actions)
                if manifest is not None:
                    _write(manifest, placed, entries)
    _show(placed, entries, as_json)


@app.command()
def check(
    tier: TierName = Tier.BALL.value,
    actions: Actions = 1_000,
    templates: Templates = None,
    cache: Cache = None,
    as_json: Json = False,
) -> None:
    """Compare stored outcomes with the hashes that come with the package.

    The exit status is 1 if outcomes differ.

    Examples:
      topple cache check --tier ball --actions 100000 --json
    """
    with user_errors():
        placed = Tier.parse(tier)
        _check_actions(actions)
        folder = (cache or paths.cache_folder()) / ACTION_CACHE
        outcomes = ActionCache(folder, placed)
        chosen = _templates(placed, templates)
        entries = {template: entry_of(outcomes, template, actions) for template in chosen}
    if not _show(placed, entries, as_json):
        raise typer.Exit(CHECK_FAILED)


def _templates(tier: Tier, names: str | None) -> list[str]:
    chosen = list(tier.template_ids) if names is None else names.split(",")
    for name in chosen:
        if name not in tier.template_ids:
            raise ValueError(f"tier {tier.value!r} has no template {name!r}; see `topple tasks`")
    return chosen


def _check_actions(actions: int) -> None:
    if actions % SHARD_ACTIONS:
        raise ValueError(f"actions is {actions}; the cache is built in whole {SHARD_ACTIONS}s")


def _show(tier: Tier, entries: dict[str, Entry | None], as_json: bool) -> bool:
    """Print what is there; tells whether nothing contradicts the manifest."""
    rows: list[list[Cell]] = []
    right = True
    for template, entry in entries.items():
        known = committed_entry(tier.value, template)
        if entry is None:
            rows.append([template, None, None, None, "not built"])
            continue
        verdict = "no hash to compare with"
        if known is not None and known.actions == entry.actions:
            verdict = "as committed" if known == entry else "DIFFERS"
            right &= known == entry
        rows.append([template, entry.valid, entry.solved, entry.digest, verdict])
    columns = ("template", "valid", "solved", "hash", "check")
    show(f"Outcomes of tier {tier.value}", columns, rows, as_json)
    return right


def _write(path: Path, tier: Tier, entries: dict[str, Entry | None]) -> None:
    """Add entries to a manifest, which may have others."""
    data: dict[str, Any] = {"engine": engine_hash(), "seed": CACHE_SEED, "tiers": {}}
    if path.exists():
        data = json.loads(path.read_text())
    rows = {name: entry._asdict() for name, entry in entries.items() if entry is not None}
    data["tiers"].setdefault(tier.value, {}).update(rows)
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")
