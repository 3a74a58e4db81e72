"""The network of DQN: how likely does an action solve what an image shows?

The observation encoder has the layers of ResNet-18 (He and others, 2016): a stem and four
stages of two residual blocks, max-pooled over the image at the end. The action encoder is a
small perceptron that gives a gain and a bias for every channel at a fusion point:

===============  ==========================================================================
fusion           where gain and bias are applied
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

from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from topple.phyre.scene import Color

#: One input channel for each of the seven colours, and one that is always zero: tensor cores
#: want multiples of eight, and a channel of zeros changes no result.
CHANNELS = len(Color) + 1
BLOCKS = 2  # of a stage
FUSIONS = ("last", "first", "all", "last-single")
STAGES = 4


def _conv(inside: int, outside: int, size: int, stride: int = 1) -> nn.Conv2d:
    # No bias: the batch normalization that follows has one.
    layer = nn.Conv2d(inside, outside, size, stride, padding=size // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    return layer


class Block(nn.Module):
    """Two 3 x 3 convolutions and a way around them."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(_conv(inside, outside, 3, stride), nn.BatchNorm2d(outside))
        self.second = nn.Sequential(_conv(outside, outside, 3), nn.BatchNorm2d(outside))
        self.around: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.around = nn.Sequential(_conv(inside, outside, 1, stride), nn.BatchNorm2d(outside))

    def forward(self, features: Tensor) -> Tensor:
        """[images, outside, height / stride, width / stride] from the block's input."""
        inner = self.second(functional.relu(self.first(features), inplace=True))
        return functional.relu(inner + self.around(features), inplace=True)


class Fusion(nn.Module):
    """A perceptron on actions that scales and shifts channels.

    Args:
        action_size: numbers of an action.
        channels: of the features.
        hidden: units of a hidden layer.
        layers: how many hidden layers.
    """

    def __init__(self, action_size: int, channels: int, hidden: int, layers: int) -> None:
        super().__init__()
        sizes = [action_size, *[hidden] * layers]
        parts: list[nn.Module] = []
        for inside, outside in pairwise(sizes):
            parts += [nn.Linear(inside, outside), nn.ReLU(inplace=True)]
        self.perceptron = nn.Sequential(*parts, nn.Linear(hidden, 2 * channels))

    def forward(self, features: Tensor, actions: Tensor) -> Tensor:
        """[actions, channels, ...] features of each action, or of one image for all actions."""
        gain, bias = self.perceptron(actions)[..., None, None].chunk(2, dim=1)
        return torch.addcmul(bias, features, gain)


class QNetwork(nn.Module):
    """Image and action in, the logit of solving out.

    Args:
        action_size: numbers of an action.
        hidden: units of a hidden layer of the action encoder.
        layers: hidden layers of the action encoder.
        fusion: one of ``FUSIONS``.
        width: channels of the first stage; each further stage has twice as many.
    """

    def __init__(
        self,
        action_size: int,
        hidden: int = 512,
        layers: int = 1,
        fusion: str = "last",
        width: int = 64,
    ) -> None:
        super().__init__()
        sizes = [width, *(width << stage for stage in range(STAGES))]  # into and out of stages
        self.codes: Tensor
        self.register_buffer("codes", torch.arange(CHANNELS, dtype=torch.uint8), persistent=False)
        self.stem = nn.Sequential(
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
        places = {"last": [3], "first": [0], "all": [0, 1, 2, 3], "last-single": [4]}[fusion]
        self.fusions = nn.ModuleDict(
            {str(place): Fusion(action_size, sizes[place], hidden, layers) for place in places}
        )
        self._first = min(places)
        self.decide = nn.Linear(sizes[-1], 1)

    def encode(self, images: Tensor) -> Tensor:
        """[images, ...] what depends on images alone.

        Args:
            images: [images, height, width] colour codes as bytes.
        """
        device = images.device.type
        dtype = self.decide.weight.dtype
        if torch.is_autocast_enabled(device):
            dtype = torch.get_autocast_dtype(device)
        # By comparison, because one_hot checks its input, which makes the host wait.
        hot = (images[..., None] == self.codes).to(dtype).permute(0, 3, 1, 2)
        features: Tensor = self.stem(hot)
        for stage in list(self.stages)[: self._first]:
            features = stage(features)
        return self._pool(features) if self._first == STAGES else features

    def judge(self, features: Tensor, actions: Tensor) -> Tensor:
        """[actions] logits.

        Args:
            features: of :meth:`encode`, a row for each action or one for all.
            actions: [actions, action_size].
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
            return cast(Tensor, self.decide(features.flatten(1).float()).squeeze(1))

    def forward(self, images: Tensor, actions: Tensor) -> Tensor:
        """[actions] logits, with as many actions for each image, those of one image together."""
        features = self.encode(images)
        if len(actions) != len(features):
            # Repeated with the channels last, which is how a GPU wants them.
            rows = features.permute(0, 2, 3, 1)
            rows = rows.repeat_interleave(len(actions) // len(features), dim=0)
            features = rows.permute(0, 3, 1, 2)
        return self.judge(features, actions)

    def _pool(self, features: Tensor) -> Tensor:
        return features.amax((2, 3), keepdim=True)
