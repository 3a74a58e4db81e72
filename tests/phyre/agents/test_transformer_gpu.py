"""Updates of the transformer on a GPU: a CUDA graph makes those that are made one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from topple.phyre import Tier
from topple.phyre.action import listed_actions
from topple.phyre.agents.lessons import Lessons
from topple.phyre.agents.puzzle_supply import Recipe
from topple.phyre.agents.transformer_network import SceneTransformer
from topple.phyre.agents.transformer_updates import TransformerUpdates
from topple.phyre.scramble import LIST_LENGTH, Free

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def losses(device: str, *, graph: bool) -> list[float]:
    """The mean losses of 20 times 10 updates, which learn two dozen puzzles by heart."""
    lessons = Lessons(listed_actions(Tier.BALL, LIST_LENGTH), 0.0, 0.5, device)
    recipe = Recipe([(Free(Tier.BALL), 20)], 1, 64, 8, 2, "cpu")
    lessons.add_puzzles([recipe.part(0, number) for number in range(2)])
    torch.manual_seed(0)
    network = SceneTransformer(64, 2, 4).to(device)
    updates = TransformerUpdates(network, lessons, 1.0, graph=graph)
    found = []
    for number in range(5):
        updates.load(lessons.draw(40, 128, 16, 1, number))
        found += [updates.run(np.full(10, 2e-3, np.float32)) for _ in range(4)]
    assert updates.failure is None
    return found


@pytest.mark.parametrize("graph", [False, True])
def test_a_gpu_learns_what_a_cpu_learns_with_a_graph_and_without(graph: bool) -> None:
    on_gpu, on_cpu = losses("cuda", graph=graph), losses("cpu", graph=False)
    assert on_gpu[:6] == pytest.approx(on_cpu[:6], rel=0.02)
    assert max(on_gpu[-1], on_cpu[-1]) < 0.4
