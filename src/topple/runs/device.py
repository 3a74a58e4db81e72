"""Where networks are trained: on the processor or on a GPU."""

from __future__ import annotations

import torch

CPU, CUDA, AUTO = "cpu", "cuda", "auto"


def chosen_device(device: str) -> str:
    """The device a setting means: cpu or cuda; auto is a GPU if there is one.

    Raises:
        ValueError: It is none of these, or there is no GPU.
    """
    if device not in (CPU, CUDA, AUTO):
        raise ValueError(f"device is {device!r}; use {CPU!r}, {CUDA!r} or {AUTO!r}")
    has_gpu = torch.cuda.is_available()
    if device == CUDA and not has_gpu:
        raise ValueError(f"device is {CUDA!r}, but there is no GPU here; use {CPU!r} or {AUTO!r}")
    if device == AUTO:
        return CUDA if has_gpu else CPU
    return device
