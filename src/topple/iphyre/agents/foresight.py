"""What an MDRNN expects next, step by step: beside observations, or instead of the simulator."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from topple import paths
from topple.iphyre.agents.fitting import one_thread
from topple.iphyre.agents.mdrnn import Mdrnn, MdrnnNetwork, Memory
from topple.iphyre.agents.sequence_data import STATE, collect_sequences
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.game import Game
from topple.iphyre.observe import COLUMNS
from topple.runs.agent import Report

_FOLDER = "iphyre_models"  # among the caches

States = NDArray[np.float32]  # [slots, 108]


class Foresight:
    """A network with a memory of each of several episodes.

    Args:
        network: trained.
        slots: how many episodes.
    """

    def __init__(self, network: MdrnnNetwork, slots: int) -> None:
        self.network = network.eval()
        hidden = network.memory.hidden_size
        self._memory: Memory = torch.zeros(1, slots, hidden), torch.zeros(1, slots, hidden)
        self._nothing = torch.zeros(slots, 1, MAX_BODIES)

    def expect(self, states: States) -> States:
        """[slots, 108] the next states, if nothing is removed now."""
        with one_thread(), torch.no_grad():
            prediction, _ = self.network(
                torch.from_numpy(states)[:, None], self._nothing, self._memory
            )
            expected: States = prediction.likeliest()[:, 0].numpy()
        return expected

    def remember(self, states: States, removed: NDArray[np.float32]) -> tuple[States, States]:
        """Take note of a step; the next states, and how likely it is the last one, solved.

        Args:
            states: [slots, 108] before it.
            removed: [slots, 12] 1 for bodies removed.
        """
        with one_thread(), torch.no_grad():
            prediction, self._memory = self.network(
                torch.from_numpy(states)[:, None], torch.from_numpy(removed)[:, None], self._memory
            )
            solved = torch.sigmoid(prediction.solved)[:, 0]
            return prediction.likeliest()[:, 0].numpy(), solved.numpy()

    def forget(self, slots: NDArray[np.int64]) -> None:
        """Episodes start anew."""
        for part in self._memory:
            part[:, slots] = 0.0

    @property
    def memory(self) -> NDArray[np.float32]:
        """[2, slots, hidden] all it remembers; may be set."""
        return torch.cat(self._memory).numpy()

    @memory.setter
    def memory(self, values: NDArray[np.float32]) -> None:
        both = torch.from_numpy(values.copy())
        self._memory = both[:1], both[1:]


def removal_rows(
    games: Sequence[Game], choices: NDArray[np.int64], states: States
) -> NDArray[np.float32]:
    """[slots, 12] the bodies that choices remove, where they are still there."""
    rows = np.zeros((len(choices), MAX_BODIES), np.float32)
    for slot, (game, choice) in enumerate(zip(games, choices.tolist(), strict=True)):
        if 0 < choice <= len(game.eliminable):
            rows[slot, game.eliminable[choice - 1]] = 1.0
    return rows * states.reshape(-1, MAX_BODIES, COLUMNS).any(axis=2)


def train_mdrnn(model: Mdrnn, games: Sequence[Game], each: int, seed: int) -> Iterator[Report]:
    """Train a model on sampled episodes, or take it from the cache; stopped, it goes on there."""
    data = [game.name for game in games], each, seed
    text = json.dumps([model.settings, *data], sort_keys=True)
    name = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    path = paths.cache_folder() / _FOLDER / f"mdrnn-{name}.pt"
    return model.fit(collect_sequences(games, each), seed, path)


__all__ = ["STATE", "Foresight", "removal_rows", "train_mdrnn"]
