"""Presets: specs with the shape of data sets that papers used, as TOML files beside this one."""

from __future__ import annotations

from pathlib import Path

from topple.datasets.spec import Spec, SpecError, read_spec

_FOLDER = Path(__file__).parent


def preset_names() -> list[str]:
    """The names of all presets."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def about(name: str) -> str:
    """The comment that a preset begins with."""
    lines = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    comment = [line.removeprefix("#").strip() for line in lines[: lines.index("")]]
    return " ".join(comment)


def find_spec(text: str | Path) -> Spec:
    """The spec of a preset's name, or of a TOML file.

    Raises:
        SpecError: There is no such preset or file, or it is no spec.
    """
    if str(text) in preset_names():
        return read_spec(_FOLDER / f"{text}.toml")
    path = Path(text)
    if not path.is_file():
        raise SpecError(
            f"{text} is neither a file nor a preset; presets are {', '.join(preset_names())}"
        )
    return read_spec(path)
