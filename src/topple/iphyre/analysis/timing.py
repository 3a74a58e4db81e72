"""How exact a solution's timing has to be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product, takewhile
from math import fsum, prod
from typing import NamedTuple

from topple.iphyre.episode import play, play_batch
from topple.iphyre.game import Game
from topple.iphyre.plan import Elimination, Plan, PlanError
from topple.iphyre.rules import AT_60_HZ, Rules

_BLOCK = 64  # plans played at a time, where the first failure ends the search
_JITTERED = 8192  # plans played at a time, where all are


class Slack(NamedTuple):
    """How far one removal, or all of them together, can move and still solve the game."""

    body: int | None  # None: the whole plan moves
    earlier_ms: float
    later_ms: float

    @property
    def width_ms(self) -> float:
        """The whole window."""
        return self.earlier_ms + self.later_ms


def timing_slack(game: Game, plan: Plan, rules: Rules = AT_60_HZ) -> list[Slack]:
    """The slack of each removal with the others held, and last that of the whole plan.

    Windows are searched tick by tick outwards up to the first failure, so they are as
    exact as a tick: 16.7 ms at 60 Hz.

    Raises:
        PlanError: the plan does not solve the game.
    """
    score = play(game, plan, rules)
    if not score.solved:
        raise PlanError(f"the plan does not solve {game.name!r}, so its timing has no slack")
    executed = Plan(plan.eliminations[: score.removed])
    bodies: list[int | None] = [*executed.order, None] if executed.order else [None]
    return [
        Slack(
            body,
            _reach(game, executed, body, -1, rules) * 1000 / rules.hz,
            _reach(game, executed, body, +1, rules) * 1000 / rules.hz,
        )
        for body in bodies
    ]


def _reach(game: Game, plan: Plan, body: int | None, direction: int, rules: Rules) -> int:
    """Ticks a removal can move one way before the plan stops working."""
    for start in range(0, rules.tick_limit, _BLOCK):
        shifts = range(start + 1, min(start + _BLOCK, rules.tick_limit) + 1)
        plans = list(takewhile(bool, (_moved(plan, body, k * direction) for k in shifts)))
        scores = play_batch([(game, moved) for moved in plans if moved is not None], rules)
        for reach, score in enumerate(scores, start=start):
            if not score.solved:
                return reach
        if len(plans) < len(shifts):
            return start + len(plans)
    return rules.tick_limit


def _moved(plan: Plan, body: int | None, shift: int) -> Plan | None:
    """The plan with a removal moved; None if it would be before the first tick.

    Removals that meet at a tick are carried out together here: to make one wait would
    move another one as well.
    """
    moved = sorted(
        Elimination(tick + shift if body in (None, each) else tick, each)
        for tick, each in plan.eliminations
    )
    return None if moved and moved[0].tick < 0 else Plan(tuple(moved))


def jitter_success(game: Game, plan: Plan, ms: float, rules: Rules = AT_60_HZ) -> float:
    """The chance of success when every time is off by up to `ms` either way, evenly.

    Every combination of shifts, in whole ticks, is played and weighted by its chance, so the
    number is exact. Their number grows with the power of the removals.
    """
    reach = ms * rules.hz / 1000
    farthest = round(reach)
    shifts = [
        (k, min(k + 0.5, reach) - max(k - 0.5, -reach)) for k in range(-farthest, farthest + 1)
    ]
    combinations = product(shifts, repeat=len(plan.eliminations))
    won, all_of_it = [], []
    while block := list(islice(combinations, _JITTERED)):
        plans = [_jittered(plan, [shift for shift, _ in each]) for each in block]
        scores = play_batch([(game, moved) for moved in plans], rules)
        weights = [prod(weight for _, weight in each) for each in block]
        all_of_it.append(fsum(weights))
        won.append(fsum(w for w, score in zip(weights, scores, strict=True) if score.solved))
    return fsum(won) / fsum(all_of_it)


def _jittered(plan: Plan, shifts: Sequence[int]) -> Plan:
    """The plan with each removal moved on its own, no further than to the start."""
    moved = (
        Elimination(max(0, tick + shift), body)
        for (tick, body), shift in zip(plan.eliminations, shifts, strict=True)
    )
    return Plan(tuple(sorted(moved)))
