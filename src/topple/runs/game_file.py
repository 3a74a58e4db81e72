"""Agents of I-PHYRE as TOML files: a label, perhaps a variant, an agent and its settings.

::

    label = "PPO-I"
    variant = "tuned"
    agent = "ppo-i"

    [settings]
    learning_rate = 1e-6
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from topple.runs.config import Setting
from topple.runs.game_config import GameRunConfig
from topple.runs.row_file import read_toml, settings_in, word_in

_KEYS = ("label", "agent", "variant", "settings")


class GameAgentFile(NamedTuple):
    """What a file says."""

    label: str
    variant: str  # such as "tuned"; "": the plain agent
    agent: str
    settings: Mapping[str, Setting]


def load_game_agent_file(path: Path) -> GameAgentFile:
    """Read a file. Whether its settings suit the agent shows when the agent is made.

    Raises:
        RowFileError: The file is missing, is no TOML, or has a wrong key or value.
    """
    data = read_toml(path, _KEYS)
    agent = word_in(path, data, "agent")
    label = word_in(path, data, "label") if "label" in data else agent
    variant = word_in(path, data, "variant") if "variant" in data else ""
    settings = settings_in(path, "settings", data.get("settings", {}))
    return GameAgentFile(label, variant, agent, settings)


def game_agent_config(text: str, config: GameRunConfig) -> GameRunConfig:
    """A config for an agent by name, or for the one a TOML file describes.

    Args:
        text: a registered name, "module:Class", or the path of a file that ends in ``.toml``.
        config: the rest; its settings and its label, if it has one of its own, go before those
            of the file.

    Raises:
        RowFileError: The file cannot be used.
    """
    own_label = "" if config.label == config.agent else config.label
    if not text.endswith(".toml"):
        return replace(config, agent=text, label=own_label)
    found = load_game_agent_file(Path(text))
    settings = {**found.settings, **config.settings}
    label = own_label or f"{found.label} {found.variant}".rstrip()
    return replace(config, agent=found.agent, settings=settings, label=label)
