"""The rules: time, reward, limits, and the published quirks that scores depend on."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from itertools import accumulate, repeat

from topple.iphyre.engine.batch import Engine, Exit, Params, Request
from topple.iphyre.engine.native import NativeRules, native_exit
from topple.iphyre.game import HEIGHT, WIDTH

SECONDS = 15  # an episode lasts at most this long
TIME_REWARD = -1.0  # per second
ELIMINATION_REWARD = -10.0  # per block removed
SUCCESS_REWARD = 1000.0


class Quirk(Enum):
    """Oddities of the original that scores depend on; the published rules keep them all."""

    CONSTANT_INERTIA = "every blue block turns as easily as one of length zero"
    NO_HOLE = "a ball is out anywhere below y = 600, also beside the scene"
    ONE_REMOVAL_PER_TICK = "a second block due at the same tick waits for the next"
    TIES_ARE_LOST = "of blocks planned for the same tenth of a second, only the first goes"
    ZERO_IS_NEVER = "a planned time of 0 means that the block stays"
    RESET_OFFSET = "how often a scene was built in its space changes the order of contacts"
    ADDED_UP_CLOCK = "the clock adds up floats, so a time may fall one tick late"
    EXTRA_TICK = "re-planning at some ticks lets an episode last one tick longer"


PUBLISHED_QUIRKS = frozenset(Quirk)


@dataclass(frozen=True)
class Rules:
    """What an episode goes by.

    Attributes:
        hz: ticks in a second. One tick is one physics step, so 10 Hz and 60 Hz are
            two benchmarks: people, searches and data use 60 Hz, learning agents 10 Hz.
        builds: how often the original has built a scene in its space when play begins at this
            rate; it builds it at every `reset`.
        quirks: which oddities hold.
        engine: what computes the physics; both give the same bits, and pymunk is slow.
    """

    hz: int = 60
    builds: int = 1
    quirks: frozenset[Quirk] = PUBLISHED_QUIRKS
    engine: Engine = Engine.NATIVE

    def __post_init__(self) -> None:
        if self.hz < 1:
            raise ValueError(f"hz is {self.hz}; it must be a positive whole number")
        if self.builds < 1:
            raise ValueError(f"builds is {self.builds}; it must be at least 1")

    def __contains__(self, quirk: Quirk) -> bool:
        return quirk in self.quirks

    @property
    def dt(self) -> float:
        """Seconds in a tick."""
        return 1 / self.hz

    @property
    def tick_limit(self) -> int:
        """Ticks in an episode that is not solved."""
        return SECONDS * self.hz

    @property
    def request(self) -> Request:
        """The rules as the physics takes them."""
        return Request(
            dt=self.dt,
            ticks=self.tick_limit,
            builds=self.builds if Quirk.RESET_OFFSET in self else 1,
            out=Exit(HEIGHT, None if Quirk.NO_HOLE in self else (0.0, WIDTH)),
            params=Params(constant_inertia=Quirk.CONSTANT_INERTIA in self),
            engine=self.engine,
        )

    def clean(self) -> Rules:
        """The same rate without the quirks."""
        return replace(self, quirks=frozenset())

    def reward(self, ticks: int, removed: int, solved: bool) -> float:
        """What an episode, or a part of it, earns."""
        reward = TIME_REWARD * ticks / self.hz + ELIMINATION_REWARD * removed
        return reward + SUCCESS_REWARD if solved else reward


@cache
def native_rules(rules: Rules) -> NativeRules:
    """The rules as the native engine takes them."""
    return NativeRules(
        out=native_exit(rules.request.out),
        hz=rules.hz,
        seconds=SECONDS,
        zero_is_never=Quirk.ZERO_IS_NEVER in rules,
        ties_are_lost=Quirk.TIES_ARE_LOST in rules,
        extra_tick=Quirk.EXTRA_TICK in rules,
        time_reward=TIME_REWARD,
        block_reward=ELIMINATION_REWARD,
        goal_reward=SUCCESS_REWARD,
    )


AT_60_HZ = Rules(hz=60, builds=1)  # people, searches, sampled data
AT_10_HZ = Rules(hz=10, builds=2)  # the three learning environments and the random agent
_PUBLISHED = {rules.hz: rules for rules in (AT_60_HZ, AT_10_HZ)}


def rules_at(hz: int) -> Rules:
    """The rules published at a rate.

    Raises:
        ValueError: Nothing was published at this rate.
    """
    if hz not in _PUBLISHED:
        raise ValueError(f"hz is {hz}; the benchmark is played at 60 or at 10")
    return _PUBLISHED[hz]


@cache
def _added_up(hz: int) -> list[float]:
    return list(accumulate(repeat(1 / hz, SECONDS * hz), initial=0.0))


def tick_at(seconds: float, rules: Rules) -> int:
    """The first tick whose clock has reached a time; past the end for later times.

    The original's clock starts at 0 and adds 1/hz at each tick, errors included.
    """
    if Quirk.ADDED_UP_CLOCK in rules:
        return bisect_left(_added_up(rules.hz), seconds)
    # A little less, so that a time meant as a tick is that tick.
    return math.ceil(seconds * rules.hz - 1e-9)
