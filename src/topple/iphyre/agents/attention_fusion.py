"""Attention Fusion: a classifier of plans of our own, with attention between bodies.

Like the other classifiers it plays the most promising of random plans. It learns from plans for
variants of the training games and for games scrambled from their pieces, all of them simulated
before it meets the game that it is scored on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from topple.iphyre.agents.outcome_data import Examples, joined, play_examples, widened
from topple.iphyre.agents.plan_classifier import PlanClassifier
from topple.iphyre.game import Game
from topple.iphyre.observe import COLUMNS
from topple.iphyre.rules import AT_10_HZ, Rules, rules_at
from topple.iphyre.sampling import LATEST
from topple.runs.agent import Report, TrainingOptions
from topple.runs.executors.processes import ProcessExecutor
from topple.runs.settings import at_least, divisible, fraction

_TOGETHER = 25  # games of a chunk
_FEW = 10  # chunks that one process plays by itself
_REMOVABLE = 5  # column of the object table
_SHAPE = 9  # further features of where a body is
_TIMING = 3  # when it is removed, whether it is, whether it could be and is not
_WAVING = 9  # features that have Fourier features as well: ends, middle, extent, time of removal

Chunk = Sequence[tuple[int, Game]]  # games to play plans on, with their numbers


class AttentionFusion(nn.Module):
    """A transformer over bodies, each with the time of its removal.

    Args:
        layers: attention layers.
        width: size of the features.
        heads: attention heads of each layer.
        frequencies: of the Fourier features of places and times, each twice the one before.
    """

    def __init__(self, layers: int, width: int, heads: int, frequencies: int = 0) -> None:
        super().__init__()
        self.bodies = nn.Linear(COLUMNS + _SHAPE + _TIMING + 2 * _WAVING * frequencies, width)
        self.frequencies: Tensor
        waves = torch.pi * 2.0 ** torch.arange(frequencies)
        self.register_buffer("frequencies", waves, persistent=False)
        layer = nn.TransformerEncoderLayer(
            width, heads, 2 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 2)
        )

    def forward(self, tables: Tensor, times: Tensor) -> Tensor:
        """[plans, 2] scores of [plans, 12, 9] scenes and [plans, 12] times."""
        there = tables.any(dim=2)
        ends = tables[..., :4].reshape(*tables.shape[:2], 2, 2)  # first and second, x and y
        across = ends[..., 1, :] - ends[..., 0, :]
        middle, when = ends.mean(dim=2), times[..., None] / LATEST
        waving = torch.cat([tables[..., :4], middle, across, when], dim=2)
        waves = (waving[..., None] * self.frequencies).flatten(2)
        parts = (
            tables,
            middle,
            across,
            across.norm(dim=2, keepdim=True),
            ends.amin(dim=2),
            ends.amax(dim=2),
            when,
            (times > 0)[..., None].to(times.dtype),
            ((times <= 0) & (tables[..., _REMOVABLE] > 0))[..., None].to(times.dtype),
            waves.sin(),
            waves.cos(),
        )
        features = self.layers(self.bodies(torch.cat(parts, dim=2)), src_key_padding_mask=~there)
        counted = there[..., None].to(times.dtype)
        scores: Tensor = self.head((features * counted).sum(dim=1) / counted.sum(dim=1))
        return scores


def _play_chunk(
    chunk: Chunk, draws: int, each: int, rules: Rules, threads: int | None
) -> list[Examples]:
    return [play_examples(game, draws, each, number, rules, threads) for number, game in chunk]


@dataclass
class AttentionFusionAgent(PlanClassifier):
    """Attention Fusion; its other settings are those of all classifiers.

    Attributes:
        n_layers: attention layers.
        embed_dim: size of the features.
        n_heads: attention heads of each layer.
        frequencies: of the Fourier features of places and times; 0: none.
        variants: variants of each training game.
        scrambled: games put together from pieces of the training games.
        combined: how often a scrambled game is made of two whole games.
        draws: plans played on each game, of which at most ``samples_per_class`` that work and as
            many that do not are kept.
        hz: ticks per second of these plays, 60 or 10.
        data_seed: seed of these games. Plans are the same for all seeds of weights and batches.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "n_epochs": 2,
        "n_layers": 1,
        "embed_dim": 16,
        "variants": 1,
        "scrambled": 5,
        "draws": 64,
        "samples_per_class": 10,
        "candidates": 50,
    }

    n_layers: int = 3
    n_epochs: int = 5
    batch_size: int = 256
    embed_dim: int = 96
    n_heads: int = 4
    frequencies: int = 0
    variants: int = 40
    scrambled: int = 3000
    combined: float = 0.0
    draws: int = 384
    hz: int = AT_10_HZ.hz
    data_seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "n_layers", "embed_dim", "n_heads", "draws")
        at_least(self, 0, "frequencies", "variants", "scrambled")
        divisible(self, "embed_dim", "n_heads")
        fraction(self, "combined")
        rules_at(self.hz)

    def fit_games(
        self, games: Sequence[Game], seed: int, options: TrainingOptions
    ) -> Iterator[Report]:
        """Make games, play plans on them, and fit the classifier to their outcomes.

        Reports on the games that are played to learn from are marked as preparing.
        """
        made = widened(games, self.variants, self.scrambled, self.data_seed, self.combined)
        more = list(enumerate(made))
        chunks = [more[first : first + _TOGETHER] for first in range(0, len(more), _TOGETHER)]
        played: dict[int, list[Examples]] = {}
        start = time.monotonic()
        for chunk, parts in self._played(chunks):
            played[chunk[0][0]] = parts
            done = sum(map(len, played.values()))
            rate = done / (time.monotonic() - start)
            yield Report(done, len(more), rate, preparing=True)
        data = joined([part for first in sorted(played) for part in played.pop(first)])
        yield from self.fit(data, seed, options)

    def _played(self, chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, list[Examples]]]:
        """Chunks of games with what was played on them, as they are finished."""
        play = partial(
            _play_chunk, draws=self.draws, each=self.samples_per_class, rules=rules_at(self.hz)
        )
        if len(chunks) < _FEW:  # not worth starting processes for
            yield from ((chunk, play(chunk, threads=None)) for chunk in chunks)
            return
        executor = ProcessExecutor()
        try:
            yield from executor.map(partial(play, threads=1), chunks)
        finally:
            executor.close()

    def new_network(self) -> nn.Module:
        """Create a network with these settings and initial weights."""
        return AttentionFusion(self.n_layers, self.embed_dim, self.n_heads, self.frequencies)
