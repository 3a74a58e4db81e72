"""Updates on a GPU: a CUDA graph makes those that are made one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from topple.phyre.agents.dqn_network import QNetwork, on_device, scores
from topple.phyre.agents.dqn_updates import CHUNK, Batches, Updates

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

ACTION = 3
DEVICE = torch.device("cuda")


def updates(graph: bool, share: int = 1) -> tuple[QNetwork, Updates]:
    torch.manual_seed(0)
    network = on_device(QNetwork(ACTION, hidden_size=32, width=16), DEVICE)
    images = torch.randint(0, 7, (20, 64, 64), dtype=torch.uint8).to(DEVICE)
    actions = torch.rand(50, ACTION).to(DEVICE)
    outcomes = np.random.default_rng(0).choice(np.array([-1, 0, 1], np.int8), (20, 50))
    return network, Updates(
        network, images, actions, Batches(outcomes, 16, per_task=share, seed=1), graph=graph
    )


@pytest.mark.parametrize("share", [1, 4])
def test_a_graph_changes_no_update(share: int) -> None:
    rates = np.linspace(1e-3, 1e-4, 60, dtype=np.float32)
    losses = []
    for graph in (True, False):
        _, made = updates(graph, share)
        losses.append([made.run(1, rates[k : k + 1]) for k in range(40)])
        made.done = CHUNK - 10  # over the end of a chunk
        losses[-1].append(made.run(20, rates[40:]))
        assert made.failure is None
        assert made.done == CHUNK + 10
    assert losses[0] == pytest.approx(losses[1], rel=0.1, abs=0.02)
    assert np.mean(losses[0][-5:]) < np.mean(losses[0][:5])


def test_scores_of_a_gpu_are_those_of_a_cpu_but_for_precision() -> None:
    network, _ = updates(False)
    image = torch.randint(0, 7, (64, 64), dtype=torch.uint8)
    actions = torch.rand(500, ACTION)
    on_gpu = scores(network.eval(), image.to(DEVICE), actions.to(DEVICE))
    on_cpu = scores(network.cpu().eval(), image, actions)
    assert np.corrcoef(on_gpu, on_cpu)[0, 1] > 0.99
