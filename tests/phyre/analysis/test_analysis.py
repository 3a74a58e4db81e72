from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from support.shared_data import arrays, needs_phyre_data
from support.tally import Tally
from topple.phyre import Tier, load_task, template_tasks
from topple.phyre.analysis.difficulty import first_solutions, random_curve, template_difficulty
from topple.phyre.analysis.diversity import shared_solutions, template_diversity
from topple.phyre.analysis.solvability import (
    THRESHOLDS,
    Evidence,
    Verdict,
    assess,
    decide,
    pooled_actions,
    verdict,
)

VALUES = np.array([-1, 0, 1], np.int8)


def test_random_orders_have_the_chances_of_random_orders() -> None:
    outcomes = np.full((2, 30), -1, np.int8)
    outcomes[0, :10] = 1
    outcomes[1, 3] = 1
    outcomes[1, 10:] = 0
    first = first_solutions(outcomes, 4000, np.random.default_rng(0))
    assert (first[:, 0] == 1).mean() == pytest.approx(1 / 3, abs=0.03)
    assert first[:, 1].mean() == pytest.approx(5.5, abs=0.2)
    assert first[:, 1].max() == 10


def test_random_curve_rises_to_the_share_of_solvable_tasks() -> None:
    outcomes = np.full((4, 50), -1, np.int8)
    outcomes[:3, 7] = 1
    curve = random_curve(outcomes, np.random.default_rng(0))
    assert curve.attempts[0] == 1
    assert curve.attempts[-1] == 50
    assert (np.diff(curve.mean) >= 0).all()
    assert curve.mean[-1] == 0.75
    assert curve.std[-1] == 0.0
    with pytest.raises(ValueError, match="from 1 to 51"):
        random_curve(outcomes, np.random.default_rng(0), points=[1, 51])


def test_difficulty_counts_valid_attempts_only() -> None:
    tasks = [*template_tasks("00000")[:2], *template_tasks("00001")[:1]]
    outcomes = np.full((3, 20), -1, np.int8)
    outcomes[0, ::2] = 0
    outcomes[0, 1::4] = 1
    found = template_difficulty(tasks, outcomes, runs=5)
    assert [entry.template for entry in found] == ["00000", "00001"]
    assert found[0].mean == pytest.approx(0.25)
    assert found[0].std == pytest.approx(0.0)
    assert [entry.unsolved for entry in found] == [1, 1]


@given(st.integers(0, 2**32 - 1))
def test_diversity_counts_tasks_per_action(seed: int) -> None:
    tasks = template_tasks("00003")[:5]
    outcomes = np.random.default_rng(seed).choice(VALUES, (5, 60))
    (found,) = template_diversity(tasks, outcomes)
    solved = [sum(row[action] == 1 for row in outcomes) for action in range(60)]
    assert found.histogram.tolist() == [solved.count(count) for count in range(6)]
    assert found.most_solved == max(solved)
    assert found.best_action == solved.index(max(solved))
    shared = shared_solutions(outcomes)
    for a in range(5):
        for b in range(5):
            ours, theirs = (
                set(np.flatnonzero(outcomes[a] == 1)),
                set(np.flatnonzero(outcomes[b] == 1)),
            )
            expected = len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0
            assert shared[a, b] == pytest.approx(expected)


@given(st.integers(0, 30), st.integers(1, 2_000_000), st.sampled_from([1e-5, 1e-6, 1e-3]))
def test_verdicts_are_those_of_scipys_binomial_tests(count: int, valid: int, p0: float) -> None:
    count = min(count, valid)
    greater = stats.binomtest(count, valid, p0, alternative="greater").pvalue
    less = stats.binomtest(count, valid, 2 * p0, alternative="less").pvalue
    expected = Verdict.OPEN
    if greater < 0.05:
        expected = Verdict.SOLVABLE
    elif less < 0.05:
        expected = Verdict.UNSOLVABLE
    assert verdict(count, valid, p0) is expected


def test_verdicts_of_plain_cases() -> None:
    assert verdict(3, 10_000, 1e-5) is Verdict.SOLVABLE
    assert verdict(0, 10_000, 1e-5) is Verdict.OPEN
    assert verdict(0, 200_000, 1e-5) is Verdict.UNSOLVABLE
    with pytest.raises(ValueError, match="5 solutions among 4"):
        verdict(5, 4, 1e-5)
    with pytest.raises(ValueError, match="p0 is 0"):
        verdict(1, 4, 0)


def test_a_stopped_assessment_goes_on_where_it_was() -> None:
    tasks = template_tasks("00002")[:2]
    whole = assess(tasks, max_actions=2000)
    blocks: list[list[Evidence]] = []
    part = assess(tasks, max_actions=1000, on_block=lambda found: blocks.append(list(found)))
    assert blocks == [part]
    assert assess(tasks, max_actions=2000, known=part) == whole
    assert whole[0].tried == 2000
    assert decide(whole[0], THRESHOLDS[Tier.BALL]) is Verdict.OPEN  # too few valid attempts
    assert decide(whole[0], THRESHOLDS[Tier.BALL], min_valid=1000) is Verdict.SOLVABLE
    assert pooled_actions(Tier.BALL, 10_000, 1).shape == (1, 3)
    with pytest.raises(ValueError, match="more than one pool"):
        pooled_actions(Tier.BALL, 9_999, 2)


@needs_phyre_data
def test_the_first_recorded_solution_is_the_first_of_the_pools() -> None:
    golden = arrays("golden_solved.npz")
    place = golden["task_ids"].tolist().index("00002:007")
    evidence = assess([load_task("00002:007")], max_actions=1000)[0]
    action = pooled_actions(Tier.BALL, evidence.solution, 1)[0]
    assert np.array_equal(action, golden["action"][place][:3])


@pytest.mark.slow
@needs_phyre_data
@pytest.mark.parametrize("task", ["00002:007", "00004:063", "00011:004", "00107:000"])
def test_recorded_counts_come_out_again(task: str, tally: Tally) -> None:
    """The authors' own counts of outcomes, from the selection of the published tasks."""
    golden = arrays("golden_solved.npz")
    counts = golden["eval_counts"][golden["task_ids"].tolist().index(task)]
    invalid, failed, unstable, stable = counts.tolist()
    evidence = assess([load_task(task)], max_actions=int(counts.sum()), min_valid=10**9)[0]
    assert evidence.tried == counts.sum()
    found = (evidence.tried - evidence.valid, evidence.solved - evidence.stable, evidence.stable)
    tally("recorded solution counts", int(found != (invalid, unstable, stable)), 1)
    assert found == (invalid, unstable, stable)
    assert evidence.valid == failed + unstable + stable
