"""A page for every PHYRE template, and the index of them."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np

from pages import (
    FILM,
    FPS,
    STILL,
    Page,
    Pictures,
    enumeration,
    figures,
    gallery,
    per_cent,
    playable,
    table,
)
from topple.media.files import DrawnFrames
from topple.phyre import Simulator, Task, Template, Tier, load_task, template_tasks
from topple.phyre.cache.verify import Entry, committed_entry
from topple.phyre.draft import Value
from topple.phyre.engine.request import STEPS_PER_SECOND
from topple.phyre.engine_hash import engine_hash
from topple.phyre.frames import draw_scene
from topple.phyre.pictures import film
from topple.phyre.scene.codec import fingerprint
from topple.phyre.templates import MODULES, find_template, template_name

FOLDER = "puzzles/templates"
INDEX = f"{FOLDER}/index.md"
TIERS = {Tier.BALL: "One ball", Tier.TWO_BALLS: "Two balls"}
REST = STEPS_PER_SECOND // 2  # steps shown while the goal holds; the others look alike


def title(template_id: str) -> str:
    """The title of a template's page, such as "00002 Past the obstacle"."""
    return f"{template_id} {template_name(template_id)}"


def template_nav() -> list[Any]:
    """The templates of each tier, for the nav."""
    return [
        {name: [f"{FOLDER}/{template_id}.md" for template_id in tier.template_ids]}
        for tier, name in TIERS.items()
    ]


def template_pages(facts: dict[str, Any], pictures: Pictures) -> list[Page]:
    """All pages; their pictures are added to `pictures`."""
    return [
        _page(find_template(template_id), facts, pictures)
        for tier in Tier
        for template_id in tier.template_ids
    ]


def template_index() -> str:
    """Thumbnails of all templates, by tier, for the page that introduces them."""
    parts = ["The caption of a picture gives the share of random valid actions that solve a task."]
    for tier, name in TIERS.items():
        cards = [
            (f"{t}.md", f"{t}.png", f"{title(t)}, {per_cent(_chance(t))}")
            for t in tier.template_ids
        ]
        parts += [f"## {name}", gallery(cards)]
    return "\n\n".join(parts)


def _page(template: Template, facts: dict[str, Any], pictures: Pictures) -> Page:
    tasks = template_tasks(template.id)
    known = facts["solutions"][template.id]
    task, action = load_task(known["task"]), known["action"]
    stem = f"{FOLDER}/{template.id}"
    steps = Simulator(task).attempt(task, action).steps + 1
    key = (fingerprint([task.scene]), action, engine_hash(), FILM, STILL, REST)

    @cache
    def solved() -> DrawnFrames:
        last = steps - task.scene.goal.hold_steps + REST if task.scene.goal else steps
        return film(task.scene, action, FILM, FPS, last).frames

    pictures.add(f"{stem}.png", key, lambda: [draw_scene(task.scene, STILL)])
    pictures.add(f"{stem}.gif", key, solved)
    pictures.add(f"{stem}_end.png", (*key, "end"), lambda: solved()[-1:])
    text = f"""# {title(template.id)}

{template.idea}

{
        figures(
            [
                (f"{template.id}.png", f"Task {task.id}"),
                (f"{template.id}.gif", "A solution"),
                (f"{template.id}_end.png", "Its end"),
            ]
        )
    }

{playable("phyre", str(task.id))}

{_summary(template, tasks)}

## Parameters

{_parameters(template, tasks, task)}

{_selection(template)}

## Difficulty

{_difficulty(template)}

## A solution

{_solution(task, action, steps)}

## Source

`src/topple/phyre/templates/{MODULES[template.id].replace(".", "/")}.py`; see [puzzles of your
own](../../guides/own_puzzles.md).

```python
{inspect.getsource(inspect.getmodule(template.build) or template.build).strip()}
```
"""
    return Page(f"{stem}.md", text)


def _summary(template: Template, tasks: tuple[Task, ...]) -> str:
    goals = sorted({task.description for task in tasks})
    counts = sorted({len(task.scene.bodies) for task in tasks})
    bodies = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    seconds = tasks[0].scene.goal.hold_steps / STEPS_PER_SECOND if tasks[0].scene.goal else 0
    rows = [
        ("tier", f"`{template.tier.value}`: an action is {template.tier.action_size} numbers"),
        ("goal", f"{' Or: '.join(goals)[:-1]}, for {seconds:g} seconds in a row."),
        ("published tasks", f"{len(tasks)}, `{tasks[0].id}` to `{tasks[-1].id}`"),
        ("bodies", f"{bodies}, the four walls among them"),
    ]
    return table(("", ""), rows)


def _parameters(template: Template, tasks: tuple[Task, ...], shown: Task) -> str:
    rows = []
    for name, values in template.grid.items():
        used = {task.parameters[name] for task in tasks}
        rows.append(
            (
                f"`{name}`",
                len(values),
                _range(values),
                f"{len(used)}",
                _value(shown.parameters[name]),
            )
        )
    header = ("name", "values", "range", "used in tasks", f"in {shown.id}")
    count = f"The grid has {template.tuple_count:,} points."
    return f"{table(header, rows)}\n\n{count}"


def _range(values: tuple[Value, ...]) -> str:
    if len(values) == 1 or all(isinstance(value, (bool, str)) for value in values):
        return ", ".join(map(_value, values))
    return f"{_value(values[0])} to {_value(values[-1])}"


def _value(value: Value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _selection(template: Template) -> str:
    chosen = template.selection
    reasons = [
        reason
        for holds, reason in (
            (chosen.solvable, "have stable solutions"),
            (chosen.not_trivial, "are not solved by a tenth of all actions"),
            (chosen.needs_two_balls, "need two balls"),
            (chosen.diverse, "are not all solved by the same actions"),
        )
        if holds
    ]
    if not reasons:
        return "The published tasks are the first ones of the grid."
    searched = min(chosen.search, template.tuple_count)
    return (
        f"The authors of PHYRE chose the published tasks among the first {searched:,} of the grid: "
        f"those that {enumeration(reasons)}."
    )


def _entry(template_id: str) -> Entry:
    """The counts of outcomes of the fixed list of actions on a template's tasks."""
    entry = committed_entry(find_template(template_id).tier.value, template_id)
    assert entry is not None  # the manifest has all templates
    return entry


def _chance(template_id: str) -> float:
    entry = _entry(template_id)
    return entry.solved / entry.valid


def _difficulty(template: Template) -> str:
    entry, chance = _entry(template.id), _chance(template.id)
    peers = [_chance(other) for other in template.tier.template_ids]
    harder = sum(peer < chance for peer in peers)
    place = f"number {harder + 1}"
    end = ", counted from the hardest"
    if harder in (0, len(peers) - 1):
        place, end = "the easiest" if harder else "the hardest", ""
    return (
        f"A random valid action solves a task with probability **{per_cent(chance)}**: of the "
        f"first {entry.actions:,} actions of the fixed list on the 100 tasks, {entry.valid:,} are "
        f"valid and {entry.solved:,} of these solve. That makes it {place} of the {len(peers)} "
        f"templates of its tier{end}. `topple cache build` gives these counts."
    )


def _solution(task: Task, action: list[float], steps: int) -> str:
    numbers = [np.format_float_positional(value, 6) for value in action]
    balls = " ".join(f"--action {','.join(numbers[k : k + 3])}" for k in range(0, len(numbers), 3))
    pixels = Simulator(task).balls(task, action)[0]
    rows = [(k + 1, *(f"{value:g}" for value in ball)) for k, ball in enumerate(pixels)]
    seconds = steps / STEPS_PER_SECOND
    return f"""{table(("ball", "x, px", "y, px", "radius, px"), rows)}

It solves {task.id} after {steps} steps, {seconds:.1f} seconds. The film ends when the
goal has held for half a second.

```console
$ topple show {task.id} {balls} --out solved.gif
```

```python
from topple import Simulator

action = [{", ".join(numbers)}]
print(Simulator("{task.id}").attempt("{task.id}", action).outcome)
```"""
