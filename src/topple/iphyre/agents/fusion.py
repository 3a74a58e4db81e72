"""Global, Object and Vision Fusion, the classifiers of appendix D of the paper, as agents.

They predict from an initial scene and a plan whether the plan works, and learn from 50 plans that
work and 50 that do not of each training game. From top to bottom: the vision transformers, the
three networks, the agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from topple.iphyre.agents.outcome_data import sample_examples
from topple.iphyre.agents.plan_classifier import IMAGE_SIZE, PlanClassifier
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.game import Game
from topple.iphyre.observe import COLUMNS
from topple.runs.agent import Report, TrainingOptions
from topple.runs.settings import at_least, one_of

GLOBAL, OBJECT, VISION = "global", "object", "vision"
KINDS = (GLOBAL, OBJECT, VISION)
WIDTHS = {GLOBAL: 256, OBJECT: 64, VISION: 256}  # as published
SMALL = "small"  # the vision transformer that is trained from scratch

_VISION_SHARE = 0.2  # of the fused features
_VIT_RATE = 0.1  # factor of the learning rate, as in the released code


class SmallVit(nn.Module):
    """A vision transformer small enough to be trained on a CPU.

    Args:
        width: size of its features.
        layers: attention layers.
        heads: attention heads of each layer.
        patch: side of a patch in pixels.
    """

    def __init__(self, width: int = 64, layers: int = 2, heads: int = 4, patch: int = 32) -> None:
        super().__init__()
        self.width = width
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.whole = nn.Parameter(torch.zeros(1, 1, width))
        count = (IMAGE_SIZE // patch) ** 2
        self.places = nn.Parameter(torch.randn(1, count + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(
            width,
            heads,
            4 * width,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)

    def forward(self, images: Tensor) -> Tensor:
        """[images, width] features of [images, 3, 224, 224] pixels from -1 to 1."""
        tokens = self.patches(images).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.whole.expand(len(images), -1, -1), tokens], dim=1) + self.places
        features: Tensor = self.norm(self.layers(tokens))[:, 0]
        return features


class TrainedVit(nn.Module):
    """A vision transformer in the format of the library transformers.

    Args:
        source: a folder or a name in the library's cache; nothing is downloaded.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        try:
            from transformers import AutoModel
        except ImportError:
            raise ValueError(
                f"vit is {source!r}, which needs transformers: pip install 'topple[vision]'; "
                f"or use vit={SMALL}"
            ) from None
        try:
            self.model: Any = AutoModel.from_pretrained(source, local_files_only=True)
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(
                f"vit is {source!r}, which is no folder of a vision transformer and not in the "
                f"cache of transformers ({reason}); use vit={SMALL}"
            ) from None
        if getattr(self.model.config, "image_size", None) != IMAGE_SIZE:
            raise ValueError(f"vit is {source!r}; it has to be one for images of {IMAGE_SIZE} px")
        self.width = int(self.model.config.hidden_size)

    def forward(self, images: Tensor) -> Tensor:
        """[images, width] features of [images, 3, 224, 224] pixels from -1 to 1."""
        features: Tensor = self.model(pixel_values=images).last_hidden_state[:, 0]
        return features


def new_vit(source: str) -> SmallVit | TrainedVit:
    """Create the small vision transformer, or load one from a folder or the library's cache."""
    return SmallVit() if source == SMALL else TrainedVit(source)


def _branch(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inside, outside), nn.ReLU())


def _head(inside: int, hidden: int, layers: int) -> nn.Sequential:
    """Hidden layers, then one score for failure and one for success."""
    sizes = [inside, *[hidden] * layers]
    hidden_layers = [_branch(a, b) for a, b in pairwise(sizes)]
    return nn.Sequential(*hidden_layers, nn.Linear(sizes[-1], 2))


class GlobalFusion(nn.Module):
    """Embeds all objects at once and all times at once, and classifies their sum.

    Args:
        layers: hidden layers after the sum. The released code has none, and then the score is a
            sum of one part for the scene and one for the plan.
        width: size of the embeddings.
    """

    def __init__(self, layers: int, width: int = WIDTHS[GLOBAL]) -> None:
        super().__init__()
        self.objects = _branch(MAX_BODIES * COLUMNS, width)
        self.times = _branch(MAX_BODIES, width)
        self.head = _head(width, width, layers)

    def forward(self, tables: Tensor, times: Tensor) -> Tensor:
        """[plans, 2] scores of [plans, 12, 9] scenes and [plans, 12] times."""
        scores: Tensor = self.head(self.objects(tables.flatten(1)) + self.times(times))
        return scores


class ObjectFusion(nn.Module):
    """Embeds each object and each time, adds the two of an object, and classifies all sums."""

    def __init__(self, layers: int, width: int = WIDTHS[OBJECT]) -> None:
        super().__init__()
        self.objects = _branch(COLUMNS, width)
        self.times = _branch(1, width)
        self.head = _head(MAX_BODIES * width, width, layers)

    def forward(self, tables: Tensor, times: Tensor) -> Tensor:
        """[plans, 2] scores of [plans, 12, 9] scenes and [plans, 12] times."""
        fused = self.objects(tables) + self.times(times[..., None])
        scores: Tensor = self.head(fused.flatten(1))
        return scores


class VisionFusion(nn.Module):
    """Global Fusion with features of an image of the initial scene beside the objects."""

    def __init__(self, layers: int, vit: str, width: int = WIDTHS[VISION]) -> None:
        super().__init__()
        self.objects = _branch(MAX_BODIES * COLUMNS, width)
        self.times = _branch(MAX_BODIES, width)
        self.vit = new_vit(vit)
        self.image = _branch(self.vit.width, width)
        self.head = _head(width, width, layers)

    def forward(self, tables: Tensor, times: Tensor, images: Tensor, scene: Tensor) -> Tensor:
        """[plans, 2] scores.

        Args:
            tables: [plans, 12, 9] scenes.
            times: [plans, 12].
            images: [scenes, 224, 224, 3] as bytes; each is encoded once.
            scene: [plans] index of the image of each plan.
        """
        pixels = images.permute(0, 3, 1, 2).to(torch.float32) / 127.5 - 1
        seen = self.image(self.vit(pixels))[scene]
        symbols = self.objects(tables.flatten(1)) + self.times(times)
        scores: Tensor = self.head((1 - _VISION_SHARE) * symbols + _VISION_SHARE * seen)
        return scores


@dataclass
class Fusion(PlanClassifier):
    """One of the three agents; its other settings are those of all classifiers.

    Attributes:
        kind: global, object or vision.
        n_layers: hidden layers after the sum of embeddings; 0: as in the released code.
        masked: whether times after the end of an episode are set to never, as published.
        vit: the vision transformer of Vision Fusion: small, or a folder with a trained one.
    """

    smoke: ClassVar[Mapping[str, Any]] = {"n_epochs": 10}

    kind: str = GLOBAL
    n_layers: int = 0
    masked: bool = True
    vit: str = SMALL

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "kind", KINDS)
        at_least(self, 0, "n_layers")

    @property
    def looks_at_pictures(self) -> bool:
        """Whether it needs an image of a game beside its object table."""
        return self.kind == VISION

    def fit_games(
        self, games: Sequence[Game], seed: int, options: TrainingOptions
    ) -> Iterator[Report]:
        """Sample plans and fit the classifier to their outcomes."""
        examples = sample_examples(games, self.samples_per_class, masked=self.masked)
        return self.fit(examples, seed, options)

    def parameter_groups(self, network: nn.Module) -> list[tuple[list[nn.Parameter], float]]:
        """Give the vision transformer a smaller learning rate than the rest."""
        if not isinstance(network, VisionFusion):
            return super().parameter_groups(network)
        vit = list(network.vit.parameters())
        own = {id(parameter) for parameter in vit}
        others = [each for each in network.parameters() if id(each) not in own]
        return [(others, 1.0), (vit, _VIT_RATE)]

    def new_network(self) -> nn.Module:
        """Create a network with these settings and initial weights."""
        if self.kind == VISION:
            return VisionFusion(self.n_layers, self.vit)
        return GlobalFusion(self.n_layers) if self.kind == GLOBAL else ObjectFusion(self.n_layers)


@dataclass
class ObjectFusionAgent(Fusion):
    """Object Fusion."""

    kind: str = OBJECT


@dataclass
class VisionFusionAgent(Fusion):
    """Vision Fusion."""

    kind: str = VISION
