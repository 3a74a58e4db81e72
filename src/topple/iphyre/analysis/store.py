"""Results per game on disk, so that long analyses can be taken up where they stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from topple.files import whole_file
from topple.iphyre.game import Game

Result = dict[str, Any]  # plain JSON


class StoreError(ValueError):
    """A result on disk does not fit; the message names the file and the fix."""


def compute_each(
    folder: Path,
    games: Iterable[Game],
    settings: Result,
    compute: Callable[[Game], Result],
) -> Iterator[tuple[Game, Result]]:
    """Yield each game's result, from disk if it is there, or computed and written.

    Raises:
        StoreError: a result on disk was made with other settings.
    """
    for game in games:
        path = folder / f"{game.name}.json"
        stored = read_json(path) if path.exists() else None
        if stored is None:
            stored = {"game": game.name, "settings": settings, "result": compute(game)}
            write_json(path, stored)
        elif stored.get("settings") != settings:
            raise StoreError(
                f"{path} was made with {stored.get('settings')}, not {settings}; "
                "choose another folder, or remove the file"
            )
        yield game, stored["result"]


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        StoreError: there is no such file, or it is not JSON.
    """
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no such file") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StoreError(f"{path} is not JSON ({error}); remove it to make it anew") from None


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file whole."""
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n")
