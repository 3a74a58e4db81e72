"""Shell completion of names. Each function imports what it needs only when it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def agents() -> list[str]:
    """Name the agents of both benchmarks."""
    from topple.runs.benchmark import BENCHMARKS, find_benchmark

    return list(dict.fromkeys(name for each in BENCHMARKS for name in find_benchmark(each).agents))


def tiers() -> list[str]:
    """Name the tiers of PHYRE."""
    from topple.phyre.tier import Tier

    return [tier.value for tier in Tier]


def templates() -> list[str]:
    """Name the published templates of PHYRE."""
    from topple.phyre.tier import Tier

    return [name for tier in Tier for name in tier.template_ids]


def setups() -> list[str]:
    """Name the evaluation setups of PHYRE."""
    from topple.phyre.fold import Setup

    return [setup.value for setup in Setup]


def splits() -> list[str]:
    """Name the splits of I-PHYRE."""
    from topple.iphyre.split import Split

    return [split.value for split in Split]


def games() -> list[str]:
    """Name the games of I-PHYRE."""
    from topple.iphyre.games import ALL

    return [game.name for game in ALL]


def backends() -> list[str]:
    """Name the devices that attempts are simulated on."""
    from topple.phyre.engine.backend import BACKENDS

    return list(BACKENDS)


def presets() -> list[str]:
    """Name the presets of data sets."""
    from topple.datasets.presets import preset_names

    return preset_names()


def one_of(*sources: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Complete one name."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in _names(sources) if name.startswith(incomplete)]

    return complete


def by_commas(*sources: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Complete the last of several comma-separated names."""

    def complete(incomplete: str) -> list[str]:
        before, comma, word = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in _names(sources) if name.startswith(word)]

    return complete


def _names(sources: Iterable[Callable[[], Iterable[str]]]) -> list[str]:
    return [name for source in sources for name in source()]
