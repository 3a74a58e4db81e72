"""Results of all games in one file, kept as they come, so that a long analysis can resume."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from topple.files import write_whole
from topple.iphyre.game import Game

Result = dict[str, Any]  # plain JSON


class StoreError(ValueError):
    """A result on disk does not fit; the message names the file and the fix."""


def compute_each(
    path: Path,
    games: Iterable[Game],
    settings: Result,
    compute: Callable[[Game], Result],
) -> Iterator[tuple[Game, Result]]:
    """Yield each game's result, from the file if it is there, or computed and written.

    Raises:
        StoreError: the results in the file were made with other settings.
    """
    stored = read_results(path) if path.exists() else {"settings": settings, "results": {}}
    if stored["settings"] != settings:
        raise StoreError(
            f"{path} was made with {stored['settings']}, not {settings}; "
            "choose another file, or remove it"
        )
    results = stored["results"]
    for game in games:
        if game.name not in results:
            results[game.name] = compute(game)
            write_results(path, stored)
        yield game, results[game.name]


def read_results(path: Path) -> dict[str, Result]:
    """The settings and the results, by game, of an analysis.

    Raises:
        StoreError: there is no such file, or it holds something else.
    """
    content = read_json(path)
    if not isinstance(content, dict) or set(content) != {"settings", "results"}:
        raise StoreError(f"{path} holds no results of an analysis; choose another file")
    return content


def write_results(path: Path, content: dict[str, Result]) -> None:
    """Write the settings and results of an analysis, a line for each game."""
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in content["results"].items()]
    settings = json.dumps(content["settings"])
    text = f'{{"settings": {settings},\n"results": {{\n' + ",\n".join(lines) + "\n}}\n"
    write_whole(path, text)


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        StoreError: there is no such file, or it is not JSON.
    """
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, IsADirectoryError):
        raise StoreError(f"{path}: there is no such file") from None
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} is not JSON ({error}); remove it to make it anew") from None


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file whole."""
    write_whole(path, json.dumps(content, indent=1) + "\n")
