"""`topple demo`: a report on random actions for all PHYRE templates, in about a minute."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from topple import __version__
from topple.cli.errors import resumable
from topple.cli.groups import App
from topple.cli.options import out_folder
from topple.cli.output import Output
from topple.cli.progress import progress_bar
from topple.files import whole_file
from topple.media.files import save_frames, save_png
from topple.phyre import Task, Tier, load_task, template_task_ids
from topple.phyre.action import discrete_actions
from topple.phyre.cache.table import OutcomeTable, TableBuilder
from topple.phyre.demo_page import Clip, TierSummary, demo_page
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.pictures import film, tier_sheet
from topple.threads import default_threads

CLIP_SIZE = 256  # pixels
CLIP_HOLD = 1.5  # seconds for which a clip shows its last frame
TIMED_ACTIONS = 200  # per task, to measure the speed

app = App()


@app.command()
@resumable()
def demo(
    out: Annotated[Path, out_folder("the report")] = Path("runs/demo"),
    actions: Annotated[int, typer.Option(min=1)] = 2000,
    clips: Annotated[int, typer.Option(min=0)] = 6,
) -> Output:
    """Try random actions on every PHYRE template and write a report with clips of solutions.

    An interrupted run resumes where it stopped.

    Options:
        actions: Number of actions from the fixed list to try on each task.
        clips: Number of solved attempts to show for each tier.

    Examples:
      topple demo
      topple demo --actions 200 --clips 2 --out quick
    """
    summaries = [_summarise(tier, out, actions, clips) for tier in Tier]
    page = out / "index.html"
    with whole_file(page) as temporary:
        text = demo_page(summaries, default_threads(), __version__)
        temporary.write_text(text, encoding="utf-8")
    tiers = [_facts(summary) for summary in summaries]
    lines = [
        f"{facts['tier']}: {facts['attempts_per_second']:,} attempts per second, "
        f"{facts['solved']} of {facts['tasks']} tasks solved"
        for facts in tiers
    ]
    data = {"report": str(page), "tiers": tiers}
    return Output(data, *lines, f"open {page.resolve()} in a browser")


def _facts(summary: TierSummary) -> dict[str, str | int]:
    return {
        "tier": summary.tier.value,
        "tasks": len(summary.solutions),
        "solved": sum(count > 0 for count in summary.solutions.values()),
        "attempts_per_second": round(summary.rate),
    }


def _summarise(tier: Tier, out: Path, count: int, clips: int) -> TierSummary:
    """Try actions on the first task of each template of a tier."""
    sheet = out / f"{tier.value}.png"
    save_png(tier_sheet(tier), sheet)
    tasks = [load_task(template_task_ids(template_id)[0]) for template_id in tier.template_ids]
    actions = discrete_actions(tier, count)
    builder = TableBuilder(tasks, actions, out / f"{tier.value}.npz", overwrite=True)
    with progress_bar(f"{tier.value}: trying actions", builder.total, builder.done) as bar:
        table = builder.run(progress=bar.report)
    solved = (table.outcome > 0).sum(axis=1).tolist()
    return TierSummary(
        tier,
        sheet,
        count,
        dict(zip(table.tasks, solved, strict=True)),
        int((table.outcome != 0).sum()),
        _measure(tasks, actions[:TIMED_ACTIONS]),
        _film(tasks, table, out / "clips", clips),
    )


def _film(tasks: Sequence[Task], table: OutcomeTable, folder: Path, count: int) -> list[Clip]:
    """Save clips of the first solutions of some tasks, spread evenly over the solved ones."""
    solved = np.flatnonzero((table.outcome > 0).any(axis=1))
    chosen = solved[np.unique(np.linspace(0, len(solved) - 1, min(count, len(solved))).astype(int))]
    made = []
    with progress_bar(f"{tasks[0].tier.value}: rendering solutions", len(chosen)) as bar:
        for row in chosen:
            task, number = tasks[row], int((table.outcome[row] > 0).argmax())
            file = folder / f"{task.id.template}-{task.id.number:03d}-{number + 1}.gif"
            if not file.exists():
                frames = film(task.scene, table.actions[number], CLIP_SIZE).frames
                save_frames(frames, file, hold=CLIP_HOLD)
            made.append(Clip(str(task.id), task.template.idea, number + 1, file))
            bar.advance()
    return made


def _measure(tasks: Sequence[Task], actions: np.typing.NDArray[np.float64]) -> float:
    """Measure valid attempts per second on all cores, outcomes only."""
    scenes = SceneSet([task.scene for task in tasks])
    index = np.repeat(np.arange(len(tasks)), len(actions))
    tiled = np.tile(actions, (len(tasks), 1))
    valid, _ = map_actions(scenes, index, tiled)
    start = time.perf_counter()
    simulate_batch(scenes, index[valid], tiled[valid])
    return int(valid.sum()) / (time.perf_counter() - start)
