"""Vision transformers: a small one with random first weights, or a trained one from a folder."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

SMALL = "small"
IMAGE_SIZE = 224  # px


class SmallVit(nn.Module):
    """A vision transformer small enough to be trained on a CPU.

    Args:
        width: of its features.
        layers: of attention.
        heads: of each layer.
        patch: px of a patch's side.
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
        source: a folder, or a name in the library's cache; nothing is downloaded.
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
    """The small one, or one from a folder or the cache of transformers."""
    return SmallVit() if source == SMALL else TrainedVit(source)
