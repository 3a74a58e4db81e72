"""``topple analyse``: how hard, solvable and alike tasks are, published or your own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from topple.cli.messages import user_errors
from topple.cli.phyre_lab import (
    Address,
    Cache,
    OnBackend,
    Out,
    Templates,
    UseRay,
    chosen_tasks,
    laboratory,
    save,
)
from topple.cli.phyre_progress import progress_bar
from topple.observe.frame_files import whole_file
from topple.phyre.action_cache import ActionCache
from topple.phyre.analysis.difficulty import random_curve, template_difficulty
from topple.phyre.analysis.diversity import template_diversity
from topple.phyre.analysis.solvability import (
    MIN_VALID,
    THRESHOLDS,
    Evidence,
    Verdict,
    assess,
    decide,
)
from topple.phyre.task import Task
from topple.physics.backend import check_backend
from topple.reports.analyses import (
    difficulty_table,
    diversity_table,
    random_curve_table,
    solvability_table,
)
from topple.reports.figures import (
    difficulty_bars,
    diversity_histograms,
    random_curves,
    solvability_figure,
)
from topple.scene.codec import fingerprint

app = typer.Typer(no_args_is_help=True, add_completion=False)

Actions = Annotated[int, typer.Option(min=10, help="How many actions of the fixed list.")]
_FIGURES = Path("figures")


@app.callback()
def _group() -> None:
    """Say how hard, solvable and alike tasks are, published or your own.

    Stop any command with Ctrl-C: what is done is kept, and the same command goes on from there.

    Examples:
      topple analyse difficulty ball --actions 1000
    """


@app.command()
def difficulty(
    templates: Templates = None,
    actions: Actions = 1000,
    out: Out = _FIGURES,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: OnBackend = "cpu",
) -> None:
    """Try random actions on tasks and draw how many they solve (Figure 2).

    Examples:
      topple analyse difficulty ball two_balls --actions 1000
    """
    groups = chosen_tasks(templates)
    curves, bars = {}, {}
    with laboratory(cache, use_ray, address, backend) as (lab, bar):
        for tier, tasks in groups.items():
            bar.name(tier.value)
            outcomes = lab.action_cache(tier).outcomes(tasks, actions)
            curves[tier.value] = random_curve(outcomes, np.random.default_rng(0))
            bars[tier.value] = template_difficulty(tasks, outcomes)
    save(out, "figure2a", random_curve_table(curves), random_curves(curves))
    save(out, "figure2b", difficulty_table(bars), difficulty_bars(bars))


@app.command()
def diversity(
    templates: Templates = None,
    actions: Actions = 1000,
    out: Out = _FIGURES,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: OnBackend = "cpu",
) -> None:
    """Count how many tasks of a template single actions solve (Figures 10 and 11).

    Examples:
      topple analyse diversity 00000 my_template.py --actions 10000
    """
    with laboratory(cache, use_ray, address, backend) as (lab, bar):
        for tier, tasks in chosen_tasks(templates).items():
            bar.name(tier.value)
            found = template_diversity(tasks, lab.action_cache(tier).outcomes(tasks, actions))
            save(
                out, f"diversity_{tier.value}", diversity_table(found), diversity_histograms(found)
            )


@app.command()
def solvability(
    templates: Templates = None,
    p0: Annotated[
        float | None, typer.Option(help="Smallest share of stable solutions; by tier if left out.")
    ] = None,
    max_actions: Annotated[int, typer.Option(min=1, help="To try on a task.")] = 1_000_000,
    min_valid: Annotated[int, typer.Option(min=1, help="Before a task is decided.")] = MIN_VALID,
    out: Out = _FIGURES,
    backend: OnBackend = "cpu",
) -> None:
    """Decide by sampling which tasks have stable solutions (supplement B).

    Examples:
      topple analyse solvability my_template.py --max-actions 200000
    """
    for tier, tasks in chosen_tasks(templates).items():
        threshold = THRESHOLDS[tier] if p0 is None else p0
        kept = out / f"solvability_{tier.value}_{fingerprint(t.scene for t in tasks)[:8]}.json"

        with user_errors(), progress_bar() as bar:
            bar.name(f"{tier.value}: tasks decided")

            def keep(
                found: list[Evidence],
                file: Path = kept,
                p0: float = threshold,
            ) -> None:
                with whole_file(file) as temporary:
                    temporary.write_text(json.dumps([entry.to_data() for entry in found]))
                decided = [decide(entry, p0, min_valid) is not Verdict.OPEN for entry in found]
                bar.report(sum(decided), len(decided))

            known = _known(kept) if kept.exists() else None
            found = assess(
                tasks,
                p0=threshold,
                known=known,
                max_actions=max_actions,
                min_valid=min_valid,
                on_block=keep,
                backend=check_backend(backend),
            )
        save(
            out,
            f"solvability_{tier.value}",
            solvability_table(tasks, found, threshold, min_valid),
            solvability_figure(_shares(tasks, found), threshold),
        )


@app.command("cache")
def cache_command(
    templates: Templates = None,
    actions: Actions = 1000,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: OnBackend = "cpu",
) -> None:
    """Simulate the fixed list of actions on tasks and keep the outcomes.

    Examples:
      topple analyse cache ball --actions 1000

      topple analyse cache two_balls --actions 100000 --address auto
    """
    with laboratory(cache, use_ray, address, backend) as (lab, bar):
        for tier, tasks in chosen_tasks(templates).items():
            bar.name(tier.value)
            kept: ActionCache = lab.action_cache(tier)
            kept.build(tasks, actions)
            typer.echo(f"{tier.value}: {len(tasks):,} tasks x {actions:,} actions in {kept.folder}")


def _known(file: Path) -> list[Evidence]:
    return [Evidence(**entry) for entry in json.loads(file.read_text())]


def _shares(tasks: list[Task], found: list[Evidence]) -> dict[str, list[float]]:
    shares: dict[str, list[float]] = {}
    for task, evidence in zip(tasks, found, strict=True):
        share = evidence.stable / max(evidence.valid, 1)
        shares.setdefault(task.id.template, []).append(share)
    return shares
