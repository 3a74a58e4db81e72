"""Protocols as presets: settings that go together, of other papers and our own.

=====================  ========  ==================================================================
preset                 benchmark  what it is
=====================  ========  ==================================================================
``topple``             both      pictures with a grid and labels beside the table of objects, and
                                 keyframes of the last attempt at the moments bodies touch
``deepphy-5x5x5``      PHYRE     DeepPHY: cells of a numbered grid, 10 attempts, pictures alone
``deepphy-8x8x8``      PHYRE     the same on the grid of its code
``deepphy``            I-PHYRE   DeepPHY: a list of times and blocks, 10 plays, pictures alone
``iphyre-gpt4``        I-PHYRE   the GPT-4 baseline of the I-PHYRE paper
=====================  ========  ==================================================================

The DeepPHY presets have a form with predictions, such as ``deepphy-8x8x8-wm``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from topple.llm.settings import ChatSettings


class Preset(NamedTuple):
    """Settings that go together."""

    settings: Mapping[str, Any]
    attempts: int = 0  # allowed on each task or game; 0: the benchmark's default


_OURS = Preset({"images": True, "labels": True, "keyframes": 4, "keyframes_by": "contacts"})
#: Protocols with prompts of their own do not offer these.
_FIXED = {"tools": False, "structured_outputs": False, "labels": False, "strategy": "in_advance"}
_DEEPPHY = {**_FIXED, "images": True, "history_size": 100, "patience": 100, "feedback": "outcome"}
_GPT4 = {**_FIXED, "images": False, "history_size": 0, "temperature": 0.5, "max_tokens": 512}

PRESETS: Mapping[str, Mapping[str, Preset]] = {
    "phyre": {
        "topple": _OURS,
        **{
            f"deepphy-{grid}{form}": Preset({**_DEEPPHY, "grid": f"deepphy-{grid}"}, 10)
            for grid in ("5x5x5", "8x8x8")
            for form in ("", "-wm")
        },
    },
    "iphyre": {
        "topple": _OURS,
        "deepphy": Preset(_DEEPPHY, 10),
        "deepphy-wm": Preset(_DEEPPHY, 10),
        "iphyre-gpt4": Preset(_GPT4, 1),
    },
}


def preset_attempts(benchmark: str, name: object) -> int:
    """Attempts that a preset allows; 0 if it leaves that open, or is none."""
    return PRESETS[benchmark].get(str(name), _OURS).attempts


def apply_preset(settings: ChatSettings, benchmark: str) -> None:
    """Give settings the values of the preset they name, if they name one.

    Raises:
        ValueError: there is no such preset, or a setting contradicts it.
    """
    name: str = getattr(settings, "preset", "")
    if not name:
        return
    known = PRESETS[benchmark]
    if name not in known:
        raise ValueError(f"preset is {name!r}; there is {', '.join(known)}")
    defaults = {field.name: field.default for field in fields(settings)}
    for setting, value in known[name].settings.items():
        if setting not in defaults:
            continue  # of the other benchmark
        given = getattr(settings, setting)
        if given not in (defaults[setting], value):
            raise ValueError(
                f"preset {name!r} has {setting} = {value!r}, not {given!r}; leave {setting} out"
            )
        setattr(settings, setting, value)
