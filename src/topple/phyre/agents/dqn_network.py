"""The network of DQN: it predicts whether an action solves the task that an image shows.

The observation encoder has the layers of ResNet-18 (He and others, 2016): an input layer and four
stages of two residual blocks, max-pooled over the image at the end. The action encoder is a
small perceptron that gives a gain and a bias for every channel at a fusion point:

===============  ==========================================================================
fusion place     where gain and bias are applied
===============  ==========================================================================
``last``         the input of the last stage, as published
``first``        the input of the first stage
``all``          the inputs of all four stages, each with an action encoder of its own
``last-single``  the pooled features after the last stage
===============  ==========================================================================

Everything before the first fusion point depends on the image alone (:meth:`QNetwork.encode`),
so it is computed once for all actions on a task.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from topple.phyre.scene import Color

#: One input channel for each of the seven colours, and one that is always zero: tensor cores
#: want multiples of eight, and a channel of zeros changes no result.
CHANNELS = len(Color) + 1
BLOCKS = 2  # residual blocks of a stage
FUSION_PLACES = ("last", "first", "all", "last-single")
STAGES = 4

#: Actions evaluated together. More than this gain nothing, and on a GPU take gigabytes.
_TOGETHER = {"cpu": 250, "cuda": 5_000}

Order = npt.NDArray[np.intp]  # [actions] indices of actions, best first


def _conv(inside: int, outside: int, size: int, stride: int = 1) -> nn.Conv2d:
    # No bias: the batch normalization that follows has one.
    layer = nn.Conv2d(inside, outside, size, stride, padding=size // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    return layer


class Block(nn.Module):
    """Two 3 x 3 convolutions with a residual connection."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(_conv(inside, outside, 3, stride), nn.BatchNorm2d(outside))
        self.second = nn.Sequential(_conv(outside, outside, 3), nn.BatchNorm2d(outside))
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.shortcut = nn.Sequential(
                _conv(inside, outside, 1, stride), nn.BatchNorm2d(outside)
            )

    def forward(self, features: Tensor) -> Tensor:
        """[images, outside, height / stride, width / stride] from the block's input."""
        inner = self.second(functional.relu(self.first(features), inplace=True))
        return functional.relu(inner + self.shortcut(features), inplace=True)


class Fusion(nn.Module):
    """A perceptron on actions that scales and shifts channels.

    Args:
        action_size: size of an action vector.
        channels: channels of the features.
        hidden_size: units of a hidden layer.
        layers: number of hidden layers.
    """

    def __init__(self, action_size: int, channels: int, hidden_size: int, layers: int) -> None:
        super().__init__()
        sizes = [action_size, *[hidden_size] * layers]
        parts: list[nn.Module] = []
        for inside, outside in pairwise(sizes):
            parts += [nn.Linear(inside, outside), nn.ReLU(inplace=True)]
        self.perceptron = nn.Sequential(*parts, nn.Linear(hidden_size, 2 * channels))

    def forward(self, features: Tensor, actions: Tensor) -> Tensor:
        """[actions, channels, ...] features of each action, or of one image for all actions."""
        gain, bias = self.perceptron(actions)[..., None, None].chunk(2, dim=1)
        return torch.addcmul(bias, features, gain)


class QNetwork(nn.Module):
    """A network from an image and an action to the logit of solving the task.

    Args:
        action_size: size of an action vector.
        hidden_size: units of a hidden layer of the action encoder.
        layers: hidden layers of the action encoder.
        fusion_place: one of ``FUSION_PLACES``.
        width: channels of the first stage; each further stage has twice as many.
    """

    def __init__(
        self,
        action_size: int,
        hidden_size: int = 512,
        layers: int = 1,
        fusion_place: str = "last",
        width: int = 64,
    ) -> None:
        super().__init__()
        sizes = [width, *(width << stage for stage in range(STAGES))]  # into and out of stages
        self.codes: Tensor
        self.register_buffer("codes", torch.arange(CHANNELS, dtype=torch.uint8), persistent=False)
        self.input_layer = nn.Sequential(
            _conv(CHANNELS, width, 7, 2),
            nn.BatchNorm2d(width),
            # Pooled before it is rectified: the same numbers, and a quarter of them to rectify.
            nn.MaxPool2d(3, 2, padding=1),
            nn.ReLU(inplace=True),
        )
        self.stages = nn.ModuleList(
            nn.Sequential(
                Block(inside, outside, 1 if stage == 0 else 2),
                *(Block(outside, outside, 1) for _ in range(BLOCKS - 1)),
            )
            for stage, (inside, outside) in enumerate(pairwise(sizes))
        )
        # By the stage they come before; the pooled features come before "stage" 4.
        places = {"last": [3], "first": [0], "all": [0, 1, 2, 3], "last-single": [4]}[fusion_place]
        self.fusions = nn.ModuleDict(
            {str(place): Fusion(action_size, sizes[place], hidden_size, layers) for place in places}
        )
        self._first = min(places)
        self.head = nn.Linear(sizes[-1], 1)

    def encode(self, images: Tensor) -> Tensor:
        """[images, ...] features that depend on images alone.

        Args:
            images: [images, height, width] colour codes as bytes.
        """
        device = images.device.type
        dtype = self.head.weight.dtype
        if torch.is_autocast_enabled(device):
            dtype = torch.get_autocast_dtype(device)
        # By comparison, because one_hot checks its input, which synchronizes with the GPU.
        hot = (images[..., None] == self.codes).to(dtype).permute(0, 3, 1, 2)
        features: Tensor = self.input_layer(hot)
        for stage in list(self.stages)[: self._first]:
            features = stage(features)
        return self._pool(features) if self._first == STAGES else features

    def logits(self, features: Tensor, actions: Tensor) -> Tensor:
        """[actions] logits.

        Args:
            features: those of :meth:`encode`, a row for each action or one for all.
            actions: [actions, action_size] action vectors.
        """
        for place in range(self._first, STAGES + 1):
            if place == STAGES and self._first < STAGES:
                features = self._pool(features)
            if str(place) in self.fusions:
                features = self.fusions[str(place)](features, actions)
            if place < STAGES:
                features = self.stages[place](features)
        # In full precision: a ranking of thousands needs finer steps than half precision has.
        with torch.autocast(features.device.type, enabled=False):
            return cast(Tensor, self.head(features.flatten(1).float()).squeeze(1))

    def forward(self, images: Tensor, actions: Tensor) -> Tensor:
        """[actions] logits, with equally many actions for each image, grouped by image."""
        features = self.encode(images)
        if len(actions) != len(features):
            # Repeated with the channels last, which is how a GPU wants them.
            rows = features.permute(0, 2, 3, 1)
            rows = rows.repeat_interleave(len(actions) // len(features), dim=0)
            features = rows.permute(0, 3, 1, 2)
        return self.logits(features, actions)

    def _pool(self, features: Tensor) -> Tensor:
        return features.amax((2, 3), keepdim=True)


def mixed_precision(device: torch.device) -> AbstractContextManager[Any]:
    """Mixed precision with bfloat16 on a GPU; single precision elsewhere."""
    if device.type == "cuda":
        return torch.autocast("cuda", torch.bfloat16)
    return nullcontext()


def on_device(network: QNetwork, device: torch.device) -> QNetwork:
    """Move the network to a device, in the memory format that suits it."""
    if device.type == "cuda":
        torch.backends.cudnn.benchmark = True  # shapes never change
        return network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]
    return network.to(device)


@torch.no_grad()
def scores(network: QNetwork, image: Tensor, actions: Tensor) -> npt.NDArray[np.float32]:
    """[actions] the network's logits; the features of the image are computed once.

    Args:
        network: the network in evaluation mode.
        image: [height, width] colour codes.
        actions: [actions, action_size] on the same device.
    """
    with mixed_precision(image.device):
        features = network.encode(image[None])
        together = _TOGETHER.get(image.device.type, _TOGETHER["cpu"])
        logits = [network.logits(features, part) for part in torch.split(actions, together)]
    found: npt.NDArray[np.float32] = torch.cat(logits).cpu().numpy()
    return found


def best_first(values: npt.NDArray[np.float32]) -> Order:
    """Indices of actions by their scores; of equal ones the lower index first."""
    return np.argsort(-values, kind="stable")
