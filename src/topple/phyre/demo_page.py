"""The page `topple demo` writes: one file, pictures inside, to be opened in a browser."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from topple.phyre.tier import Tier


class Clip(NamedTuple):
    """A solved attempt."""

    task: str
    idea: str
    number: int  # of the action in the fixed list, from 1
    file: Path  # a GIF


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

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 1080px;
       margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
.numbers { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none; }
.numbers li { border: 1px solid #ddd; border-radius: 8px; padding: .6rem 1rem; }
.numbers b { display: block; font-size: 1.6rem; }
.clips { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 1rem; }
figure { margin: 0; }
figure img { width: 100%; border: 1px solid #ccc; }
figcaption { font-size: .85rem; color: #555; }
.sheet { max-width: 100%; }
.bars { display: grid; grid-template-columns: auto 1fr auto; gap: .15rem .6rem;
        font-size: .85rem; align-items: center; }
.bars i { display: block; height: .7rem; background: #6bcebb; min-width: 1px; }
"""


def demo_page(tiers: Sequence[TierSummary], cores: int, version: str) -> str:
    """The page as HTML text."""
    sections = "\n".join(_tier_section(summary) for summary in tiers)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Topple: a first look</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Topple: a first look</h1>
<p>Each puzzle asks for the same thing: make the <b style="color:#3fae99">green</b> body touch
the <b style="color:#1877f2">blue</b> or <b style="color:#4b4aa4">purple</b> one for three
seconds, by adding <b style="color:#f34f46">red</b> balls before the world starts to move.
Black bodies stay, gray ones move. What follows was simulated on this machine
({cores} cores, topple {escape(version)}).</p>
{sections}
</body>
</html>
"""


def _tier_section(summary: TierSummary) -> str:
    tasks = len(summary.solutions)
    solved = sum(count > 0 for count in summary.solutions.values())
    clips = "\n".join(_clip(clip) for clip in summary.clips)
    return f"""<h2>{_TITLES[summary.tier]}</h2>
<ul class="numbers">
<li><b>{summary.rate:,.0f}</b> attempts a second</li>
<li><b>{summary.valid:,}</b> attempts of {tasks * summary.actions:,} actions tried were valid</li>
<li><b>{solved} of {tasks}</b> puzzles solved by one of {summary.actions:,} random actions</li>
</ul>
<h3>Solved attempts</h3>
<div class="clips">
{clips}
</div>
<h3>The 25 templates</h3>
<img class="sheet" alt="The first puzzle of each template" src="{_inline(summary.sheet)}">
<h3>How rare solutions are</h3>
<p>Of {summary.actions:,} random actions, so many solve the first puzzle of each template.</p>
<div class="bars">
{_bars(summary.solutions)}
</div>"""


def _clip(clip: Clip) -> str:
    return (
        f'<figure><img alt="{escape(clip.task)}, solved" src="{_inline(clip.file)}">'
        f"<figcaption><b>{escape(clip.task)}</b>, action {clip.number:,}. "
        f"{escape(clip.idea)}</figcaption></figure>"
    )


def _bars(solutions: dict[str, int]) -> str:
    most = max(*solutions.values(), 1)
    return "\n".join(
        f'<span>{escape(task)}</span><i style="width:{100 * count / most:.1f}%"></i>'
        f"<span>{count:,}</span>"
        for task, count in solutions.items()
    )


def _inline(path: Path) -> str:
    kind = path.suffix.lstrip(".").lower()
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
