"""Files of weights: written whole or not at all, read without running what they could bring."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from topple.observe.frame_files import whole_file


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says why and what to do."""


def write_torch(path: Path, kind: str, content: Mapping[str, Any]) -> None:
    """Write plain values and tensors, in the place of an earlier file.

    Args:
        path: where to.
        kind: what the file is and its version, to be told apart from others.
        content: by name.
    """
    with whole_file(path) as temporary:
        torch.save({"format": kind, **content}, temporary)


def read_torch(path: Path, kind: str, names: Collection[str]) -> dict[str, Any]:
    """Read a file of a kind into the memory of the host; it holds just these names.

    Raises:
        CheckpointError: The file is missing, damaged, or something else.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path}; train one with `topple train`")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises whatever the broken part of a file leads to
        reason = str(error).split(". ")[0].splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError(
            f"{path} is no checkpoint, or a damaged one ({reason}); train again"
        ) from None
    if not isinstance(content, dict) or content.pop("format", None) != kind:
        raise CheckpointError(f"{path} is no checkpoint of this version; train again")
    if set(content) != set(names):
        odd = sorted(set(content) ^ set(names))
        raise CheckpointError(f"{path} is no checkpoint: {odd[0]!r} is missing or unknown")
    return content


def load_weights(network: nn.Module, weights: Mapping[str, Any]) -> None:
    """Put weights into a network.

    Raises:
        CheckpointError: They are those of another network.
    """
    try:
        network.load_state_dict(weights)
    except (RuntimeError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[-1].strip()
        raise CheckpointError(f"the checkpoint's weights do not fit: {reason}") from None
