"""What agents share that are fitted to sampled episodes: training, checkpoints, loading."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from topple.iphyre.agents.fitting import load_weights, read_fit
from topple.iphyre.game import Game
from topple.iphyre.phases import Training
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
    acting: ClassVar[tuple[str, ...]]

    device: str = CPU
    #: Empty, as there are no rewards to follow: it learns from data, not from plays.
    history: list[Report] = field(default_factory=list, init=False, repr=False)
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
        return {name: each for name, each in self.settings.items() if name not in self.acting}

    @property
    def network(self) -> nn.Module:
        """The fitted network.

        Raises:
            ValueError: There is none yet.
        """
        if self._network is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        return self._network

    def train(self, training: Training) -> None:
        """Make all epochs, unless a finished checkpoint was loaded."""
        if self._network is None:
            for _ in self.learn(training):
                pass

    def learn(
        self,
        training: Training,
        checkpoint: Path | None = None,
        *,
        run: dict[str, Any] | None = None,
        minutes: float | None = None,
        tensorboard: Path | None = None,
    ) -> Iterator[Report]:
        """Sample episodes of games at 60 Hz, as published, and make the epochs that are missing.

        Args:
            training: the games to learn from and the generator of the seed; its rules are not
                used, because the data are made at 60 Hz.
            checkpoint: the file to resume from, if it exists, and to save to.
            run: what the training is for, kept in the checkpoint.
            minutes: not used; the number of epochs is a setting.
            tensorboard: not used.
        """
        seed = int(training.rng.integers(_SEEDS))
        start = time.monotonic()
        for report in self.fit_games(training.games, seed, checkpoint, run or {}):
            self.seconds, start = self.seconds + time.monotonic() - start, time.monotonic()
            yield report

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
