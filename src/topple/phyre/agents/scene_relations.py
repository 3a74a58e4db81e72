"""How two bodies of a scene lie to each other, as numbers that attention can depend on.

Whether a ball falls on a bar, how close it passes, and from which side it comes, follow from places
and shapes, but a network that is given these body by body has to learn to compare them. Columns,
seen from the first body: where the centre of the second is, right and up, and along and across the
first; the gap between the two; whether they are close, and whether they nearly touch; the gaps
between the boxes around them, sideways and upwards; whether the second is below the first; and
whether these two have to touch.
"""

from __future__ import annotations

import torch
from torch import Tensor

from topple.phyre.agents.scene_tokens import BALL_COLUMN, BOX, CORNER_COLUMNS, DIAMETER, GOALS, TURN

RELATIONS = 11

_CLOSE, _NEARLY_TOUCHING = 0.05, 0.01  # shares of the scene
_FARTHEST = 0.5  # gaps beyond it do not matter


def relations(rows: Tensor) -> Tensor:
    """[scenes, bodies, bodies, RELATIONS] how the second of two bodies lies to the first.

    Args:
        rows: [scenes, bodies, COLUMNS] of :mod:`~topple.phyre.agents.scene_tokens`.
    """
    left, right, low, high = rows[..., BOX].unbind(dim=2)
    centre = torch.stack([left + right, low + high], dim=2) / 2
    way = centre[:, None] - centre[:, :, None]
    right_and_up = way.unbind(dim=3)
    sine, cosine = (part[:, :, None] for part in rows[..., TURN].unbind(dim=2))
    along = right_and_up[0] * cosine + right_and_up[1] * sine
    across = right_and_up[1] * cosine - right_and_up[0] * sine
    gap = _gaps(rows, centre)
    sideways = torch.maximum(left[:, None] - right[:, :, None], left[:, :, None] - right[:, None])
    upwards = torch.maximum(low[:, None] - high[:, :, None], low[:, :, None] - high[:, None])
    below = torch.exp(-sideways.clamp(min=0) / _CLOSE) * (right_and_up[1] < 0)
    first, second = rows[..., GOALS].unbind(dim=2)
    goal = first[:, :, None] * second[:, None]
    columns = [
        *(*right_and_up, along, across, gap.clamp(max=_FARTHEST)),
        torch.exp(-gap.clamp(min=0) / _CLOSE),
        torch.exp(-gap.clamp(min=0) / _NEARLY_TOUCHING),
        *(sideways, upwards, below, goal + goal.transpose(1, 2)),
    ]
    return torch.stack(columns, dim=3)


def _gaps(rows: Tensor, centre: Tensor) -> Tensor:
    """[scenes, bodies, bodies] the gaps between bodies, below 0 where one is inside the other.

    They are exact between balls and bars. Other shapes count as the boxes around them, turned as
    they are, so that a ball is inside the jar that it lies in.
    """
    is_ball = rows[..., BALL_COLUMN] > 0
    radius = torch.where(is_ball, rows[..., DIAMETER] / 2, 0.0)
    offsets = rows[..., CORNER_COLUMNS].reshape(*is_ball.shape, -1, 2)
    corners = rows[:, :, None, :2] + offsets
    corners = torch.where(is_ball[..., None, None], centre[:, :, None], corners)
    sine, cosine = (part[..., None] for part in rows[..., TURN].unbind(dim=2))
    own = torch.stack(
        [
            offsets[..., 0] * cosine + offsets[..., 1] * sine,
            offsets[..., 1] * cosine - offsets[..., 0] * sine,
        ],
        dim=3,
    )
    least, most = own.amin(dim=2), own.amax(dim=2)
    middle, half = (least + most) / 2, (most - least) / 2
    # [scenes, bodies, bodies, corners]: those of the second body, seen from the first.
    x, y = (corners[:, None] - rows[:, :, None, None, :2]).unbind(dim=4)
    sine, cosine = sine[..., None], cosine[..., None]
    beyond = [
        (x * cosine + y * sine - middle[:, :, None, None, 0]).abs() - half[:, :, None, None, 0],
        (y * cosine - x * sine - middle[:, :, None, None, 1]).abs() - half[:, :, None, None, 1],
    ]
    inside = torch.maximum(*beyond).clamp(max=0)
    to_box = torch.hypot(beyond[0].clamp(min=0), beyond[1].clamp(min=0)) + inside
    to_ball = torch.hypot(x, y) - radius[:, :, None, None]
    to_first = torch.where(is_ball[:, :, None, None], to_ball, to_box).amin(dim=3)
    gaps = to_first - radius[:, None]
    return torch.minimum(gaps, gaps.transpose(1, 2))
