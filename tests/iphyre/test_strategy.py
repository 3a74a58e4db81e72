"""The native strategies against the rules in plain Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.iphyre_reference import (
    act,
    actions_for,
    observe,
    reference_last_tick,
    reference_plan,
    reference_ticks,
)
from topple.iphyre import ALL, AT_10_HZ, AT_60_HZ, Episode, PlanError, Rules, Strategy
from topple.iphyre.engine.batch import Engine
from topple.iphyre.strategy import action_ticks, last_tick, plan_in_advance


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("rules", [AT_10_HZ, AT_10_HZ.clean()], ids=["published", "clean"])
def test_episodes_act_and_observe_by_the_rules(strategy: Strategy, rules: Rules) -> None:
    rng = np.random.default_rng(3)
    for game in ALL[::3]:
        ours, theirs = Episode(game, rules), Episode(game, rules)
        used: frozenset[int] = frozenset()
        while not ours.state.over:
            np.testing.assert_array_equal(ours.observe(strategy), observe(theirs, strategy))
            [action] = actions_for(strategy, rng, 1)
            ours.act(strategy, action)
            used = act(theirs, strategy, action, used)
            assert ours.state == theirs.state
        np.testing.assert_array_equal(ours.observe(strategy), observe(theirs, strategy))
        with pytest.raises(ValueError, match="the episode is over"):
            ours.act(strategy, action)


def test_actions_mean_the_same_plans() -> None:
    rng = np.random.default_rng(4)
    for game in ALL:
        for rules in (AT_10_HZ, AT_60_HZ, AT_10_HZ.clean()):
            action = rng.random(6, dtype=np.float32)
            action[rng.random(6) < 0.3] = rng.choice((0.0, 1.0, action[0]))
            assert action_ticks(action, rules) == reference_ticks(action, rules)
            assert plan_in_advance(game, action, rules) == reference_plan(game, action, rules)


@pytest.mark.parametrize("hz", [7, 10, 17, 60])
def test_the_last_tick_of_a_new_plan(hz: int) -> None:
    for rules in (Rules(hz), Rules(hz).clean()):
        ticks = range(rules.tick_limit)
        ends = [reference_last_tick(tick, rules) for tick in ticks]
        assert [last_tick(tick, rules) for tick in ticks] == ends


def test_bad_actions_change_nothing() -> None:
    episode = Episode(ALL[0], AT_10_HZ)
    with pytest.raises(PlanError, match="action 7; it must be 0, for nothing, to 6"):
        episode.act(Strategy.ON_THE_FLY, 7)
    with pytest.raises(PlanError, match="outside 0 to 1"):
        episode.act(Strategy.COMBINED, np.full(6, np.nan))
    assert episode.tick == 0


def test_strategies_need_the_native_engine() -> None:
    pytest.importorskip("pymunk")
    episode = Episode(ALL[0], replace(AT_10_HZ, engine=Engine.PYMUNK))
    with pytest.raises(ValueError, match="strategies need the native engine"):
        episode.act(Strategy.ON_THE_FLY, 0)
