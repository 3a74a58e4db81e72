"""Games of the user's own, from a JSON or a Python file.

JSON: one game, or a list of games, as objects such as

    {"name": "my_game", "concept": "what it tests",
     "blocks": [{"kind": "gray", "ends": [200, 400, 300, 400]}],
     "balls": [{"centre": [250, 340], "radius": 20}],
     "sticks": [[0, 1]], "springs": []}

Python: a module that defines `GAME`, or `GAMES`, of the type `Game`. It is run, so it
should come from someone you trust.
"""

from __future__ import annotations

import json
import math
import runpy
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from topple.iphyre.game import BALL_RADIUS, Ball, Block, Game, GameError, Kind

FIELDS = frozenset({"name", "concept", "blocks", "balls", "sticks", "springs"})


def load_games(path: Path) -> tuple[Game, ...]:
    """The games in a file.

    Raises:
        GameError: the file cannot be read or a game breaks a rule; the message names
            the file, the game, the body and the rule.
    """
    readers = {".json": _from_json, ".py": _from_python}
    reader = readers.get(path.suffix)
    if reader is None:
        raise GameError(f"{path}: games come in files that end in .json or .py")
    if not path.is_file():
        raise GameError(f"{path}: there is no such file")
    try:
        games = reader(path)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None
    except RecursionError:
        raise GameError(f"{path}: its lists and objects are nested too deeply") from None
    if not games:
        raise GameError(f"{path}: it holds no games")
    return games


def game_to_json(game: Game) -> dict[str, Any]:
    """A game as the JSON format above."""
    return {
        "name": game.name,
        "concept": game.concept,
        "blocks": [{"kind": b.kind.value, "ends": [*b.start, *b.end]} for b in game.blocks],
        "balls": [{"centre": [b.x, b.y], "radius": b.radius} for b in game.balls],
        "sticks": [list(pair) for pair in game.sticks],
        "springs": [list(pair) for pair in game.springs],
    }


def _from_json(path: Path) -> tuple[Game, ...]:
    try:
        data = json.loads(path.read_text())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise GameError(f"it is not JSON: {error}") from None
    return tuple(game_from_json(item) for item in (data if isinstance(data, list) else [data]))


def _from_python(path: Path) -> tuple[Game, ...]:
    try:
        module = runpy.run_path(str(path))
    except GameError:
        raise
    except Exception as error:
        raise GameError(f"running it failed: {type(error).__name__}: {error}") from None
    found = module.get("GAMES", module.get("GAME"))
    games = tuple(found) if isinstance(found, Iterable) else (found,)
    if not all(isinstance(game, Game) for game in games):
        raise GameError("it must define GAME, or GAMES, of the type topple.iphyre.Game")
    return games


def game_from_json(data: object) -> Game:
    """A game from the JSON format above.

    Raises:
        GameError: something is missing, unknown, or breaks a rule.
    """
    if not isinstance(data, dict):
        raise GameError(f"a game is an object with a name, blocks and balls, not {data!r}")
    name = data.get("name")
    if not isinstance(name, str):
        raise GameError(f"a game has the name {name!r}; it must be a text")
    unknown = sorted(set(data) - FIELDS)
    if unknown:
        raise GameError(f"game {name!r}: unknown entry {unknown[0]!r}; known are {sorted(FIELDS)}")
    blocks = tuple(_block(name, i, item) for i, item in enumerate(_list(name, data, "blocks")))
    balls = tuple(
        _ball(name, i, item) for i, item in enumerate(_list(name, data, "balls"), start=len(blocks))
    )
    sticks, springs = (
        tuple(_pair(name, word, item) for item in _list(name, data, word))
        for word in ("sticks", "springs")
    )
    return Game(name, str(data.get("concept", "")), blocks, balls, sticks, springs)


def _list(name: str, data: dict[str, Any], word: str) -> list[Any]:
    items = data.get(word, [])
    if not isinstance(items, list):
        raise GameError(f"game {name!r}: {word} is {items!r}; it must be a list")
    return items


def _block(name: str, i: int, item: object) -> Block:
    where = f"game {name!r}: block {i}"
    if not isinstance(item, dict) or set(item) != {"kind", "ends"}:
        raise GameError(f"{where} must have a kind and ends, not {item!r}")
    kinds = [kind.value for kind in Kind]
    if item["kind"] not in kinds:
        raise GameError(f"{where} has the kind {item['kind']!r}; kinds are {', '.join(kinds)}")
    x1, y1, x2, y2 = _numbers(where, "ends", item["ends"], 4)
    return Block((x1, y1), (x2, y2), Kind(item["kind"]))


def _ball(name: str, i: int, item: object) -> Ball:
    where = f"game {name!r}: ball {i}"
    if not isinstance(item, dict) or "centre" not in item or set(item) - {"centre", "radius"}:
        raise GameError(f"{where} must have a centre and may have a radius, not {item!r}")
    x, y = _numbers(where, "centre", item["centre"], 2)
    (radius,) = _numbers(where, "radius", [item.get("radius", BALL_RADIUS)], 1)
    return Ball(x, y, radius)


def _pair(name: str, word: str, item: object) -> tuple[int, int]:
    if isinstance(item, list) and len(item) == 2:
        a, b = item
        if type(a) is int and type(b) is int:
            return a, b
    raise GameError(f"game {name!r}: {word} hold {item!r}; each joins two bodies, by number")


def _numbers(where: str, word: str, value: object, count: int) -> list[float]:
    if isinstance(value, list) and len(value) == count:
        numbers = [v for v in value if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == count and all(map(math.isfinite, numbers)):
            return [float(v) for v in numbers]
    raise GameError(f"{where} has {word} {value!r}; it must be {count} finite numbers")
