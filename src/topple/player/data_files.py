"""Tasks and games as files for a page without a server; static/engine/data.js reads them.

What tasks of a template have in common is written once, numbers are written so that they come back
bit for bit, and files are compressed, because not every static host compresses what it sends.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Container, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from topple.files import write_whole
from topple.iphyre.engine.packing import pack as pack_games
from topple.iphyre.engine.scene import Params
from topple.iphyre.engine.scene import Scene as GameScene
from topple.iphyre.games import ALL
from topple.iphyre.published import iphyre_table_a4
from topple.iphyre.rules import ELIMINATION_REWARD, SUCCESS_REWARD, TIME_REWARD, Rules
from topple.phyre.engine.packing import pack
from topple.phyre.scene.codec import scene_data
from topple.phyre.task import template_tasks
from topple.phyre.templates import MODULES, find_template
from topple.player.bits import RULES, engine_probe
from topple.player.geometry import game_geometry
from topple.player.puzzles import NamedGame


def write_data(folder: Path, templates: Container[str] = tuple(MODULES)) -> None:
    """Write the files of a folder of data.

    They are `tasks/<template>.json.gz` for templates, all by default, `games.json.gz`, and
    `probe.json.gz`.
    """
    chosen = [template_id for template_id in MODULES if template_id in templates]
    for template_id in chosen:
        write_packed(folder / "tasks" / f"{template_id}.json.gz", template_data(template_id))
    write_packed(folder / "games.json.gz", games_data())
    write_packed(folder / "probe.json.gz", engine_probe(chosen))


def write_packed(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON, compressed."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    write_whole(path, gzip.compress(text.encode(), 9, mtime=0))


def _number(value: object, numbers: dict[str, int]) -> int:
    """The number of a value among those that are written once; a new one is added."""
    return numbers.setdefault(json.dumps(value), len(numbers))


def template_data(template_id: str) -> dict[str, Any]:
    """All published tasks of a PHYRE template."""
    template = find_template(template_id)
    tasks = template_tasks(template_id)
    offsets = pack([task.scene for task in tasks]).feature_offset.tolist()
    shapes: dict[str, int] = {}
    bodies: dict[str, int] = {}
    rows = []
    for task in tasks:
        data = scene_data(task.scene)
        used = []
        for body in data["bodies"]:
            body["shapes"] = [_number(shape, shapes) for shape in body["shapes"]]
            body["feature_offset"] = offsets.pop(0)
            used.append(_number(body, bodies))
        rows.append(
            {
                "id": str(task.id),
                "description": task.description,
                "bodies": used,
                "goal": data["goal"],
            }
        )
    return {
        "id": template_id,
        "tier": template.tier.value,
        "balls": template.tier.balls,
        "idea": template.idea,
        "shapes": list(map(json.loads, shapes)),
        "bodies": list(map(json.loads, bodies)),
        "tasks": rows,
    }


def games_data() -> dict[str, Any]:
    """All I-PHYRE games, and the rules of people and of learners."""
    published = iphyre_table_a4()
    games = []
    for game in ALL:
        geometry = game_geometry(game)
        geometry["bodies"] = [body.model_dump() for body in geometry["bodies"]]
        games.append(
            {
                "name": game.name,
                "split": NamedGame(game.name, game).split,
                "concept": game.concept,
                "others": published.get(game.name, {}),
                **geometry,
            }
        )
    return {"rules": all_rules(), "games": games}


@cache
def all_rules() -> dict[str, dict[str, Any]]:
    """The data of all rules by name."""
    return {name: rules_data(rules) for name, rules in RULES.items()}


def rules_data(rules: Rules) -> dict[str, Any]:
    """What of some rules the engine needs; iphyre.js has the inertia of the published ones."""
    request = rules.request
    params = request.params
    assert params == Params(constant_inertia=True)
    # Two bodies of which one or two can move: what the damping of a spring depends on.
    ends = ((0.0, 0.0, 9.0, 0.0), (20.0, 0.0, 29.0, 0.0))
    pairs = [
        GameScene(ends, (1.0, 1.0), (False, False), moves, springs=((0, 1),))
        for moves in ((True, False), (True, True))
    ]
    arrays, physics = pack_games(pairs, params, rules.dt)
    return {
        "hz": rules.hz,
        "builds": request.builds,
        "tick_limit": rules.tick_limit,
        "physics": physics._asdict(),
        "exit": request.out._asdict(),
        "mass": params.mass,
        "spring": {
            "rest": params.spring_rest,
            "stiffness": params.spring_stiffness,
            "damping": [0.0, *arrays.spring[:, 2].tolist()],  # by bodies that can move
        },
        "rewards": {"time": TIME_REWARD, "removal": ELIMINATION_REWARD, "success": SUCCESS_REWARD},
    }
