"""`topple tasks`: list the published templates and tasks of PHYRE, and make new puzzles."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli.groups import App, Flag
from topple.cli.options import (
    Backend,
    FoldOrNone,
    Seed,
    SetupName,
    Templates,
    TierOrAll,
    out_folder,
)
from topple.cli.output import Cell, Output, listing
from topple.cli.progress import progress_bar
from topple.cli.select_tasks import FoldOptions, chosen_ids, parse_tier
from topple.files import write_whole
from topple.media.files import save_png
from topple.paths import cache_folder
from topple.phyre import Setup, Tier, find_template, load_fold, load_task, template_task_ids
from topple.phyre.blend import Blended
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.engine.backend import check_backend
from topple.phyre.pictures import SHEET_SIZE, puzzle_sheet
from topple.phyre.puzzle_file import write_puzzles
from topple.phyre.scene.codec import scene_to_json
from topple.phyre.scramble import (
    ACTIONS,
    LIST_LENGTH,
    Free,
    Puzzles,
    Scrambled,
    Source,
    train_tasks,
)
from topple.phyre.scramble import make as make_puzzles

app = App()

_MOST = 10_000  # puzzles of one folder
_SHEET = 40  # puzzles on a contact sheet


@app.callback(invoke_without_command=True)
def tasks(
    context: typer.Context,
    *,
    tier: TierOrAll = None,
    templates: Templates = None,
    fold: FoldOptions,
    ids: Flag = False,
) -> Output | None:
    """List PHYRE templates, or the tasks of templates or of a fold; or make new puzzles.

    Without options, all templates of both tiers are listed.

    Options:
        ids: Print only the ids, one per line.

    Examples:
      topple tasks
      topple tasks --templates 00001
      topple tasks --setup ball_cross --fold 0 --part test
      topple tasks --tier ball --ids
      topple tasks scramble --tier ball --count 100 --out puzzles
    """
    if context.invoked_subcommand is not None:
        return None
    chosen_tier = parse_tier(tier)
    of_fold = fold.ids()
    if templates is None and of_fold is None and not ids:
        return _template_listing(chosen_tier)
    tiers = [chosen_tier] if chosen_tier or templates or of_fold else list(Tier)
    found = [task_id for each in tiers for task_id in chosen_ids(each, templates, of_fold)]
    if ids:
        names = [str(task_id) for task_id in found]
        return Output(names, "\n".join(names))
    rows: list[list[Cell]] = []
    for task_id in found:
        task = load_task(task_id)
        rows.append([str(task_id), task.tier.value, task.description])
    return listing(f"{len(rows):,} tasks", ("task", "tier", "description"), rows)


def _template_listing(tier: Tier | None) -> Output:
    rows: list[list[Cell]] = []
    for each in [tier] if tier else Tier:
        for template_id in each.template_ids:
            idea = find_template(template_id).idea
            rows.append([template_id, each.value, len(template_task_ids(template_id)), idea])
    return listing(f"{len(rows)} templates", ("template", "tier", "tasks", "idea"), rows)


class PuzzleKind(Enum):
    """What new puzzles are made from."""

    SCRAMBLED = "scrambled"
    BLENDED = "blended"
    FREE = "free"


@app.command()
def scramble(
    out: Annotated[Path, out_folder("the puzzles")],
    kind: PuzzleKind = PuzzleKind.SCRAMBLED,
    count: Annotated[int, typer.Option(min=1, max=_MOST)] = 100,
    tier: TierOrAll = None,
    tasks: str | None = None,
    setup: SetupName = None,
    fold: FoldOrNone = None,
    actions: Annotated[int, typer.Option(min=1, max=LIST_LENGTH)] = ACTIONS,
    picture: Annotated[
        bool,
        typer.Option("--picture", help=f"Also draw the first {_SHEET} puzzles on a sheet."),
    ] = False,
    seed: Seed = 0,
    backend: Backend = "cpu",
) -> Output:
    """Make new PHYRE puzzles from tasks, or from building blocks alone.

    The folder gets `puzzles.json`, which `topple evaluate --puzzles` and data set
    specs read, and a file for each puzzle, which `topple show` draws and which
    *Open* in the editor of `topple play` loads. With --setup, only train tasks of
    the fold are used.

    Options:
        kind: scrambled: from the bodies of PHYRE tasks; blended: between two tasks of a template;
            free: from balls, bars, jars and standing sticks alone.
        count: Number of puzzles to make.
        tasks: Comma-separated PHYRE task ids and template ids, of which to make puzzles.
        actions: Number of listed actions to simulate on each scene. A scene is a puzzle if some of
            them solve it, but fewer than 60 %.

    Examples:
      topple tasks scramble --tier ball --count 100 --out puzzles --picture
      topple tasks scramble --setup ball_cross --fold 0 --seed 1 --out puzzles
      topple tasks scramble --kind blended --setup ball_within --fold 0 --out puzzles
      topple tasks scramble --kind free --tier two_balls --actions 1024 --out puzzles
    """
    source = _source(kind, parse_tier(tier), tasks, setup, fold)
    with progress_bar("scenes", count, stays=False) as bar:
        made = make_puzzles(
            source,
            count,
            seed,
            actions=actions,
            backend=check_backend(backend),
            progress=bar.report,
        )
    files = _write(made, out, picture)
    facts = {
        "puzzles": len(made),
        "tier": made.tier.value,
        "kind": kind.value,
        "seed": seed,
        "scenes_drawn": made.drawn,
        "attempts_simulated": made.simulated,
        "solved_share": float((made.outcomes > 0).mean()),
        "files": files,
    }
    return Output(
        facts,
        f"{len(made):,} puzzles from {made.drawn:,} scenes and {made.simulated:,} simulated "
        f"attempts: {', '.join(files)}",
    )


def _source(
    kind: PuzzleKind, tier: Tier | None, tasks: str | None, setup: str | None, fold: int | None
) -> Source:
    """Return where scenes come from."""
    if setup is None and fold is not None:
        raise ValueError("--fold needs a --setup, such as ball_cross; give one")
    if kind is PuzzleKind.FREE:
        if tier is None or tasks is not None or setup is not None:
            raise ValueError("free puzzles are made of no tasks; give a --tier alone")
        return Free(tier)
    if setup is None:
        pieces = [load_task(task) for task in chosen_ids(tier, tasks)]
    else:
        chosen = None if tasks is None else chosen_ids(tier, tasks)
        pieces = train_tasks(load_fold(Setup.parse(setup), fold or 0), chosen)
    if kind is PuzzleKind.SCRAMBLED:
        return Scrambled(pieces)
    tier = Blended(pieces).tier  # refuses what cannot be blended before anything is looked up
    cache = ActionCache(cache_folder() / ACTION_CACHE, tier)
    return Blended(pieces, cache.solutions(pieces, LIST_LENGTH))


def _write(made: Puzzles, folder: Path, picture: bool) -> list[str]:
    """Write all puzzles, and return the names of the most useful files."""
    files: list[Any] = [folder / "puzzles.json"]
    write_puzzles(files[0], made.tier, made.scenes)
    for place, scene in enumerate(made.scenes):
        write_whole(folder / f"{place:04d}.json", scene_to_json(scene) + "\n")
    if picture:
        files.append(folder / "puzzles.png")
        save_png(puzzle_sheet(made.scenes[:_SHEET], SHEET_SIZE), files[1])
    return [str(file) for file in files]
