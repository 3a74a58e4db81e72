"""What training that takes long has in common in both benchmarks."""

from __future__ import annotations

CHECKPOINT = "checkpoint.pt"  # in a training folder; training goes on from it


def no_training(name: str) -> ValueError:
    """The error that tells an agent needs no training of its own."""
    return ValueError(f"agent {name!r} needs no training beforehand; use `topple evaluate`")
