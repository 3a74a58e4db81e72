"""Attention between the bodies of a scene, for the transformers of both benchmarks."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

_RELATION_WIDTH = 32  # hidden features of what relations add to attention


class AttentionBlock(nn.Module):
    """Attention between tokens, then a perceptron on each, both with residual connections.

    Args:
        width: size of a token.
        heads: attention heads.
        expansion: hidden features of the perceptron, in widths.
    """

    def __init__(self, width: int, heads: int, expansion: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, expansion * width), nn.GELU(), nn.Linear(expansion * width, width)
        )

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """[scenes, tokens, width] from the block's input.

        Args:
            tokens: [scenes, tokens, width].
            mask: what attention is given to, by [scenes, heads, from, to], or with 1 in place of
                heads or from: whether to give any, or a number that is added before the softmax.
        """
        count, length, width = tokens.shape
        parts = self.attention(self.first(tokens)).view(count, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        if mask.is_floating_point():
            mask = mask.to(query.dtype)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        tokens = tokens + self.out(mixed.transpose(1, 2).reshape(count, length, width))
        deeper: Tensor = tokens + self.perceptron(self.second(tokens))
        return deeper


class Relations(nn.Module):
    """What is added to the attention of all blocks, by how two bodies lie to each other.

    Args:
        features: numbers that say how two bodies lie to each other.
        layers: attention blocks.
        heads: attention heads of each.
    """

    def __init__(self, features: int, layers: int, heads: int) -> None:
        super().__init__()
        self.layers = layers
        self.perceptron = nn.Sequential(
            nn.Linear(features, _RELATION_WIDTH),
            nn.GELU(),
            nn.Linear(_RELATION_WIDTH, layers * heads),
        )

    def forward(self, features: Tensor) -> Tensor:
        """[layers, scenes, heads, from, to] from [scenes, from, to, features]."""
        added: Tensor = self.perceptron(features).unflatten(3, (self.layers, -1))
        return added.permute(3, 0, 4, 1, 2)


def only_to(there: Tensor, added: Tensor) -> Tensor:
    """What is added to attention, so that none is given to what is not there.

    Args:
        there: [scenes, to] whether there is a body.
        added: [layers, scenes, heads, from, to].
    """
    return added.masked_fill(~there[:, None, None], -torch.inf)
