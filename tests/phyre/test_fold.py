from __future__ import annotations

from collections import Counter

import pytest

from topple.phyre import Setup, Tier, load_fold, tier_task_ids
from topple.phyre.fold import SEEDS, Split


@pytest.mark.parametrize("setup", Setup)
def test_folds_divide_the_tier(setup: Setup) -> None:
    for seed in SEEDS:
        fold = load_fold(setup, seed)
        assert (len(fold.train), len(fold.dev), len(fold.test)) == (1600, 400, 500)
        assert sorted(fold.train + fold.dev + fold.test) == list(tier_task_ids(setup.tier))
        for part in (fold.train, fold.dev, fold.test):
            assert list(part) == sorted(part)


@pytest.mark.parametrize("setup", [s for s in Setup if s.split is not Split.WITHIN_TEMPLATE])
def test_cross_template_folds_keep_templates_whole(setup: Setup) -> None:
    for seed in SEEDS:
        fold = load_fold(setup, seed)
        parts = [{task.template for task in part} for part in (fold.train, fold.dev, fold.test)]
        assert [len(part) for part in parts] == [16, 4, 5]
        assert len(set.union(*parts)) == 25


@pytest.mark.parametrize("setup", [s for s in Setup if s.split is Split.CROSS_TEMPLATE_BALANCED])
@pytest.mark.parametrize("seeds", [range(5), range(5, 10)])
def test_a_balanced_round_tests_every_template_once(setup: Setup, seeds: range) -> None:
    tested = Counter(
        template for seed in seeds for template in {t.template for t in load_fold(setup, seed).test}
    )
    assert tested == Counter(setup.tier.template_ids)


def test_the_two_rounds_differ() -> None:
    for tier_setup in (
        Setup.BALL_CROSS_TEMPLATE_BALANCED,
        Setup.TWO_BALLS_CROSS_TEMPLATE_BALANCED,
    ):
        assert len({load_fold(tier_setup, seed).test for seed in SEEDS}) == len(SEEDS)


def test_published_cross_folds_leave_templates_untested() -> None:
    tested = {
        task.template for seed in SEEDS for task in load_fold(Setup.BALL_CROSS_TEMPLATE, seed).test
    }
    assert len(tested) == 24


def test_setups_are_parsed_at_the_edge() -> None:
    setup = Setup.parse("two_balls_cross_template")
    assert (setup.tier, setup.split) == (Tier.TWO_BALLS, Split.CROSS_TEMPLATE)
    with pytest.raises(ValueError, match="unknown setup 'ball': use one of ball_within"):
        Setup.parse("ball")


@pytest.mark.parametrize("seed", [-1, 10])
def test_seeds_run_from_0_to_9(seed: int) -> None:
    with pytest.raises(ValueError, match=f"seeds 0 to 9, not {seed}"):
        load_fold(Setup.BALL_WITHIN_TEMPLATE, seed)
