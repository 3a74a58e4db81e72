"""Each quirk of the original, on and off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.iphyre_reference import next_leg
from topple.iphyre import (
    AT_10_HZ,
    AT_60_HZ,
    Ball,
    Elimination,
    Episode,
    Game,
    Plan,
    PlanError,
    Quirk,
    Rules,
    Strategy,
    game_named,
    plan_from_seconds,
    plan_from_ticks,
    plan_in_advance,
    play,
)
from topple.iphyre.env import IPhyreCombinedEnv
from topple.iphyre.game import black
from topple.iphyre.rules import tick_at
from topple.iphyre.strategy import action_ticks, last_tick


def without(rules: Rules, quirk: Quirk) -> Rules:
    return replace(rules, quirks=rules.quirks - {quirk})


def action(*fractions: float) -> np.ndarray:
    values = np.zeros(6, dtype=np.float32)
    values[: len(fractions)] = fractions
    return values


def test_rewards() -> None:
    assert AT_60_HZ.reward(60, 2, False) == -21.0
    assert AT_60_HZ.reward(90, 1, True) == 988.5
    assert AT_10_HZ.tick_limit == 150
    assert AT_60_HZ.tick_limit == 900
    assert AT_10_HZ.clean().quirks == frozenset()
    with pytest.raises(ValueError, match="hz is 0"):
        Rules(hz=0)


def test_constant_inertia() -> None:
    game = game_named("seesaw")
    plan = plan_from_seconds(game, [None, 4.821])
    assert play(game, plan).ticks == 540
    heavy = play(game, plan, without(AT_60_HZ, Quirk.CONSTANT_INERTIA))
    assert (heavy.solved, heavy.ticks) != (True, 540)


def test_no_hole() -> None:
    ramp = Game("ramp", "", (black(80, 400, 10, 420),), (Ball(60, 350),))
    assert play(ramp).solved  # rolls off the left side, far from any hole
    assert not play(ramp, rules=without(AT_60_HZ, Quirk.NO_HOLE)).solved
    drop = Game("drop", "", (), (Ball(300, 350),))
    assert play(drop, rules=without(AT_60_HZ, Quirk.NO_HOLE)).solved


def test_one_removal_per_tick() -> None:
    game = game_named("hinder")
    queued = plan_from_seconds(game, [1.0, 1.0, 1.001])
    first = queued.eliminations[0].tick
    assert queued == Plan(
        (Elimination(first, 1), Elimination(first + 1, 2), Elimination(first + 2, 3))
    )
    at_once = plan_from_seconds(game, [1.0, 1.0], without(AT_60_HZ, Quirk.ONE_REMOVAL_PER_TICK))
    assert [e.tick for e in at_once.eliminations] == [first, first]
    assert plan_from_ticks(game, [5, 5, 5]).eliminations[2] == Elimination(7, 3)


def test_ties_are_lost() -> None:
    game = game_named("hinder")
    tie = action(0.2, 0.2, 0.1)
    assert plan_in_advance(game, tie).eliminations == (Elimination(15, 3), Elimination(30, 1))
    both = plan_in_advance(game, tie, without(AT_10_HZ, Quirk.TIES_ARE_LOST))
    assert both.eliminations[1:] == (Elimination(30, 1), Elimination(30, 2))


def test_a_used_entry_blocks_its_tick() -> None:
    game = game_named("hinder")
    blocked = next_leg(game, action(0.2, 0.2), 0, frozenset({0}))
    assert blocked.body is None
    free = next_leg(
        game, action(0.2, 0.2), 0, frozenset({0}), without(AT_10_HZ, Quirk.TIES_ARE_LOST)
    )
    assert (free.ticks, free.body) == (30, 2)
    for rules, removed in ((AT_10_HZ, 1), (without(AT_10_HZ, Quirk.TIES_ARE_LOST), 2)):
        episode = Episode(game, rules)
        episode.act(Strategy.COMBINED, action(0.1))
        assert episode.state.history == (Elimination(15, 1),)
        episode.act(Strategy.COMBINED, action(0.2, 0.2))
        assert (episode.removed, episode.state.over) == (removed, removed == 1)


def test_zero_is_never() -> None:
    game = game_named("support")
    assert plan_from_seconds(game, [0.0, 1.0]).order == (1,)
    assert plan_in_advance(game, action(0.0, 0.5)).order == (1,)
    clean = AT_10_HZ.clean()
    assert plan_in_advance(game, action(0.0, 0.5), clean).eliminations[0] == Elimination(0, 0)
    assert plan_from_seconds(game, [0.0, None], clean).eliminations == (Elimination(0, 0),)


def test_the_end_is_never_in_advance() -> None:
    game = game_named("support")
    assert plan_in_advance(game, action(1.0, 149 / 150)).eliminations == (Elimination(149, 1),)


def test_reset_offset() -> None:
    """Idle multi_ball_lever at 10 Hz: 97 ticks after one build, 95 after five, else 92."""
    game = game_named("multi_ball_lever")
    ticks = [play(game, rules=replace(AT_10_HZ, builds=n)).ticks for n in range(1, 7)]
    assert ticks == [97, 92, 92, 92, 95, 92]
    clean = without(replace(AT_10_HZ, builds=5), Quirk.RESET_OFFSET)
    assert play(game, rules=clean).ticks == 97


def test_ten_and_sixty_hertz_are_two_benchmarks() -> None:
    lever, flick = game_named("multi_ball_lever"), game_named("spring_flick")
    assert play(lever, rules=AT_10_HZ).reward == pytest.approx(990.8)
    assert not play(lever, rules=AT_60_HZ).solved
    assert play(flick, rules=AT_60_HZ).reward == pytest.approx(985.5667, abs=1e-4)
    assert play(flick, rules=AT_10_HZ).reward == pytest.approx(985.9)


def test_added_up_clock() -> None:
    late = [k for k in range(900) if tick_at(k / 60, AT_60_HZ) != k]
    assert late
    assert all(tick_at(k / 60, AT_60_HZ) == k + 1 for k in late)
    clean = without(AT_60_HZ, Quirk.ADDED_UP_CLOCK)
    assert all(tick_at(k / 60, clean) == k for k in range(900))
    assert tick_at(1e-9, AT_60_HZ) == 1
    assert tick_at(15.5, AT_60_HZ) > 900


def test_extra_tick() -> None:
    longer = [tick for tick in range(150) if last_tick(tick) == 151]
    assert longer[:3] == [87, 92, 97]
    assert len(longer) == 19
    assert all(last_tick(tick) in (150, 151) for tick in range(150))
    assert all(last_tick(tick, AT_10_HZ.clean()) == 150 for tick in range(150))


def test_extra_tick_in_the_environment() -> None:
    def play_out(environment: IPhyreCombinedEnv) -> tuple[float, int]:
        environment.reset()
        total, over = 0.0, False
        info: dict[str, int] = {}
        fractions = action(86 / 150)
        while not over:
            _, reward, solved, late, info = environment.step(fractions)
            over = solved or late
            total += reward
            fractions = action()
        return total, info["tick"]

    total, ticks = play_out(IPhyreCombinedEnv(game="hole"))
    assert ticks == 151
    assert total == pytest.approx(-25.1)
    clean = without(AT_10_HZ, Quirk.EXTRA_TICK)
    assert play_out(IPhyreCombinedEnv(game="hole", rules=clean))[1] == 150


def test_actions() -> None:
    assert action_ticks(action(0.0, 1.0, 0.1, 0.0333)) == [0, 150, 15, 5, 0, 0]
    with pytest.raises(PlanError, match=r"shape \(3,\); it must be \(6,\)"):
        action_ticks([0.0, 0.1, 0.2])
    with pytest.raises(PlanError, match="outside 0 to 1"):
        action_ticks(action(1.5))


def test_plans_that_do_not_fit() -> None:
    game = game_named("support")
    with pytest.raises(PlanError, match="3 times for 'support', which has 2 gray blocks"):
        plan_from_seconds(game, [1.0, 2.0, 3.0])
    with pytest.raises(PlanError, match=r"time -1\.0 s"):
        plan_from_seconds(game, [-1.0])
    with pytest.raises(PlanError, match=r"time 99999 s; times are from 0 to 15 s"):
        plan_from_seconds(game, [None, 99999])
    with pytest.raises(PlanError, match="tick -3 for block 0"):
        plan_from_ticks(game, [-3])
    with pytest.raises(PlanError, match=r"body 2 of 'support' cannot be removed; .* are \[0, 1\]"):
        play(game, Plan((Elimination(1, 2),)))
    with pytest.raises(PlanError, match="removes body 0 twice"):
        play(game, Plan((Elimination(1, 0), Elimination(2, 0))))
    with pytest.raises(PlanError, match="body 1 goes at tick 2, after one of tick 5; sort it"):
        play(game, Plan((Elimination(5, 0), Elimination(2, 1))))
