"""The network of the transformer agent: attention between the bodies of a scene and the balls.

Tokens are those of :mod:`~topple.phyre.agents.scene_tokens`, places with Fourier features, and one
token of no body that collects what the others tell. Its output is the logit of solving the task,
and how long the goal bodies touch. The outputs of the other tokens say where each body will be;
these auxiliary outputs are for training alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from topple.phyre.agents.dqn_network import mixed_precision
from topple.phyre.agents.scene_relations import RELATIONS, relations
from topple.phyre.agents.scene_tokens import COLUMNS, PLACES, SceneTokens, ball_rows
from topple.runs.attention import AttentionBlock, Relations, only_to

FREQUENCIES = 8  # of the Fourier features, each twice the one before
TIMES = (1, 2, 4, 8)  # seconds after which the network says where bodies are
MOTION = 2 * len(TIMES) + 4  # x and y then and at the end, sine and cosine of the turn
#: Tokens that attempts are padded to: multiples of eight, which a GPU likes best.
LENGTHS = (8, 16, 24, 40, 72)
TOGETHER = {"cpu": 512, "cuda": 16_384}  # actions ranked together
#: Kernels of attention on a GPU, the best first; PyTorch's own choice is slower with few tokens.
KERNELS = (SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH)


class Prediction(NamedTuple):
    """What the network says of attempts."""

    logit: Tensor  # [attempts] of solving the task
    touch: Tensor  # [attempts] for which share of the needed time the goal bodies touch
    summary: Tensor  # [attempts, width] what both were read from
    motion: Tensor | None  # [watched, balls + bodies, MOTION] of the last attempts, if any


class SceneTransformer(nn.Module):
    """A transformer from bodies and balls to what becomes of them.

    Args:
        width: size of a token.
        layers: number of blocks.
        heads: attention heads of each.
        has_relations: whether attention depends on how two bodies lie to each other.

    Attributes:
        kernels: of attention on a GPU, the first that can be used; None: PyTorch's own choice.
    """

    def __init__(
        self, width: int = 256, layers: int = 6, heads: int = 8, *, has_relations: bool = False
    ) -> None:
        super().__init__()
        self.kernels: Sequence[SDPBackend] | None = KERNELS
        self.embed = nn.Linear(COLUMNS + 2 * PLACES * FREQUENCIES, width)
        self.collector = nn.Parameter(torch.zeros(width))
        self.blocks = nn.ModuleList(AttentionBlock(width, heads) for _ in range(layers))
        self.relations = Relations(RELATIONS, layers, heads) if has_relations else None
        self.norm = nn.LayerNorm(width)
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 2))
        self.motion = nn.Linear(width, MOTION)
        self.frequencies: Tensor
        waves = torch.pi * 2.0 ** torch.arange(FREQUENCIES)
        self.register_buffer("frequencies", waves, persistent=False)

    def compile_blocks(self) -> None:
        """Have the blocks compiled at first use: all of them alike, so as good as one."""
        for block in self.blocks:
            block.compile()

    def forward(
        self, rows: Tensor, there: Tensor, balls: Tensor, *, watched: int = 0
    ) -> Prediction:
        """What becomes of attempts.

        Args:
            rows: [attempts, bodies, COLUMNS].
            there: [attempts, bodies] whether there is a body.
            balls: [attempts, balls, COLUMNS].
            watched: of how many attempts, the last ones, to say where bodies will be.
        """
        rows = torch.cat([balls, rows], dim=1)
        there = torch.cat([there.new_ones((len(rows), balls.shape[1] + 1)), there], dim=1)
        waves = (rows[..., :PLACES, None] * self.frequencies).flatten(2)
        # What blocks add up stays in single precision, also where they compute in half of it.
        tokens = self.embed(torch.cat([rows, waves.sin(), waves.cos()], dim=2)).float()
        tokens = torch.cat([self.collector.expand(len(rows), 1, -1), tokens], dim=1)
        masks = self._masks(rows, there)
        with sdpa_kernel(list(self.kernels)) if self.kernels and tokens.is_cuda else nullcontext():
            for block, mask in zip(self.blocks, masks, strict=True):
                tokens = block(tokens, mask)
        # In full precision: a ranking of thousands needs finer steps than half precision has.
        with torch.autocast(rows.device.type, enabled=False):
            summary = self.norm(tokens[:, 0].float())
            logit, touch = self.head(summary).unbind(dim=1)
            last = tokens[len(tokens) - watched :, 1:].float()
            motion = self.motion(self.norm(last)) if watched else None
            return Prediction(logit, touch, summary, motion)

    def _masks(self, rows: Tensor, there: Tensor) -> Sequence[Tensor]:
        """What attention is given to in each block, or what is added to it."""
        if self.relations is None:
            return [there[:, None, None]] * len(self.blocks)
        # Half precision would move bodies by a pixel.
        with torch.autocast(rows.device.type, enabled=False):
            added = self.relations(relations(rows))
        # The first token is no body, so it lies nowhere.
        masks = only_to(there, functional.pad(added, (1, 0, 1, 0)))
        return [mask.contiguous() for mask in masks]


def length_kinds(counts: npt.NDArray[np.int64], balls: int) -> npt.NDArray[np.intp]:
    """[scenes] the place in ``LENGTHS`` of the shortest that holds so many bodies."""
    return np.searchsorted(LENGTHS, counts + balls + 1)


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
    balls = ball_rows(actions)
    kind = length_kinds(scenes.counts[index], balls.shape[1])
    order = np.argsort(kind, kind="stable")
    scene, place, back = (
        torch.from_numpy(array).to(device) for array in (index[order], order, np.argsort(order))
    )
    balls = balls[place]
    parts: list[Prediction] = []
    start = 0
    with mixed_precision(device):
        for length, count in zip(LENGTHS, np.bincount(kind, minlength=len(LENGTHS)), strict=True):
            if not count:
                continue
            part = slice(start, start := start + int(count))
            rows, there = scenes.gather(scene[part], length - balls.shape[1] - 1)
            watched = int(count) if motion else 0
            found = network(rows, there, balls[part], watched=watched)
            if found.motion is not None:
                found = found._replace(
                    motion=functional.pad(found.motion, (0, 0, 0, LENGTHS[-1] - length))
                )
            parts.append(found)
    moved = [part.motion for part in parts if part.motion is not None]
    logit, touch, summary = (
        torch.cat(tensors)[back] for tensors in zip(*(part[:3] for part in parts), strict=True)
    )
    return Prediction(logit, touch, summary, torch.cat(moved)[back] if motion else None)


@torch.no_grad()
def rank(
    network: SceneTransformer, scenes: SceneTokens, scene: int, actions: Tensor
) -> tuple[Tensor, Tensor]:
    """[actions] the logits of actions on one scene, and [actions, width] what says so."""
    parts = [
        predict(network, scenes, np.full(len(part), scene), part)
        for part in torch.split(actions, TOGETHER[actions.device.type])
    ]
    return torch.cat([part.logit for part in parts]), torch.cat([part.summary for part in parts])
