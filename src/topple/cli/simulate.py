"""`topple simulate`: a table of outcomes, of tasks by actions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from topple.cli.errors import resumable
from topple.cli.groups import Flag
from topple.cli.options import TierOrAll, out_file
from topple.cli.output import Output, rich_table
from topple.cli.progress import progress_bar
from topple.cli.select_tasks import FoldOptions, chosen_ids, parse_tier, read_actions
from topple.phyre import load_task
from topple.phyre.cache.table import OutcomeTable, TableBuilder
from topple.phyre.engine.result import Outcome


@resumable()
def simulate(
    *,
    actions: Annotated[str, typer.Option()],
    out: Annotated[Path, out_file("the table, ending in .npz", ".npz")],
    tier: TierOrAll = None,
    tasks: str | None = None,
    fold: FoldOptions,
    stable: Flag = False,
    overwrite: Flag = False,
    threads: Annotated[int | None, typer.Option(min=1)] = None,
) -> Output:
    """Simulate every action on every task and store the outcomes as a table.

    The file contains `tasks`, `actions`, and for each pair its `steps` and its
    `outcome`: -1 not solved, 0 invalid, 1 solved; with --stable, 2 unstably and
    3 stably solved. An interrupted run resumes where it stopped.

    Options:
        actions: Number of actions from the fixed list, or a .npy file of actions with 3 columns for
            one ball or 6 for two.
        tasks: Comma-separated PHYRE task and template ids, such as 00001:000,00002. The default is
            all tasks of the tier.
        stable: Also test whether each solution is stable, by simulating neighbouring actions.
        overwrite: Replace a file that contains other results.
        threads: Maximum number of threads. The default is one per core.

    Examples:
      topple simulate --tier ball --tasks 00001:000,00002 --actions 1000 --out table.npz
      topple simulate --setup ball_cross --fold 0 --actions mine.npy --out table.npz
    """
    wanted = chosen_ids(parse_tier(tier), tasks, fold.ids())
    chosen = [load_task(task_id) for task_id in wanted]
    array = read_actions(actions, chosen[0].tier)
    builder = TableBuilder(chosen, array, out, stable=stable, overwrite=overwrite)
    resumed = builder.done
    with progress_bar("simulating", builder.total, resumed) as bar:
        table = builder.run(threads, bar.report)
        bar.report(builder.total, builder.total)
    counts = _counts(table)
    rows = [(name.replace("_", " "), count) for name, count in counts.items()]
    title = f"{len(table.tasks)} tasks x {len(table.actions)} actions"
    solved = int((table.outcome > 0).any(axis=1).sum())
    return Output(
        {"file": str(out), "attempts": builder.total, "resumed": resumed, **counts},
        rich_table(title, ("outcome", "pairs"), rows),
        f"{solved} of {len(table.tasks)} tasks solved; the table is in {out}",
    )


def _counts(table: OutcomeTable) -> dict[str, int]:
    values, counts = np.unique(table.outcome, return_counts=True)
    found = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return {outcome.name.lower(): found.get(outcome, 0) for outcome in Outcome}
