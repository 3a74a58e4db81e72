"""Agents with their settings, as rows of tables have them, in code or in TOML files.

A file names an agent, may have settings for all runs, and further settings for groups of tasks,
such as PHYRE's setups::

    label = "DQN"
    agent = "dqn"

    [settings]
    updates = 100_000

    [setups.ball_cross_template]
    rank = 1_000
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from topple.runs.agent import Setting
from topple.runs.benchmark import find_benchmark
from topple.runs.config import RunConfig, Selection

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS = ("label", "agent", "variant", "published", "settings", "setups")

SelectionT = TypeVar("SelectionT", bound=Selection)


class SpecError(ValueError):
    """A file describes no agent; the message names the file and what is wrong with it."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent with its settings.

    Attributes:
        agent: a registered name, or "module:Class".
        label: the agent's name in reports.
        variant: what distinguishes these settings from others under the same label.
        settings: settings for all runs.
        groups: further settings by group, such as a setup.
        only_groups: whether the agent is run on these groups alone.
        published: whether the paper has this row.
    """

    agent: str
    label: str = ""
    variant: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    only_groups: bool = False
    published: bool = True

    def config(
        self,
        selection: SelectionT,
        settings: Mapping[str, Setting] | None = None,
        *,
        seed: int = 0,
        attempts: int = 0,
        label: str = "",
    ) -> RunConfig[SelectionT]:
        """The config of a run; the given settings and label override those of the spec."""
        return RunConfig(
            self.agent,
            selection,
            {**self.settings, **self.groups.get(selection.group, {}), **(settings or {})},
            seed,
            attempts,
            label or self.label,
            "" if label else self.variant,
        )


def find_spec(text: str, benchmark: str) -> AgentSpec:
    """The spec of an agent by its name, or of a TOML file.

    Args:
        text: a registered name, "module:Class", or the path of a file that ends in ``.toml``.
        benchmark: the benchmark whose groups a file may have settings for.

    Raises:
        SpecError: The file cannot be used.
    """
    if not text.endswith(".toml"):
        return AgentSpec(text)
    return load_spec(Path(text), find_benchmark(benchmark).groups())


def load_spec(path: Path, groups: Collection[str] = ()) -> AgentSpec:
    """Read a file; whether its settings suit the agent shows when the agent is made.

    Raises:
        SpecError: The file is missing, is not TOML, or has a wrong key or value.
    """
    data = read_toml(path)
    for key in data:
        if key not in _KEYS:
            raise SpecError(f"{path} has an unknown key {key!r}: use {', '.join(_KEYS)}")
    if "agent" not in data:
        raise SpecError(f'{path} names no agent; add a line such as agent = "dqn"')
    published = data.get("published", True)
    if not isinstance(published, bool):
        raise SpecError(f"{path}: published is {published!r}; it has to be true or false")
    setups = data.get("setups", {})
    if not isinstance(setups, dict):
        raise SpecError(f"{path}: setups is {setups!r}; it has to be a table")
    for name in setups:
        if name not in groups:
            known = f"use one of {', '.join(groups)}" if groups else "this benchmark has none"
            raise SpecError(f"{path}: unknown setup {name!r}: {known}")
    return AgentSpec(
        _text(path, data, "agent"),
        _text(path, data, "label"),
        _text(path, data, "variant"),
        settings=_settings(path, "settings", data.get("settings", {})),
        groups={name: _settings(path, f"setups.{name}", own) for name, own in setups.items()},
        published=published,
    )


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file.

    Raises:
        SpecError: It cannot be read, or is no TOML.
    """
    try:
        return parse_toml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise SpecError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is no TOML: {error}") from None


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """The values of a TOML text.

    Raises:
        SpecError: It is no TOML; the message names the source.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{source} is no TOML: {error}") from None


def _text(path: Path, data: Mapping[str, Any], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str) or (key in data and not value):
        raise SpecError(f'{path}: {key} is {value!r}; it has to be a name, such as "dqn"')
    return value


def _settings(path: Path, where: str, values: object) -> dict[str, Setting]:
    if not isinstance(values, dict):
        raise SpecError(f"{path}: {where} is {values!r}; it has to be a table")
    for name, value in values.items():
        if not isinstance(value, str | int | float | bool):
            raise SpecError(
                f"{path}: {name} in {where} is {value!r}; it has to be a word, a number, true or "
                "false"
            )
    return dict(values)
