"""The network of the transformer agent: attention between the bodies of a scene and the balls.

Tokens are those of :mod:`~topple.phyre.agents.scene_tokens`, places with Fourier features, and one
token of no body that collects what the others tell. Its output is the logit of solving the task,
and how long the goal bodies touch. The outputs of the other tokens say where each body will be;
these auxiliary outputs are for training alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from topple.phyre.agents.dqn_network import mixed_precision
from topple.phyre.agents.scene_tokens import COLUMNS, MOST_BODIES, PLACES, SceneTokens, ball_rows

FREQUENCIES = 8  # of the Fourier features, each twice the one before
TIMES = (1, 2, 4, 8)  # seconds after which the network says where bodies are
MOTION = 2 * len(TIMES) + 4  # x and y then and at the end, sine and cosine of the turn
_WIDTHS = (12, 24, MOST_BODIES)  # bodies that scenes are padded to
TOGETHER = {"cpu": 512, "cuda": 16_384}  # actions ranked together


class Prediction(NamedTuple):
    """What the network says of attempts."""

    logit: Tensor  # [attempts] of solving the task
    touch: Tensor  # [attempts] for which share of the needed time the goal bodies touch
    motion: Tensor | None  # [attempts, balls + bodies, MOTION], if asked for


class Block(nn.Module):
    """Attention between tokens, then a perceptron on each, both with residual connections."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """[scenes, tokens, width] from the block's input.

        Args:
            tokens: [scenes, tokens, width].
            mask: [scenes, 1, 1, tokens] whether there is a token.
        """
        count, length, width = tokens.shape
        parts = self.attention(self.first(tokens)).view(count, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        tokens = tokens + self.out(mixed.transpose(1, 2).reshape(count, length, width))
        deeper: Tensor = tokens + self.perceptron(self.second(tokens))
        return deeper


class SceneTransformer(nn.Module):
    """A transformer from bodies and balls to what becomes of them.

    Args:
        width: size of a token.
        layers: number of blocks.
        heads: attention heads of each.
    """

    def __init__(self, width: int = 256, layers: int = 6, heads: int = 8) -> None:
        super().__init__()
        self.embed = nn.Linear(COLUMNS + 2 * PLACES * FREQUENCIES, width)
        self.collector = nn.Parameter(torch.zeros(width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 2))
        self.motion = nn.Linear(width, MOTION)
        self.frequencies: Tensor
        waves = torch.pi * 2.0 ** torch.arange(FREQUENCIES)
        self.register_buffer("frequencies", waves, persistent=False)

    def forward(
        self, rows: Tensor, there: Tensor, balls: Tensor, *, motion: bool = False
    ) -> Prediction:
        """What becomes of attempts.

        Args:
            rows: [attempts, bodies, COLUMNS].
            there: [attempts, bodies] whether there is a body.
            balls: [attempts, balls, COLUMNS].
            motion: whether to say where bodies will be.
        """
        rows = torch.cat([balls, rows], dim=1)
        there = torch.cat([there.new_ones((len(rows), balls.shape[1] + 1)), there], dim=1)
        waves = (rows[..., :PLACES, None] * self.frequencies).flatten(2)
        # What blocks add up stays in single precision, also where they compute in half of it.
        tokens = self.embed(torch.cat([rows, waves.sin(), waves.cos()], dim=2)).float()
        tokens = torch.cat([self.collector.expand(len(rows), 1, -1), tokens], dim=1)
        mask = there[:, None, None]
        for block in self.blocks:
            tokens = block(tokens, mask)
        # In full precision: a ranking of thousands needs finer steps than half precision has.
        with torch.autocast(rows.device.type, enabled=False):
            tokens = self.norm(tokens.float() if motion else tokens[:, :1].float())
            logit, touch = self.head(tokens[:, 0]).unbind(dim=1)
            return Prediction(logit, touch, self.motion(tokens[:, 1:]) if motion else None)


def predict(
    network: SceneTransformer,
    scenes: SceneTokens,
    index: npt.NDArray[np.int64],
    actions: Tensor,
    *,
    motion: bool = False,
) -> Prediction:
    """What becomes of attempts, with scenes of about the same size computed together.

    The host knows the sizes of scenes, so it never waits for the device here.

    Args:
        network: the network.
        scenes: the scenes, on its device.
        index: [attempts] the scene of each.
        actions: [attempts, action_size] on its device.
        motion: whether to say where bodies will be, padded to the largest scene there can be.
    """
    device = actions.device
    kind = np.searchsorted(_WIDTHS, scenes.counts[index])
    order = np.argsort(kind, kind="stable")
    scene, place, back = (
        torch.from_numpy(array).to(device) for array in (index[order], order, np.argsort(order))
    )
    balls = ball_rows(actions)[place]
    parts: list[Prediction] = []
    start = 0
    for width, count in zip(_WIDTHS, np.bincount(kind, minlength=len(_WIDTHS)), strict=True):
        if not count:
            continue
        part = slice(start, start := start + int(count))
        with mixed_precision(device):
            rows, there = scenes.gather(scene[part], width)
            found = network(rows, there, balls[part], motion=motion)
        if found.motion is not None:
            pad = (0, 0, 0, MOST_BODIES - width)
            found = found._replace(motion=functional.pad(found.motion, pad))
        parts.append(found)
    moved = [part.motion for part in parts if part.motion is not None]
    return Prediction(
        torch.cat([part.logit for part in parts])[back],
        torch.cat([part.touch for part in parts])[back],
        torch.cat(moved)[back] if motion else None,
    )


@torch.no_grad()
def rank(network: SceneTransformer, scenes: SceneTokens, scene: int, actions: Tensor) -> Tensor:
    """[actions] the logits of actions on one scene."""
    return torch.cat(
        [
            predict(network, scenes, np.full(len(part), scene), part).logit
            for part in torch.split(actions, TOGETHER[actions.device.type])
        ]
    )
