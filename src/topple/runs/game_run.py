"""One run of I-PHYRE: train an agent on a split, let it play, keep what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from topple.iphyre.phases import GameAgent, GameLearner, Playing
from topple.runs.registry import create_game_agent
from topple.runs.game_config import GameRunConfig
from topple.runs.game_store import GameRunRecord, read_game_record, write_game_record
from topple.runs.record_files import CONFIG
from topple.runs.run import provenance
from topple.iphyre.games import game_named


def game_agent_of(config: GameRunConfig) -> GameAgent:
    """The agent a config names, with its settings."""
    return create_game_agent(config.agent, config.settings)


def generators(config: GameRunConfig) -> tuple[np.random.Generator, np.random.Generator]:
    """For training and for playing."""
    training, playing = np.random.SeedSequence(config.seed).spawn(2)
    return np.random.default_rng(training), np.random.default_rng(playing)


def run_games(
    config: GameRunConfig, make: Callable[[GameRunConfig], GameAgent] = game_agent_of
) -> GameRunRecord:
    """Run an agent.

    Args:
        config: which, on what.
        make: makes it, for agents that need more than their settings or are trained already.

    Raises:
        ValueError: The agent left out a game.
    """
    agent = make(config)
    training_rng, playing_rng = generators(config)
    agent.train(config.trained_on.games, config.rules, training_rng)
    games = [game_named(name) for name in config.games]
    playing = Playing(games, config.rules, playing_rng, config.plays)
    agent.play(playing)
    missing = [game.name for game in games if playing.remaining(game) == config.plays]
    if missing:
        raise ValueError(f"agent {config.agent!r} did not play {', '.join(missing)}")
    traits = agent.traits
    protocol: dict[str, Any] = {
        "strategy": traits.strategy.value,
        "observation": traits.observation.value,
        "learning": "online" if traits.online else "offline",
        "trained_on": config.trained_on.value,
        "plays_per_game": config.plays,
        "plays": len(playing.log),
        "simulator_calls_in_testing": playing.simulator_calls,
    }
    return GameRunRecord(config, provenance(), protocol, tuple(playing.log), training_of(agent))


def training_of(agent: GameAgent) -> dict[str, Any]:
    """What an agent reports of its training: a column for each value of its curve."""
    if not isinstance(agent, GameLearner) or not agent.history:
        return {}
    return {
        "steps": agent.history[-1].done,
        "seconds": round(agent.seconds),
        "curve": {
            "steps": [point.done for point in agent.history],
            "reward": [round(point.reward, 1) for point in agent.history],
            "solved": [round(point.solved, 3) for point in agent.history],
        },
    }


def sweep_games(
    configs: Iterable[GameRunConfig],
    folder: Path,
    on_start: Callable[[GameRunConfig], None] | None = None,
    make: Callable[[GameRunConfig], GameAgent] = game_agent_of,
    anew: bool = False,
) -> Iterator[GameRunRecord]:
    """Yield the record of each config, from disk, unless it is wanted anew, or by ``run_games``."""
    for config in configs:
        path = folder / config.name
        record = read_game_record(path) if (path / CONFIG).exists() else None
        if anew or record is None or record.config != config:
            if on_start is not None:
                on_start(config)
            record = run_games(config, make)
            write_game_record(folder, record)
        yield record
