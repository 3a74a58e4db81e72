"""Fitting on a GPU: the network learns there, goes on there, and comes back to play."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import torch

from topple.iphyre.agents.decision_transformer import DecisionTransformer
from topple.iphyre.agents.fusion import Fusion
from topple.iphyre.agents.outcome_data import sample_examples
from topple.iphyre.agents.sequence_data import collect_sequences
from topple.iphyre.games import game_named
from topple.runs.agent import TrainingOptions

GAMES = (game_named("support"), game_named("hinder"))
HAS_GPU = torch.cuda.is_available()
on_gpu = pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")


def devices(network: torch.nn.Module) -> set[str]:
    return {parameter.device.type for parameter in network.parameters()}


@pytest.mark.parametrize("agent", [Fusion, DecisionTransformer])
def test_a_device_is_one_that_there_is(agent: type[Fusion]) -> None:
    assert agent().device == "cpu"
    assert agent(device="auto").device == ("cuda" if HAS_GPU else "cpu")
    with pytest.raises(ValueError, match="device is 'tpu'; use 'cpu', 'cuda' or 'auto'"):
        agent(device="tpu")


@pytest.mark.skipif(HAS_GPU, reason="there is a GPU")
def test_a_missing_gpu_is_named() -> None:
    with pytest.raises(ValueError, match="there is no GPU here; use 'cpu' or 'auto'"):
        Fusion(device="cuda")


@on_gpu
@pytest.mark.parametrize("kind", ["global", "object", "vision"])
def test_classifiers_learn_on_a_gpu(kind: str, tmp_path: Path) -> None:
    examples = sample_examples(GAMES, 20)
    stopped = Fusion(kind=kind, n_epochs=30, n_layers=1, device="cuda")
    part = stopped.fit(examples, 0, TrainingOptions(tmp_path / "fit.pt"))
    list(islice(part, 3))
    assert devices(stopped.network) == {"cuda"}
    part.close()  # type: ignore[attr-defined]
    agent = Fusion(kind=kind, n_epochs=30, n_layers=1, device="cuda")
    assert len(list(agent.fit(examples, 0, TrainingOptions(tmp_path / "fit.pt")))) == 27
    assert devices(agent.network) == {"cpu"}
    assert agent.accuracy(examples) > 0.75


@on_gpu
def test_a_decision_transformer_starts_alike_on_a_gpu() -> None:
    sequences = collect_sequences(GAMES, 4)
    first = []
    for device in ("cpu", "cuda"):
        agent = DecisionTransformer(
            embed_dim=32, n_layers=1, dropout=0.0, n_epochs=3, device=device
        )
        first.append([report.loss for report in agent.fit(sequences, 0)])
        assert devices(agent.network) == {"cpu"}
    assert first[0] == pytest.approx(first[1], rel=1e-3)
