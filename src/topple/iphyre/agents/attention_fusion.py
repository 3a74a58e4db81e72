"""Attention Fusion: a classifier of plans of our own, which looks at pairs of bodies.

It plays like the other classifiers, by the most promising of random plans. It learns from plans on
variants of the training games and on games scrambled from their pieces, all of them simulated
before it meets the game it is scored on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from topple.iphyre.agents.outcome_data import joined
from topple.iphyre.agents.plan_classifier import PlanClassifier
from topple.iphyre.agents.scrambled_data import play_examples, widened
from topple.iphyre.game import Game
from topple.iphyre.observe import COLUMNS
from topple.iphyre.sampling import LATEST
from topple.runs.agent import Report
from topple.runs.settings import at_least, shared_by

_REPORTED = 50  # games between two reports
_REMOVABLE = 5  # column of the table
_SHAPE = 9  # numbers that say where a body is, beside its ends
_TIMING = 3  # when it goes, whether it does, whether it could and does not


class AttentionFusion(nn.Module):
    """A transformer over bodies, each with its time."""

    def __init__(self, layers: int, width: int, heads: int) -> None:
        super().__init__()
        self.bodies = nn.Linear(COLUMNS + _SHAPE + _TIMING, width)
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
        parts = (
            tables,
            ends.mean(dim=2),
            across,
            across.norm(dim=2, keepdim=True),
            ends.amin(dim=2),
            ends.amax(dim=2),
            times[..., None] / LATEST,
            (times > 0)[..., None].to(times.dtype),
            ((times <= 0) & (tables[..., _REMOVABLE] > 0))[..., None].to(times.dtype),
        )
        features = self.layers(self.bodies(torch.cat(parts, dim=2)), src_key_padding_mask=~there)
        counted = there[..., None].to(times.dtype)
        scores: Tensor = self.head((features * counted).sum(dim=1) / counted.sum(dim=1))
        return scores


@dataclass
class AttentionFusionAgent(PlanClassifier):
    """Attention Fusion; its other settings are those of all classifiers.

    Attributes:
        layers: of attention.
        width: of features.
        heads: of each layer.
        variants: of each training game.
        scrambled: games put together from pieces of the training games.
        draws: plans played on each game, of which at most ``each`` that work and as many that do
            not are kept.
        data_seed: of these games. Plans are the same for all seeds of weights and batches.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "epochs": 2,
        "layers": 1,
        "width": 16,
        "variants": 1,
        "scrambled": 5,
        "draws": 64,
        "each": 10,
        "candidates": 50,
    }

    layers: int = 3
    epochs: int = 5
    batch: int = 256
    width: int = 96
    heads: int = 4
    variants: int = 40
    scrambled: int = 3000
    draws: int = 384
    data_seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("layers", "width", "heads", "draws"):
            at_least(name, getattr(self, name), 1)
        for name in ("variants", "scrambled"):
            at_least(name, getattr(self, name), 0)
        shared_by("width", self.width, "heads", self.heads)

    def fit_games(
        self, games: Sequence[Game], seed: int, checkpoint: Path | None, run: Mapping[str, Any]
    ) -> Iterator[Report]:
        """Make games, play plans on them, and fit the classifier to their outcomes.

        Reports on the games that are played to learn from are marked as preparing.
        """
        more = list(widened(games, self.variants, self.scrambled, self.data_seed))
        parts, start = [], time.monotonic()
        for number, game in enumerate(more):
            parts.append(play_examples(game, self.draws, self.each, number))
            if number % _REPORTED == 0:
                pace = (number + 1) / (time.monotonic() - start)
                yield Report(number + 1, len(more), pace, preparing=True)
        yield from self.fit(joined(parts), seed, checkpoint, run)

    def new_network(self) -> nn.Module:
        """A network with these settings and first weights."""
        return AttentionFusion(self.layers, self.width, self.heads)
