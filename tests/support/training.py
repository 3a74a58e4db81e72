"""Training that ends half-way, and what it leaves in a network."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice

import torch
from torch import nn

from topple.runs.agent import Report


def stop_after(count: int, reports: Iterator[Report]) -> None:
    """End a training after some reports, as Ctrl-C would."""
    assert isinstance(reports, Generator)
    list(islice(reports, count))
    reports.close()


def same_weights(one: nn.Module | None, other: nn.Module | None) -> bool:
    """Whether two trained networks are equal to the last bit."""
    assert one is not None
    assert other is not None
    found, expected = one.state_dict(), other.state_dict()
    assert found.keys() == expected.keys()
    return all(torch.equal(found[name], value) for name, value in expected.items())
