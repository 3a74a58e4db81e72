"""Global, Object and Vision Fusion, the classifiers of appendix D of the paper, as agents.

They learn from 50 plans that work and 50 that do not of each training game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from topple.iphyre.agents.fusion_networks import (
    GLOBAL,
    KINDS,
    OBJECT,
    VISION,
    GlobalFusion,
    ObjectFusion,
    VisionFusion,
)
from topple.iphyre.agents.outcome_data import sample_examples
from topple.iphyre.agents.plan_classifier import PlanClassifier
from topple.iphyre.agents.vit import SMALL
from topple.iphyre.game import Game
from topple.runs.agent import Report
from topple.runs.settings import at_least, one_of


@dataclass
class Fusion(PlanClassifier):
    """One of the three; its other settings are those of all classifiers.

    Attributes:
        kind: global, object or vision.
        layers: hidden layers after embeddings are added up; 0: as in the released code.
        masked: whether times after the end of an episode are set to never, as published.
        vit: of vision: small, or a folder of a trained vision transformer.
    """

    smoke: ClassVar[Mapping[str, Any]] = {"epochs": 10}

    kind: str = GLOBAL
    layers: int = 0
    masked: bool = True
    vit: str = SMALL

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("kind", self.kind, KINDS)
        at_least("layers", self.layers, 0)

    @property
    def looks_at_pictures(self) -> bool:
        """Whether it needs an image of a game beside its table."""
        return self.kind == VISION

    def fit_games(
        self, games: Sequence[Game], seed: int, checkpoint: Path | None, run: Mapping[str, Any]
    ) -> Iterator[Report]:
        """Sample plans and fit the classifier to their outcomes."""
        examples = sample_examples(games, self.each, masked=self.masked)
        return self.fit(examples, seed, checkpoint, run)

    def new_network(self) -> nn.Module:
        """A network with these settings and first weights."""
        if self.kind == VISION:
            return VisionFusion(self.layers, self.vit)
        return GlobalFusion(self.layers) if self.kind == GLOBAL else ObjectFusion(self.layers)


@dataclass
class ObjectFusionAgent(Fusion):
    """Object Fusion."""

    kind: str = OBJECT


@dataclass
class VisionFusionAgent(Fusion):
    """Vision Fusion."""

    kind: str = VISION
