"""Folders, compared byte by byte."""

from __future__ import annotations

from pathlib import Path


def folder_contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
