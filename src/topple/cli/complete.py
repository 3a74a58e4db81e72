"""Shell completion of names; those that take long to load are looked up when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def agents() -> list[str]:
    """Name the agents of both benchmarks."""
    from topple.runs.benchmark import BENCHMARKS, find_benchmark

    return list(dict.fromkeys(name for each in BENCHMARKS for name in find_benchmark(each).agents))


def splits() -> list[str]:
    """Name the splits of I-PHYRE."""
    from topple.iphyre.split import Split

    return [split.value for split in Split]


def games() -> list[str]:
    """Name the games of I-PHYRE."""
    from topple.iphyre.games import ALL

    return [game.name for game in ALL]


def presets() -> list[str]:
    """Name the presets of data sets."""
    from topple.datasets.presets import preset_names

    return preset_names()


#: Names, or a function that looks them up.
Source = Iterable[str] | Callable[[], Iterable[str]]


def one_of(*sources: Source) -> Callable[[str], list[str]]:
    """Complete one name."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in _names(sources) if name.startswith(incomplete)]

    return complete


def by_commas(*sources: Source) -> Callable[[str], list[str]]:
    """Complete the last of several comma-separated names."""

    def complete(incomplete: str) -> list[str]:
        before, comma, word = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in _names(sources) if name.startswith(word)]

    return complete


def _names(sources: Iterable[Source]) -> list[str]:
    return [name for each in sources for name in (each() if callable(each) else each)]
