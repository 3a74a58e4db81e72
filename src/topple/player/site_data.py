"""The data of a static site: what the server answers to everybody, in files.

The answers come from the server's own routes, asked by nobody in particular, so that the two back
ends of the page cannot drift apart. The scenes of tasks and games are in the files of
`topple.player.data_files`; what depends on the player is added in the browser by static/local.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from topple.iphyre import game as games
from topple.iphyre import sampling
from topple.iphyre.engine.native import MAX_BODIES, MAX_JOINTS
from topple.iphyre.engine.scene import LEAST_RADIUS
from topple.iphyre.game_file import FIELDS as GAME_FIELDS
from topple.iphyre.games import ALL, game_named
from topple.paths import cache_folder
from topple.phyre.auccess import WEIGHTS
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Body, Color, Kind, Scene
from topple.phyre.scene.codec import scene_data
from topple.phyre.task import Task, load_task, template_tasks
from topple.phyre.templates import MODULES, find_template
from topple.phyre.tier import Tier
from topple.player.app import STATIC
from topple.player.attempts import LIMITS
from topple.player.data_files import write_data, write_packed
from topple.player.imagined import imagination
from topple.player.models.base import HINT_LEVELS, MAX_NAME, Benchmark, Hint
from topple.player.models.iphyre import GameCard
from topple.player.own_puzzles import ENOUGH, blank
from topple.player.players import new_player
from topple.player.puzzles import published_task
from topple.player.replays import plan_text
from topple.player.routes import iphyre, phyre, players, replays
from topple.player.runs import IndexedRun
from topple.player.service import Service
from topple.player.settings import MAX_BODY, Settings
from topple.player.solutions import SEARCH_SECONDS, SEARCHED, find_plan, game_hint, task_hint
from topple.player.standing import iphyre_standing, phyre_standing
from topple.player.store import sqlite_url
from topple.player.texts import MAX_TEXT

_GEOMETRY = {"bodies", "sticks", "springs"}  # in games.json.gz
_CONSTANT = {"radius_min", "radius_max"}  # the same for all tasks
_FIRST = ("path.json", "hero.json")  # of the page
IMAGINED_ATTEMPTS = 3  # at a task, before which a site shows what was imagined
_OF_PLAYER = {"progress", "attempts"}  # added in the browser


@dataclass(frozen=True)
class Content:
    """What a site offers.

    Attributes:
        templates: PHYRE templates whose tasks can be played.
        games: I-PHYRE games that can be played.
        runs: folders of run records to watch.
    """

    templates: Sequence[str] = tuple(MODULES)
    games: Sequence[str] = tuple(game.name for game in ALL)
    runs: tuple[Path, ...] = ()


def write_site_data(folder: Path, content: Content) -> None:
    """Write the data files of a site into a folder."""
    write_data(folder, content.templates)
    with _service(content.runs) as service:
        shown = [detail for entry in service.runs if (detail := _run(service, entry))]
        for run in shown:
            write_packed(folder / "runs" / f"{run['run']['id']}.json.gz", run)
        cards = [{k: v for k, v in run["run"].items() if k != "items"} for run in shown]
        templates = json.loads(bytes(phyre.list_templates(service, None).body))
        # What only galleries and lists need stands apart: the first puzzle loads faster.
        write_packed(folder / "lists.json.gz", {"templates": templates, "runs": cards})
        write_packed(folder / "answers.json.gz", _answers(service, content.games))
        for template in content.templates:
            write_packed(folder / "answers" / f"{template}.json.gz", _template(service, template))


@contextmanager
def _service(runs: tuple[Path, ...]) -> Iterator[Service]:
    """A server without players."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Settings(database=sqlite_url(Path(folder)), runs=runs))
        try:
            yield service
        finally:
            service.store.close()


def _plain(models: Iterable[BaseModel], without: Set[str] = frozenset()) -> list[dict[str, Any]]:
    return [model.model_dump(mode="json", exclude=set(without)) for model in models]


def _answers(service: Service, names: Sequence[str]) -> dict[str, Any]:
    """What does not belong to one template or run."""
    player = new_player(service.store)
    cards = [card for card in iphyre.list_games(service, None) if card.name in names]
    found = [_game(service, card) for card in cards]
    task = phyre.show_task(service, None, str(template_tasks(next(iter(MODULES)))[0].id))
    return {
        "health": players.health(owner=False).model_dump(mode="json"),
        "limits": _limits(),
        "weights": WEIGHTS.tolist(),
        "tiers": {name: find_template(name).tier.value for name in MODULES},
        "first": _first_tasks(service),
        "task": task.model_dump(mode="json", include=_CONSTANT),
        "games": found,
        "game": {key: found[0]["scene"][key] for key in ("size", "hz", "tick_limit", "source")},
        "blank": {kind.value: blank(kind).model_dump(mode="json") for kind in Benchmark},
        "standing": {
            tier.value: phyre_standing(service.store, player, tier)[0].model_dump(mode="json")
            for tier in Tier
        },
        "game_standing": iphyre_standing(service.store, player).model_dump(mode="json"),
        "solvability": _solvability(),
    }


def _game(service: Service, card: GameCard) -> dict[str, Any]:
    """A game without its geometry, with its hints and the plan that they are taken from."""
    game = game_named(card.name)
    plan = find_plan(game)
    scene = iphyre.show_game(service, None, card.name)
    shown, playable = _plain((card, scene), _GEOMETRY | _OF_PLAYER)
    return {
        "name": card.name,
        "card": shown,
        "scene": playable,
        "plan": None if plan is None else plan_text(plan),
        "hints": None if plan is None else _hints(game_hint, game, plan),
    }


def _hints(give: Callable[..., Hint], *about: object) -> list[dict[str, Any]]:
    return _plain(give(*about, level) for level in HINT_LEVELS)


def _limits() -> dict[str, Any]:
    """The bounds of what a player may send, which the browser checks as the server does."""
    return {
        **{kind.value: limit for kind, limit in LIMITS.items()},
        "name": MAX_NAME,
        "text": MAX_TEXT,
        "bytes": MAX_BODY,
        "scene": {
            "size": SCENE_SIZE,
            "scene_fields": Scene._fields,
            "body_fields": Body._fields,
            "names": {
                "color": [color.name.lower() for color in Color],
                "kind": [kind.name.lower() for kind in Kind],
            },
        },
        "game": {
            "fields": sorted(GAME_FIELDS),
            "kinds": [kind.value for kind in games.Kind],
            "bodies": MAX_BODIES,
            "grays": games.MAX_ELIMINABLE,
            "joints": MAX_JOINTS,
            "farthest": games.FARTHEST,
            "nearest": games.NEAREST,
            "shortest": games.SHORTEST_BLOCK,
            "least_radius": LEAST_RADIUS,
            "height": games.HEIGHT,
        },
    }


def _solvability() -> dict[str, Any]:
    """How the browser searches for solutions, and when it gives up."""
    from topple.phyre.analysis.solvability import MIN_VALID, SIGNIFICANCE, THRESHOLDS

    tests: dict[str, Any] = {
        tier.value: {"p0": p0, "min_valid": MIN_VALID, "significance": SIGNIFICANCE}
        for tier, p0 in THRESHOLDS.items()
    }
    plans = {
        "interval": sampling.INTERVAL,
        "latest": sampling.LATEST,
        "never": sampling.NEVER_SHARE,
    }
    return {**tests, "plans": plans, "search_seconds": SEARCH_SECONDS, "enough": ENOUGH}


def _template(service: Service, template: str) -> dict[str, Any]:
    """The tasks of a template without their scenes, and a solution of each."""
    cards = phyre.list_tasks(service, None, template)
    return {
        "cards": _plain(cards, {"scene"}),
        "tasks": [
            _task(service, str(task.id), solution)
            for task, solution in _solved(template_tasks(template))
        ],
    }


def _task(service: Service, name: str, solution: list[float] | None) -> dict[str, Any]:
    """A task without its scene, with a solution and the hints that are taken from it."""
    task = phyre.show_task(service, None, name)
    return {
        "task": task.model_dump(mode="json", exclude={"scene", "progress", *_CONSTANT}),
        "solution": solution,
        "hints": None if solution is None else _hints(task_hint, published_task(name), solution),
    }


def _first_tasks(service: Service) -> dict[str, Any]:
    """The tasks of the path and of the first page, whole: few bytes are enough to begin."""
    path, hero = (json.loads((STATIC / name).read_text("utf-8")) for name in _FIRST)
    names = [stop["id"] for stop in path["puzzles"] if stop["benchmark"] == "phyre"]
    tasks = [load_task(name) for name in [*names, *(show["task"] for show in hero)]]
    return {
        str(task.id): {
            **_task(service, str(task.id), solution),
            "scene": scene_data(task.scene),
        }
        for tier in Tier
        for task, solution in _solved([task for task in tasks if task.tier is tier])
    }


def _solved(tasks: Sequence[Task]) -> Iterator[tuple[Task, list[float] | None]]:
    """Tasks of one tier with their first known solution, as the server shows it."""
    cache = ActionCache(cache_folder() / ACTION_CACHE, tasks[0].tier)
    for task, found in zip(tasks, cache.solutions(tasks, SEARCHED), strict=True):
        yield task, cache.actions(int(found[0]) + 1)[-1].tolist() if len(found) else None


def _run(service: Service, entry: IndexedRun) -> Mapping[str, Any] | None:
    """A run and its attempts by task or game, unless they were left out of the record."""
    detail = replays.show_run(service, entry.id)
    attempts = {
        item.subject: _plain(replays.list_run_attempts(service, entry.id, item.subject))
        for item in detail.items
        if item.attempts
    }
    # Links have to hold on every machine that builds the site, wherever its records are.
    lasting = hashlib.blake2b(entry.path.name.encode(), digest_size=8).hexdigest()
    run = {**detail.model_dump(mode="json"), "id": lasting}
    if not attempts:
        return None
    imagined = _imagined(entry, attempts) if detail.imagines else {}
    return {"run": run, "attempts": attempts, "imagined": imagined}


def _imagined(entry: IndexedRun, attempts: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """What was imagined before the first attempts at each task."""
    return {
        name: _plain(
            imagination(entry.path, name, number)
            for number in range(1, min(len(made), IMAGINED_ATTEMPTS) + 1)
        )
        for name, made in attempts.items()
    }
