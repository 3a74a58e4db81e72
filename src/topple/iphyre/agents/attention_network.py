"""The network of Attention Fusion: attention between the bodies of a game, each with its time.

Bodies are rows of the object table, in any order. If asked for, attention also depends on how two
bodies lie to each other, and the network says where bodies go; that is for training alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from topple.iphyre.agents.outcome_data import MOTION, MOTION_TIMES
from topple.iphyre.observe import COLUMNS
from topple.iphyre.sampling import LATEST
from topple.runs.attention import AttentionBlock, Relations, only_to

_RADIUS, _REMOVABLE, _JOINTS = 4, 5, slice(7, 9)  # columns of the object table
_SHAPE = 9  # further features of where a body is
_TIMING = 3  # when it is removed, whether it is, whether it could be and is not
_WAVING = 9  # features that have Fourier features as well: ends, middle, extent, time of removal
_EXPANSION = 2  # hidden features of perceptrons, in widths
_RELATIONS = 11  # of two bodies
_CLOSE = 0.05  # widths of the scene, within which bodies are close to each other
_LEAST = 1e-6  # in place of a length of 0
_NEAR = 0.05  # widths of the scene; larger errors of motion count linearly
_DISTANCE_WEIGHT = 4.0  # of errors of places beside errors of what is out


class AttentionFusion(nn.Module):
    """A transformer over bodies, each with the time of its removal.

    Args:
        layers: attention layers.
        width: size of the features.
        heads: attention heads of each layer.
        frequencies: of the Fourier features of places and times, each twice the one before.
        relations: whether attention depends on how two bodies lie to each other.
        motion: whether it also says where bodies go.
    """

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        frequencies: int = 0,
        *,
        relations: bool = False,
        motion: bool = False,
    ) -> None:
        super().__init__()
        self.has_relations = relations
        self.bodies = nn.Linear(COLUMNS + _SHAPE + _TIMING + 2 * _WAVING * frequencies, width)
        self.frequencies: Tensor
        waves = torch.pi * 2.0 ** torch.arange(frequencies)
        self.register_buffer("frequencies", waves, persistent=False)
        if relations:
            self.blocks = nn.ModuleList(
                AttentionBlock(width, heads, _EXPANSION) for _ in range(layers)
            )
            self.relations = Relations(_RELATIONS, layers, heads)
        else:
            # Its bits are those of the committed records; it takes no numbers to add to attention.
            layer = nn.TransformerEncoderLayer(
                width, heads, _EXPANSION * width, 0.0, "gelu", batch_first=True, norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 2)
        )
        if motion:
            self.motion = nn.Sequential(
                nn.LayerNorm(width), nn.Linear(width, len(MOTION_TIMES) * MOTION)
            )

    def forward(self, tables: Tensor, times: Tensor) -> Tensor:
        """[plans, 2] scores of [plans, 12, 9] scenes and [plans, 12] times."""
        return self._scores(*self._features(tables, times))

    def watch(self, tables: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        """[plans, 2] scores, and [plans, 12, times, MOTION] where bodies go."""
        features, there = self._features(tables, times)
        motion: Tensor = self.motion(features).unflatten(2, (len(MOTION_TIMES), MOTION))
        return self._scores(features, there), motion

    def _features(self, tables: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        """[plans, 12, width] of bodies, and [plans, 12] whether there is a body."""
        there = tables.any(dim=2)
        ends = tables[..., :4].reshape(*tables.shape[:2], 2, 2)  # first and second, x and y
        across = ends[..., 1, :] - ends[..., 0, :]
        middle, when = ends.mean(dim=2), times[..., None] / LATEST
        waving = torch.cat([tables[..., :4], middle, across, when], dim=2)
        waves = (waving[..., None] * self.frequencies).flatten(2)
        parts = (
            tables,
            middle,
            across,
            across.norm(dim=2, keepdim=True),
            ends.amin(dim=2),
            ends.amax(dim=2),
            when,
            (times > 0)[..., None].to(times.dtype),
            ((times <= 0) & (tables[..., _REMOVABLE] > 0))[..., None].to(times.dtype),
            waves.sin(),
            waves.cos(),
        )
        # Half precision would move bodies by a pixel.
        with torch.autocast(tables.device.type, enabled=False):
            features: Tensor = self.bodies(torch.cat(parts, dim=2))
            added = self.relations(relations(tables)) if self.has_relations else None
        if added is None:
            return self.layers(features, src_key_padding_mask=~there), there
        for block, own in zip(self.blocks, only_to(there, added), strict=True):
            features = block(features, own)
        return features, there

    def _scores(self, features: Tensor, there: Tensor) -> Tensor:
        counted = there[..., None].to(features.dtype)
        scores: Tensor = self.head((features * counted).sum(dim=1) / counted.sum(dim=1))
        return scores


def relations(tables: Tensor) -> Tensor:
    """[scenes, 12, 12, relations] how the second of two bodies lies to the first.

    Where its centre is and where its nearest point is, seen from the first one, both in the scene
    and, of the centre, along and across the first; how far they are apart; whether it is close, and
    whether it is below; whether a stick or a spring joins them.

    Args:
        tables: [scenes, 12, 9] object tables.
    """
    first, last = tables[..., :2], tables[..., 2:4]
    centre, along = (first + last) / 2, functional.normalize(last - first, dim=2, eps=_LEAST)
    to_centre = centre[:, None] - centre[:, :, None]
    # The line between two segments that is shortest starts or ends at an end of one of them.
    from_ends = [
        _to_segment(end[:, :, None], first[:, None], last[:, None]) for end in (first, last)
    ]
    to_ends = [
        -_to_segment(end[:, None], first[:, :, None], last[:, :, None]) for end in (first, last)
    ]
    lines = torch.stack([*from_ends, *to_ends], dim=3)
    shortest = lines.square().sum(dim=4).argmin(dim=3)
    nearest = lines.take_along_dim(shortest[..., None, None], dim=3).squeeze(3)
    radius = tables[..., _RADIUS]
    gap = nearest.norm(dim=3) - radius[:, :, None] - radius[:, None]
    close = torch.exp(-gap.clamp(min=0) / _CLOSE)
    below = torch.exp(-nearest[..., 0].abs() / _CLOSE) * (nearest[..., 1] > 0)
    ahead = (to_centre * along[:, :, None]).sum(dim=3)
    aside = to_centre[..., 0] * along[:, :, None, 1] - to_centre[..., 1] * along[:, :, None, 0]
    joint = tables[..., _JOINTS]
    joined = ((joint[:, :, None] == joint[:, None]) & (joint[:, :, None] > 0)).to(tables.dtype)
    more = torch.stack([gap, close, below, ahead, aside], dim=3)
    return torch.cat([to_centre, nearest, more, joined], dim=3)


def _to_segment(point: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """The way from points to the nearest points of segments."""
    along = last - first
    length = along.square().sum(dim=-1, keepdim=True).clamp(min=_LEAST**2)
    share = ((point - first) * along).sum(dim=-1, keepdim=True) / length
    return first + share.clamp(0, 1) * along - point


def motion_error(said: Tensor, motion: Tensor) -> Tensor:
    """The mean error of where bodies go, of those that can move: smooth L1, and cross-entropy.

    Args:
        said: [plans, 12, times, MOTION] what the network says.
        motion: [plans, 12, times, MOTION] what happened.
    """
    known = ~motion[..., 0].isnan()
    motion = motion.nan_to_num()
    came = functional.smooth_l1_loss(said[..., :2], motion[..., :2], beta=_NEAR, reduction="none")
    out = functional.binary_cross_entropy_with_logits(
        said[..., 2], motion[..., 2], reduction="none"
    )
    # Weighted and not selected: a selection would have to wait for the GPU to count it.
    errors = (_DISTANCE_WEIGHT * came.mean(dim=-1) + out) * known
    return errors.sum() / known.sum()
