"""Where the engines in WebAssembly are: in the package, or in the checkout it is installed from."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

MODULE = "topple.wasm.gz"


def find_module() -> Path | None:
    """The compressed module, if the package was built with one or `make wasm` has built it."""
    found = find_spec("topple._native")
    if found is not None and found.origin is not None:
        built_in = Path(found.origin).parent / "wasm" / MODULE
        if built_in.is_file():
            return built_in
    root = Path(__file__).resolve().parents[3]
    made = root / "build" / "wasm" / MODULE
    if not made.is_file():
        return None
    # One of older sources could show other motion than the engine that decides.
    sources = [path for path in (root / "native").rglob("*") if path.suffix in (".h", ".cpp")]
    newest = max((path.stat().st_mtime for path in sources), default=0.0)
    return made if made.stat().st_mtime > newest else None
