"""The network of DQN: its layers, its fusion points, and what is shared between actions."""

from __future__ import annotations

import pytest
import torch

from topple.phyre.agents.dqn_network import FUSION_PLACES, QNetwork, best_first, scores

ACTION = 3
# ResNet-18 has 11,689,512 weights: 513,000 of them belong to the last layer for 1,000 classes,
# 9,408 to a first convolution of three channels, which here has eight.
BODY = 11_689_512 - 513_000 - 9_408
STEM = 64 * 8 * 7 * 7
DECISION = 512 + 1


def perceptron(channels: int, hidden: int = 512, layers: int = 1) -> int:
    inner = (layers - 1) * (hidden + 1) * hidden
    return (ACTION + 1) * hidden + inner + (hidden + 1) * 2 * channels


@pytest.mark.parametrize(
    ("fusion", "channels"),
    [("last", [256]), ("first", [64]), ("all", [64, 64, 128, 256]), ("last-single", [512])],
)
def test_weights_are_those_of_the_published_network(fusion: str, channels: list[int]) -> None:
    network = QNetwork(ACTION, fusion_place=fusion)
    expected = BODY + STEM + DECISION + sum(map(perceptron, channels))
    assert sum(weights.numel() for weights in network.parameters()) == expected


def test_the_action_encoder_can_be_wider_and_deeper() -> None:
    network = QNetwork(ACTION, hidden_size=1024, layers=2)
    expected = BODY + STEM + DECISION + perceptron(256, 1024, 2)
    assert sum(weights.numel() for weights in network.parameters()) == expected


def images(count: int, size: int = 64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 7, (count, size, size), dtype=torch.uint8, generator=generator)


def actions(count: int) -> torch.Tensor:
    return torch.rand(count, ACTION, generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("fusion", FUSION_PLACES)
def test_actions_share_what_depends_on_the_image(fusion: str) -> None:
    network = QNetwork(ACTION, hidden_size=16, fusion_place=fusion, width=8).eval()
    picture, listed = images(1), actions(300)
    with torch.no_grad():
        alone = network(picture.expand(300, -1, -1), listed)
        shared = network(picture, listed)
    ranked = torch.from_numpy(scores(network, picture[0], listed))
    torch.testing.assert_close(shared, alone, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(ranked, alone, rtol=1e-4, atol=1e-5)
    assert alone.std() > 0  # actions matter


def test_every_attempt_gets_the_image_of_its_group() -> None:
    network = QNetwork(ACTION, hidden_size=16, width=8).eval()
    pictures, listed = images(3), actions(6)
    with torch.no_grad():
        grouped = network(pictures, listed)
        one_by_one = network(pictures.repeat_interleave(2, dim=0), listed)
    torch.testing.assert_close(grouped, one_by_one, rtol=1e-4, atol=1e-5)


def test_the_eighth_channel_is_never_used() -> None:
    network = QNetwork(ACTION, hidden_size=16, width=8)
    network(images(2), actions(2)).sum().backward()
    first = network.input_layer[0]
    assert isinstance(first, torch.nn.Conv2d)
    gradient = first.weight.grad
    assert gradient is not None
    assert gradient[:, 7].abs().max() == 0
    assert (gradient[:, :7].abs().amax((0, 2, 3)) > 0).all()


def test_equal_scores_keep_the_order_of_the_list() -> None:
    values = torch.tensor([0.5, 2.0, 0.5, 2.0, -1.0]).numpy()
    assert best_first(values).tolist() == [1, 3, 0, 2, 4]
