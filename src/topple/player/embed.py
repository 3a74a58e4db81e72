"""The element `<topple-puzzle>` as one file: its modules, the engines and the games.

The page is made of plain modules and needs no bundler, but an element for other people's pages is
easier to use as one file. Each module becomes a function that is called once and returns what the
module exports, so names never meet; the modules use the few forms of import and export that are
read here, and any other form is refused.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

from topple.files import write_whole
from topple.player.app import STATIC

ELEMENT = "topple-puzzle.js"
_ENTRY = STATIC / "embed" / "topple_puzzle.js"
_EMBEDDED = STATIC / "embed" / "embedded.js"
#: Modules that the element has in place of the page's.
_REPLACED = {STATIC / "settings.js": STATIC / "embed" / "settings.js"}

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_FORWARD = re.compile(r'^export \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def write_element(folder: Path, module: Path) -> None:
    """Write `topple-puzzle.js` into a folder.

    Args:
        folder: beside its data files, in `data`.
        module: the compressed WebAssembly module that `make wasm` builds.
    """
    games = folder / "data" / "games.json.gz"
    values = {
        "MODULE": base64.b64encode(module.read_bytes()).decode("ascii"),
        "GAMES": base64.b64encode(games.read_bytes()).decode("ascii"),
        "DATA": "data/",
    }
    write_whole(folder / ELEMENT, bundle(_ENTRY, values))


def bundle(entry: Path, values: dict[str, str]) -> str:
    """Put a module and all that it imports into one text.

    Args:
        entry: the module that is run.
        values: what the constants of embedded.js are.

    Raises:
        ValueError: a module imports or exports in a form that is not known here, or modules
            import each other.
    """
    done: dict[Path, str] = {}  # the names of the modules' functions, in the order of their calls
    parts: list[str] = []

    def add(path: Path, users: tuple[Path, ...]) -> str:
        path = _REPLACED.get(path, path)
        if path in users:
            raise ValueError(f"{path.name} imports itself, by way of {users[-1].name}")
        if path not in done:
            text = _constants(values) if path == _EMBEDDED else path.read_text("utf-8")
            body, exported = _module(path, text, lambda used: add(used, (*users, path)))
            done[path] = f"module_{len(done)}"
            returned = f"\nreturn {{ {', '.join(exported)} }};\n"
            parts.append(f"const {done[path]} = (() => {{\n{body}{returned}}})();\n")
        return done[path]

    add(entry, ())
    return "".join(parts)


def _constants(values: dict[str, str]) -> str:
    return "".join(f"export const {name} = {json.dumps(text)};\n" for name, text in values.items())


def _module(path: Path, text: str, add: Callable[[Path], str]) -> tuple[str, list[str]]:
    """The body of a module's function, and the names that it returns."""
    exported: list[str] = []

    def take(found: re.Match[str]) -> str:
        names = " ".join(found[1].split()).rstrip(", ")
        if " as " in names:
            raise ValueError(f"{path.name} renames what it imports: {names}")
        return f"const {{ {names} }} = {add((path.parent / found[2]).resolve())};\n"

    def forward(found: re.Match[str]) -> str:
        exported.extend(name.strip() for name in found[1].split(",") if name.strip())
        return take(found)

    def export(found: re.Match[str]) -> str:
        exported.append(found[1])
        return ""

    body = _EXPORT.sub(export, _FORWARD.sub(forward, _IMPORT.sub(take, text)))
    left = re.search(r"^(?:import|export)\b.*", body, re.MULTILINE)
    if left:
        raise ValueError(f"{path.name} has a line that cannot be bundled: {left[0]}")
    return body, exported
