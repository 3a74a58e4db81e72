"""Rows of tables as TOML files: an agent with its settings for each setup.

A file has a label, perhaps a variant, and an agent, settings for all setups, and settings of single ones::

    label = "DQN"
    agent = "dqn"

    [settings]
    updates = 100_000

    [setups.ball_cross_template]
    rank = 1_000
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topple.runs.config import RunConfig, Setting
from topple.runs.table2 import SETUPS, Row
from topple.phyre.fold import Setup

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS = ("label", "agent", "variant", "published", "settings", "setups")


class RowFileError(ValueError):
    """A file describes no row; the message names the file and what is wrong with it."""


def load_row(path: Path) -> Row:
    """Read a row. Whether its settings suit the agent shows when the agent is made.

    Raises:
        RowFileError: The file is missing, is no TOML, or has a wrong key or value.
    """
    data = read_toml(path, _KEYS)
    agent = word_in(path, data, "agent")
    label = word_in(path, data, "label") if "label" in data else agent
    published = data.get("published", True)
    if not isinstance(published, bool):
        raise RowFileError(f"{path}: published is {published!r}; it has to be true or false")
    common = settings_in(path, "settings", data.get("settings", {}))
    found: dict[Setup, Mapping[str, Setting]] = dict.fromkeys(SETUPS, common)
    setups = data.get("setups", {})
    if not isinstance(setups, dict):
        raise RowFileError(f"{path}: setups is {setups!r}; it has to be a table")
    for name, values in setups.items():
        try:
            setup = Setup.parse(name)
        except ValueError as error:
            raise RowFileError(f"{path}: {error}") from None
        found[setup] = {**common, **settings_in(path, f"setups.{name}", values)}
    variant = word_in(path, data, "variant") if "variant" in data else ""
    return Row(f"{label} {variant}".rstrip(), agent, found, published)


def agent_config(text: str, config: RunConfig) -> RunConfig:
    """A config for an agent by name, or for the row of a TOML file.

    Args:
        text: a registered name, "module:Class", or the path of a file that ends in ``.toml``.
        config: the rest; its settings and its label, if it has one of its own, go before those
            of the file.

    Raises:
        RowFileError: The file cannot be used, or has nothing for the setup.
    """
    own_label = "" if config.label == config.agent else config.label
    if not text.endswith(".toml"):
        return replace(config, agent=text, label=own_label)
    row = load_row(Path(text))
    if config.setup not in row.settings:
        raise RowFileError(f"{text} has no settings for {config.setup.value}; use another setup")
    settings = {**row.settings[config.setup], **config.settings}
    return replace(config, agent=row.agent, settings=settings, label=own_label or row.label)


def read_toml(path: Path, keys: Sequence[str]) -> dict[str, Any]:
    """The tables of a file that may have some keys.

    Raises:
        RowFileError: The file is missing, is no TOML, or has another key.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RowFileError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RowFileError(f"{path} is no TOML: {error}") from None
    for key in data:
        if key not in keys:
            raise RowFileError(f"{path} has an unknown key {key!r}: use {', '.join(keys)}")
    return data


def word_in(path: Path, data: Mapping[str, Any], key: str) -> str:
    """A name out of a file.

    Raises:
        RowFileError: It is missing or no name.
    """
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise RowFileError(f'{path}: {key} is {value!r}; it has to be a name, such as "dqn"')
    return value


def settings_in(path: Path, where: str, values: object) -> dict[str, Setting]:
    """The settings of a table in a file.

    Raises:
        RowFileError: It is no table, or a value can be no setting.
    """
    if not isinstance(values, dict):
        raise RowFileError(f"{path}: {where} is {values!r}; it has to be a table")
    for name, value in values.items():
        if not isinstance(value, str | int | float | bool):
            raise RowFileError(
                f"{path}: {name} in {where} is {value!r}; it has to be a word, a number, true or "
                "false"
            )
    return dict(values)
