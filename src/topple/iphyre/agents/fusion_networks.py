"""Three networks that tell from an initial scene and a plan whether the plan works."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from topple.iphyre.agents.vit import new_vit
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.observe import COLUMNS

GLOBAL, OBJECT, VISION = "global", "object", "vision"
KINDS = (GLOBAL, OBJECT, VISION)
WIDTHS = {GLOBAL: 256, OBJECT: 64, VISION: 256}  # as published

_VISION_SHARE = 0.2  # of the sum that goes on


def _branch(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inside, outside), nn.ReLU())


def _head(inside: int, hidden: int, layers: int) -> nn.Sequential:
    """Hidden layers, then a score for failure and one for success."""
    sizes = [inside, *[hidden] * layers]
    hidden_layers = [_branch(a, b) for a, b in pairwise(sizes)]
    return nn.Sequential(*hidden_layers, nn.Linear(sizes[-1], 2))


class GlobalFusion(nn.Module):
    """Embeds all objects at once and all times at once, adds them up, and judges.

    Args:
        layers: hidden layers after the sum. The released code has none, and then the score is a
            sum of one part for the scene and one for the plan.
        width: of embeddings.
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
    """Embeds each object and each time, adds the two of an object, and judges all together."""

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
            images: [scenes, 224, 224, 3] as bytes; each is looked at once.
            scene: [plans] which image belongs to a plan.
        """
        pixels = images.permute(0, 3, 1, 2).to(torch.float32) / 127.5 - 1
        seen = self.image(self.vit(pixels))[scene]
        symbols = self.objects(tables.flatten(1)) + self.times(times)
        scores: Tensor = self.head((1 - _VISION_SHARE) * symbols + _VISION_SHARE * seen)
        return scores
