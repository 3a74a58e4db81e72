"""Rankings of the listed actions on a task by a network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from topple.phyre.action import Actions
from topple.phyre.agents.network import QNetwork
from topple.phyre.agents.updates import mixed_precision

#: Actions judged together. More than this gain nothing, and on a GPU take gigabytes.
_TOGETHER = {"cpu": 250, "cuda": 5_000}

Order = npt.NDArray[np.intp]  # [actions] numbers of actions, best first


@torch.no_grad()
def scores(network: QNetwork, image: Tensor, actions: Tensor) -> npt.NDArray[np.float32]:
    """[actions] the network's logits; what depends on the image alone is computed once.

    Args:
        network: in its state for use, ``eval()``.
        image: [height, width] colour codes.
        actions: [actions, action_size] on the same device.
    """
    with mixed_precision(image.device):
        features = network.encode(image[None])
        together = _TOGETHER.get(image.device.type, _TOGETHER["cpu"])
        logits = [network.judge(features, part) for part in torch.split(actions, together)]
    found: npt.NDArray[np.float32] = torch.cat(logits).cpu().numpy()
    return found


def best_first(values: npt.NDArray[np.float32]) -> Order:
    """Numbers of actions by their scores; of equal ones the lower number first."""
    return np.argsort(-values, kind="stable")


def spread(
    order: Order,
    actions: Actions,
    valid: npt.NDArray[np.bool_],
    distance: float,
    count: int,
) -> Order:
    """A ranking without actions close to earlier ones, for the first attempts.

    Going down the ranking, an action is put off if it lies closer than ``distance`` to one
    taken before; what was put off follows at the end, in its old order, for tasks on which
    too few actions are far enough from each other.

    Args:
        order: numbers of actions, best first.
        actions: [actions, action_size] by their numbers.
        valid: [actions] whether each is valid on the task; others never become attempts.
        distance: Euclidean, between actions as vectors.
        count: attempts to choose.
    """
    rest = order[valid[order]]
    free = np.ones(len(rest), bool)
    vectors = actions[rest]
    taken: list[int] = []
    while len(taken) < count and free.any():
        place = int(free.argmax())  # the first that is free
        taken.append(place)
        free &= ((vectors - vectors[place]) ** 2).sum(axis=1) >= distance**2
        free[place] = False
    others = np.ones(len(rest), bool)
    others[taken] = False
    return np.concatenate([rest[taken], rest[others]])
