"""`topple demo`: a report on random actions for all PHYRE templates, in about a minute."""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from topple import __version__
from topple.cli.errors import resumable
from topple.cli.options import out_folder
from topple.cli.output import Output
from topple.cli.progress import progress_bar
from topple.files import write_whole
from topple.media.files import save_frames, save_png
from topple.phyre import Task, Tier, discrete_actions, load_task, template_task_ids
from topple.phyre.cache.table import OutcomeTable, TableBuilder
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.pictures import film, tier_sheet
from topple.reports.html import Clip, Section, clip_gallery, report_page
from topple.threads import default_threads

CLIP_SIZE = 256  # pixels
CLIP_HOLD = 1.5  # seconds for which a clip shows its last frame
TIMED_ACTIONS = 200  # per task, to measure the speed


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
    write_whole(page, demo_page(summaries, default_threads(), __version__))
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
            caption = f"{task.id}, action {number + 1:,}. {task.template.idea}"
            made.append(Clip(caption, file.read_bytes()))
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


class TierSummary(NamedTuple):
    """What the demo found out about a tier."""

    tier: Tier
    sheet: Path  # a PNG of all templates
    actions: int  # tried on each task
    solutions: dict[str, int]  # task -> how many of the actions solve it
    valid: int  # attempts among all pairs
    rate: float  # valid attempts a second
    clips: Sequence[Clip]


_TITLES = {Tier.BALL: "PHYRE-B: place one ball", Tier.TWO_BALLS: "PHYRE-2B: place two balls"}

_INTRODUCTION = """<p>Each puzzle asks for the same thing: make the
<b style="color:#3fae99">green</b> body touch the <b style="color:#1877f2">blue</b> or
<b style="color:#4b4aa4">purple</b> one for three seconds, by adding
<b style="color:#f34f46">red</b> balls before the world starts to move. Black bodies stay, gray
ones move. What follows was simulated on this machine ({cores} cores, topple {version}).</p>"""

_STYLE = """
.numbers { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none; }
.numbers li { border: 1px solid #8884; border-radius: 8px; padding: .6rem 1rem; }
.numbers b { display: block; font-size: 1.6rem; }
.sheet { max-width: 100%; }
.bars { display: grid; grid-template-columns: auto 1fr auto; gap: .15rem .6rem;
        font-size: .85rem; align-items: center; }
.bars i { display: block; height: .7rem; background: #6bcebb; min-width: 1px; }
"""


def demo_page(tiers: Sequence[TierSummary], cores: int, version: str) -> str:
    """The page as HTML text."""
    introduction = _INTRODUCTION.format(cores=cores, version=escape(version))
    first = Section(heading="The puzzles", body=introduction, style=_STYLE)
    return report_page("Topple: a first look", [first, *map(_tier_section, tiers)])


def _tier_section(summary: TierSummary) -> Section:
    tasks = len(summary.solutions)
    solved = sum(count > 0 for count in summary.solutions.values())
    sheet = base64.b64encode(summary.sheet.read_bytes()).decode()
    body = f"""<ul class="numbers">
<li><b>{summary.rate:,.0f}</b> attempts a second</li>
<li><b>{summary.valid:,}</b> attempts of {tasks * summary.actions:,} actions tried were valid</li>
<li><b>{solved} of {tasks}</b> puzzles solved by one of {summary.actions:,} random actions</li>
</ul>
<h3>Solved attempts</h3>
{clip_gallery(summary.clips)}
<h3>The 25 templates</h3>
<img class="sheet" alt="The first puzzle of each template" src="data:image/png;base64,{sheet}">
<h3>How rare solutions are</h3>
<p>Of {summary.actions:,} random actions, so many solve the first puzzle of each template.</p>
<div class="bars">
{_bars(summary.solutions)}
</div>"""
    return Section(heading=_TITLES[summary.tier], body=body)


def _bars(solutions: dict[str, int]) -> str:
    most = max(*solutions.values(), 1)
    return "\n".join(
        f'<span>{escape(task)}</span><i style="width:{100 * count / most:.1f}%"></i>'
        f"<span>{count:,}</span>"
        for task, count in solutions.items()
    )
