"""Files with the state of training.

Written whole or not at all, and read without running anything that a file could bring along.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from topple.files import whole_file


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says why and what to do."""


def write_state(path: Path, kind: str, content: dict[str, Any]) -> None:
    """Write tensors and plain values by name, in the place of an earlier file.

    Args:
        path: where to.
        kind: what the file is, with its version.
        content: to be kept.
    """
    with whole_file(path) as temporary:
        torch.save({"format": kind, **content}, temporary)


def read_state(path: Path, kind: str, names: set[str]) -> dict[str, Any]:
    """Read what was written, into the memory of the host.

    Args:
        path: where from.
        kind: what the file has to be.
        names: what it has to hold.

    Raises:
        CheckpointError: The file is missing, damaged, or something else.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path}; train one with `topple train`")
    try:
        with zipfile.ZipFile(path) as archive:  # torch itself does not compare the checksums
            if (broken := archive.testzip()) is not None:
                raise ValueError(f"the checksum of {broken} is wrong")
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises whatever the broken part of a file leads to
        reason = str(error).split(". ")[0].splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError(
            f"{path} is no checkpoint, or a damaged one ({reason}); train again"
        ) from None
    found = content.pop("format", None) if isinstance(content, dict) else None
    if found != kind:
        if isinstance(found, str) and found.rpartition(" ")[0] != kind.rpartition(" ")[0]:
            raise CheckpointError(f"{path} is a checkpoint of {found!r}, not of {kind!r}")
        raise CheckpointError(f"{path} is no checkpoint of this version; train again")
    if set(content) != names:
        odd = sorted(set(content) ^ names)
        raise CheckpointError(f"{path} is no checkpoint: {odd[0]!r} is missing or unknown")
    return dict(content)


def check_settings(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to continue training with other settings or data.

    Args:
        found: the settings in the checkpoint.
        wanted: those that have to agree, by name.

    Raises:
        CheckpointError: A setting differs.
    """
    for name, value in wanted.items():
        if found.get(name) != value:
            raise CheckpointError(
                f"the checkpoint was trained with {name} = {found.get(name)}, not {value}; "
                "use the same settings or another folder"
            )


def half_precision(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights in half precision, in the memory of the host, for small files."""
    return {name: value.to("cpu", torch.float16) for name, value in weights.items()}


def load_weights(network: nn.Module, weights: Mapping[str, Any]) -> None:
    """Load weights into a network.

    Raises:
        CheckpointError: They belong to another network.
    """
    try:
        network.load_state_dict(weights)
    except (RuntimeError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[-1].strip()
        raise CheckpointError(f"the checkpoint's weights do not fit: {reason}") from None
