"""A causal transformer in the manner of GPT-2, over embeddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Attention to what came before, then two linear layers, each beside a shortcut."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.first = nn.LayerNorm(width)
        self.attend = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.second = nn.LayerNorm(width)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """[sequences, tokens, width] of the same."""
        parts = self.attend(self.first(tokens)).unflatten(2, (3, self.heads, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(
            query, key, value, dropout_p=dropout, is_causal=True
        )
        mixed = self.project(mixed.transpose(1, 2).flatten(2))
        tokens = tokens + functional.dropout(mixed, self.dropout, self.training)
        thought: Tensor = self.think(self.second(tokens))
        return tokens + thought


class Gpt(nn.Module):
    """Some blocks, from and to embeddings; places are for the caller to add.

    Args:
        width: of an embedding.
        layers: blocks.
        heads: of attention in each.
        dropout: share of numbers left out in training.
    """

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.enter = nn.Sequential(nn.LayerNorm(width), nn.Dropout(dropout))
        self.blocks = nn.Sequential(*(Block(width, heads, dropout) for _ in range(layers)))
        self.leave = nn.LayerNorm(width)
        self.apply(_first_weights)

    def forward(self, tokens: Tensor) -> Tensor:
        """[sequences, tokens, width] what each token makes of itself and those before it."""
        features: Tensor = self.leave(self.blocks(self.enter(tokens)))
        return features


def _first_weights(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=0.02)
        torch.nn.init.zeros_(module.bias)
