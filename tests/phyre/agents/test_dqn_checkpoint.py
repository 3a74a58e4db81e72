"""Checkpoints: whole or not at all, and nothing but data."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import torch

from topple.phyre.agents.dqn import Dqn, DqnCheckpoint
from topple.phyre.agents.dqn_network import QNetwork
from topple.runs.checkpoint import CheckpointError

CHECKPOINT = DqnCheckpoint(
    settings={"width": 8, "action_hidden_size": 16, "updates": 4},
    run={"agent": "dqn"},
    data="digest",
    action_size=3,
    seed=5,
    done=4,
    planned=4,
    simulator_calls=100,
    network=QNetwork(3, hidden_size=16, width=8).state_dict(),
    optimizer={},
)


class Trap:
    """What a malicious file would hold: reading it plainly would run a command."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('the trap was sprung')",)


def test_written_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "checkpoint.pt"
    CHECKPOINT.write(file)
    found = DqnCheckpoint.read(file)
    assert (found.settings, found.run, found.seed) == (CHECKPOINT.settings, CHECKPOINT.run, 5)
    for name, value in CHECKPOINT.network.items():
        assert torch.equal(found.network[name], value)
    assert [path.name for path in file.parent.iterdir()] == ["checkpoint.pt"]


def test_bad_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.pt"
    with pytest.raises(CheckpointError, match=r"there is no checkpoint .*; train one with"):
        DqnCheckpoint.read(file)
    CHECKPOINT.write(file)
    whole = file.read_bytes()
    for content in (b"", b"no checkpoint", whole[: len(whole) // 2]):
        file.write_bytes(content)
        with pytest.raises(CheckpointError, match="is no checkpoint, or a damaged one"):
            DqnCheckpoint.read(file)
    torch.save({"weights": torch.zeros(1)}, file)
    with pytest.raises(CheckpointError, match="no checkpoint of this version; train again"):
        DqnCheckpoint.read(file)
    torch.save({"format": "topple dqn 1", "seed": 1}, file)
    with pytest.raises(CheckpointError, match="'action_size' is missing or unknown"):
        DqnCheckpoint.read(file)


def test_nothing_a_file_brings_along_is_run(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.pt"
    file.write_bytes(pickle.dumps({"format": "topple dqn 1", "trap": Trap()}))
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        DqnCheckpoint.read(file)
    torch.save({"format": "topple dqn 1", "trap": Trap()}, file)
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        DqnCheckpoint.read(file)


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.pt"
    wrong = {**CHECKPOINT.__dict__, "network": QNetwork(6, hidden_size=16, width=8).state_dict()}
    DqnCheckpoint(**wrong).write(file)
    with pytest.raises(CheckpointError, match="the checkpoint's weights do not fit"):
        Dqn(device="cpu").load(file)
