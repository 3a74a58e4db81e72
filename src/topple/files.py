"""Files that are written whole or not at all, and survive a power cut once they are written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that takes its place, on disk, if all goes well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o644)
        with open(name, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(name, path)
        sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to disk, where the system can do that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
