"""Attention Fusion: a classifier of plans of our own, with attention between bodies.

Like the other classifiers it plays the most promising of random plans. It learns from plans for
variants of the training games and for games scrambled from their pieces, all of them simulated
before it meets the game that it is scored on. If asked for, it also learns where bodies go in these
plays: an auxiliary target that teaches dynamics and is not used to play.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from topple.iphyre.agents.attention_network import AttentionFusion, motion_error
from topple.iphyre.agents.fitting import Loss
from topple.iphyre.agents.outcome_data import (
    Examples,
    joined,
    play_examples,
    scrambled_games,
    widened,
)
from topple.iphyre.agents.plan_classifier import PlanClassifier, outcome_error
from topple.iphyre.game import Game
from topple.iphyre.rules import AT_10_HZ, Rules, rules_at
from topple.runs.agent import Report, TrainingOptions
from topple.runs.device import CUDA
from topple.runs.executors.processes import ProcessExecutor
from topple.runs.settings import at_least, divisible, fraction

_TOGETHER = 25  # games of a chunk
_FEW = 10  # chunks that one process plays by itself
_ACROSS = [0, 2]  # columns of the object table, in widths of the scene


class Chunk(NamedTuple):
    """Games to play plans on, or where so many are to be made of first."""

    first: int  # number of the first game, which is the seed of plans for it
    games: Sequence[Game]
    scrambled: int = 0  # games to make of pieces of these; 0: these are played

    @property
    def size(self) -> int:
        """The number of games to play."""
        return self.scrambled or len(self.games)


@dataclass(frozen=True)
class _Player:
    """Plays plans on the games of chunks; its attributes are settings of the agent."""

    draws: int
    each: int
    trial: int
    rules: Rules
    watched: bool
    combined: float
    data_seed: int

    def __call__(self, chunk: Chunk, threads: int | None) -> Examples:
        games = chunk.games
        if chunk.scrambled:
            rng = np.random.default_rng([self.data_seed, chunk.first])
            games = list(scrambled_games(games, chunk.scrambled, rng, self.combined))
        parts = [
            play_examples(
                *(game, self.draws, self.each, number, self.rules, threads),
                watched=self.watched,
                trial=self.trial,
            )
            for number, game in enumerate(games, start=chunk.first)
        ]
        return joined(parts)._replace(games=())


@dataclass
class AttentionFusionAgent(PlanClassifier):
    """Attention Fusion; its other settings are those of all classifiers.

    Attributes:
        n_layers: attention layers.
        embed_dim: size of the features.
        n_heads: attention heads of each layer.
        frequencies: of the Fourier features of places and times; 0: none.
        relations: whether attention depends on how two bodies lie to each other.
        variants: variants of each training game.
        scrambled: games put together from pieces of the training games.
        combined: how often a scrambled game is made of two whole games.
        own_seeds: whether scrambled games are made 25 at a time with a seed for each 25, by the
            processes that play them. It makes other games, and a million of them in minutes.
        draws: plans played on each game, of which at most ``samples_per_class`` that work and as
            many that do not are kept.
        trial: plays on a game that decide whether there are more of them: not if all work or none
            does, and only until there are enough of both kinds. 0: ``draws`` on every game.
        hz: ticks per second of these plays, 60 or 10.
        motion_weight: weight of where bodies go, learned beside whether plans work; 0: not learned.
        parts: parts of a minibatch that are computed side by side, each on a core of its own; the
            weights depend on their number, not on that of the cores.
        data_seed: seed of these games. Plans are the same for all seeds of weights and batches.
        mirrored: whether plans are judged in the mirrored scene as well, and logits averaged.
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

    acting: ClassVar[tuple[str, ...]] = (*PlanClassifier.acting, "mirrored")

    n_layers: int = 3
    n_epochs: int = 5
    batch_size: int = 256
    embed_dim: int = 96
    n_heads: int = 4
    frequencies: int = 0
    relations: bool = False
    variants: int = 40
    scrambled: int = 3000
    combined: float = 0.0
    own_seeds: bool = False
    draws: int = 384
    trial: int = 0
    hz: int = AT_10_HZ.hz
    motion_weight: float = 0.0
    parts: int = 1
    data_seed: int = 0
    mirrored: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "n_layers", "embed_dim", "n_heads", "draws", "parts")
        at_least(self, 0, "frequencies", "variants", "scrambled", "trial", "motion_weight")
        divisible(self, "embed_dim", "n_heads")
        fraction(self, "combined")
        rules_at(self.hz)

    def fit_games(
        self, games: Sequence[Game], seed: int, options: TrainingOptions
    ) -> Iterator[Report]:
        """Make games, play plans on them, and fit the classifier to their outcomes.

        Reports on the games that are played to learn from are marked as preparing.
        """
        chunks = self._chunks(games)
        played: dict[int, Examples] = {}
        planned, done = sum(chunk.size for chunk in chunks), 0
        start = time.monotonic()
        for chunk, part in self._played(chunks):
            played[chunk.first] = part
            done += chunk.size
            yield Report(done, planned, done / (time.monotonic() - start), preparing=True)
        if options.minutes is not None:
            spent = (time.monotonic() - start) / 60
            options = options._replace(minutes=max(0.0, options.minutes - spent))
        data = joined([played.pop(first) for first in sorted(played)])
        yield from self.fit(data, seed, options)

    def _chunks(self, games: Sequence[Game]) -> list[Chunk]:
        """All games to play plans on, in order."""
        scrambled = 0 if self.own_seeds else self.scrambled
        made = list(widened(games, self.variants, scrambled, self.data_seed, self.combined))
        chunks = [
            Chunk(first, made[first : first + _TOGETHER])
            for first in range(0, len(made), _TOGETHER)
        ]
        if self.own_seeds:
            chunks += [
                Chunk(len(made) + first, games, min(_TOGETHER, self.scrambled - first))
                for first in range(0, self.scrambled, _TOGETHER)
            ]
        return chunks

    def _played(self, chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Examples]]:
        """Chunks of games with what was played on them, as they are finished."""
        play = _Player(
            self.draws,
            self.samples_per_class,
            self.trial,
            rules_at(self.hz),
            self.motion_weight > 0,
            self.combined,
            self.data_seed,
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
        return AttentionFusion(
            self.n_layers,
            self.embed_dim,
            self.n_heads,
            self.frequencies,
            relations=self.relations,
            motion=self.motion_weight > 0,
        )

    def logits(self, examples: Examples) -> Tensor:
        """[examples] the predicted logit of each plan's working."""
        logits = super().logits(examples)
        if not self.mirrored:
            return logits
        return (logits + super().logits(examples._replace(tables=mirrored(examples.tables)))) / 2

    @property
    def batch_parts(self) -> int:
        """Parts of a minibatch that are computed side by side."""
        return self.parts

    def loss(self, network: nn.Module, data: Examples) -> Loss:
        """The cross-entropy of the predicted outcomes and, if asked for, the error of motion."""
        if not self.motion_weight:
            return super().loss(network, data)
        assert isinstance(network, AttentionFusion)
        assert data.motion is not None
        motion = torch.from_numpy(data.motion).to(self.device)
        inputs, labels = self.inputs(data), self.labels(data)

        def loss(batch: NDArray[np.int64], rng: np.random.Generator) -> Tensor:
            place = torch.from_numpy(batch).to(self.device)
            with torch.autocast(CUDA, torch.bfloat16, enabled=self.device == CUDA):
                scores, said = network.watch(*inputs.of(place))
            error = motion_error(said.float(), motion[place].float())
            return outcome_error(scores, labels[place]) + self.motion_weight * error

        return loss


def mirrored(tables: NDArray[np.float32]) -> NDArray[np.float32]:
    """(scenes, 12, 9) the object tables of scenes as seen in a mirror."""
    there = tables.any(axis=2, keepdims=True)
    seen = tables.copy()
    seen[..., _ACROSS] = np.where(there, 1 - tables[..., _ACROSS], 0)
    return seen
