"""What agents share that are fitted to sampled episodes: training, checkpoints, loading."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from torch import nn

from topple.iphyre.agents.fitting import load_weights, read_fit
from topple.iphyre.game import Game
from topple.iphyre.phases import GameReport
from topple.iphyre.rules import Rules
from topple.runs.agent import Report
from topple.runs.device import CPU, chosen_device
from topple.runs.settings import settings_of

_SEEDS = 2**31


@dataclass
class FittedAgent:
    """A network that is fitted to data of games before it plays.

    Attributes:
        device: where it is fitted: cpu, cuda, or auto, a GPU if there is one. It plays on the cpu.
    """

    smoke: ClassVar[Mapping[str, str | int | float | bool | None]]
    #: Settings that can be changed after training.
    playing: ClassVar[tuple[str, ...]]

    device: str = CPU
    #: Empty, as there are no rewards to follow: it learns from data, not from plays.
    history: list[GameReport] = field(default_factory=list, init=False, repr=False)
    #: Spent on training since the agent was made.
    seconds: float = field(default=0.0, init=False, repr=False)
    _network: nn.Module | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.device = chosen_device(self.device)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name."""
        return settings_of(self)

    @property
    def training_settings(self) -> dict[str, Any]:
        """Those that cannot be changed after training."""
        return {name: each for name, each in self.settings.items() if name not in self.playing}

    @property
    def network(self) -> nn.Module:
        """The fitted network.

        Raises:
            ValueError: There is none yet.
        """
        if self._network is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        return self._network

    def train(self, games: Sequence[Game], rules: Rules, rng: np.random.Generator) -> None:
        """Make all epochs, unless a finished checkpoint was loaded."""
        if self._network is None:
            for _ in self.learn(games, rules, rng):
                pass

    def learn(
        self,
        games: Sequence[Game],
        rules: Rules,
        rng: np.random.Generator,
        checkpoint: Path | None = None,
        *,
        run: dict[str, Any] | None = None,
        tensorboard: Path | None = None,
    ) -> Iterator[GameReport]:
        """Sample episodes of games at 60 Hz, as published, and make the epochs that are missing.

        Args:
            games: to learn from.
            rules: not needed: data comes from 60 Hz.
            rng: where the seed comes from.
            checkpoint: a file to go on from if it is there, and to save to.
            run: what the training is for, kept in the checkpoint.
            tensorboard: not used.
        """
        seed = int(rng.integers(_SEEDS))
        start = time.monotonic()
        for report in self.fit_games(games, seed, checkpoint, run or {}):
            self.seconds, start = self.seconds + time.monotonic() - start, time.monotonic()
            yield GameReport(
                report.done, report.planned, math.nan, math.nan, report.rate, report.loss
            )

    def fit_games(
        self, games: Sequence[Game], seed: int, checkpoint: Path | None, run: Mapping[str, Any]
    ) -> Iterator[Report]:
        """Sample what is learned from, and fit."""
        raise NotImplementedError

    def load(self, path: Path) -> dict[str, Any]:
        """Take settings of training and weights from a finished checkpoint.

        Returns:
            What it was trained for, as far as it was told.

        Raises:
            CheckpointError: It cannot be used, or its training was not finished.
        """
        found = read_fit(path)
        for name in self.training_settings:
            if name in found["key"]:
                setattr(self, name, found["key"][name])
        self._network = self.new_network()
        load_weights(self._network, found["network"])
        self._network.eval()
        return dict(found["run"])

    def new_network(self) -> nn.Module:
        """A network with these settings and first weights."""
        raise NotImplementedError
