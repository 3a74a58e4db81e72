"""`topple tasks`: list the published templates and tasks of PHYRE."""

from __future__ import annotations

from typing import Annotated

import typer

from topple.cli.errors import user_errors
from topple.cli.options import Json, Templates, TierOrAll, option_groups
from topple.cli.output import Cell, show, show_json
from topple.cli.select_tasks import FoldOptions, chosen_ids, parse_tier
from topple.phyre import Tier, find_template, load_task, template_task_ids

app = typer.Typer(add_completion=False)


@app.command()
@option_groups
def tasks(
    *,
    tier: TierOrAll = None,
    templates: Templates = None,
    fold: FoldOptions,
    ids: Annotated[bool, typer.Option("--ids", help="Print only the ids, one per line.")] = False,
    as_json: Json = False,
) -> None:
    """List PHYRE templates, or the tasks of templates or of a fold.

    Without options, all templates of both tiers are listed.

    Examples:
      topple tasks

      topple tasks --templates 00001

      topple tasks --setup ball_cross --fold 0 --part test

      topple tasks --tier ball --ids
    """
    with user_errors():
        chosen_tier = parse_tier(tier)
        of_fold = fold.ids()
        if templates is None and of_fold is None and not ids:
            _show_templates(chosen_tier, as_json)
            return
        tiers = [chosen_tier] if chosen_tier or templates or of_fold else list(Tier)
        found = [task_id for each in tiers for task_id in chosen_ids(each, templates, of_fold)]
        if ids:
            names = [str(task_id) for task_id in found]
            show_json(names) if as_json else typer.echo("\n".join(names))
            return
        rows: list[list[Cell]] = []
        for task_id in found:
            task = load_task(task_id)
            rows.append([str(task_id), task.tier.value, task.description])
    show(f"{len(rows):,} tasks", ("task", "tier", "description"), rows, as_json)


def _show_templates(tier: Tier | None, as_json: bool) -> None:
    rows: list[list[Cell]] = []
    for each in [tier] if tier else Tier:
        for template_id in each.template_ids:
            idea = find_template(template_id).idea
            rows.append([template_id, each.value, len(template_task_ids(template_id)), idea])
    show(f"{len(rows)} templates", ("template", "tier", "tasks", "idea"), rows, as_json)
