"""Folders, compared byte by byte."""

from __future__ import annotations

from pathlib import Path


def folder_contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def whole_files(folder: Path) -> dict[str, bytes]:
    """The same without the temporary files that a kill in the middle of a write leaves."""
    found = folder_contents(folder).items()
    return {name: content for name, content in found if not Path(name).name.startswith(".")}
