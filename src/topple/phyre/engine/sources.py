"""The engine's sources, which are installed with the package for compilers of devices."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from topple import _native


class DeviceSources(NamedTuple):
    """What a device compiler is given."""

    kernels: str
    headers: dict[str, str]  # by the names they are included under


def source_folder() -> Path:
    """Where the sources were installed: beside the compiled module."""
    return Path(_native.__file__).parent / "native"


def device_sources() -> DeviceSources:
    """The kernels, and the headers they include."""
    folder = source_folder()
    include = folder / "include"
    return DeviceSources(
        (folder / "cuda" / "attempts.cu").read_text(),
        {path.relative_to(include).as_posix(): path.read_text() for path in _headers(include)},
    )


def _headers(include: Path) -> list[Path]:
    return sorted((include / "topple").glob("*.h"))
