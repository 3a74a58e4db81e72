"""REHEARSE: actions tried on the nearest training tasks before they are tried on a task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.phases import attempt_tasks, split_tasks
from topple.phyre import Tier, template_tasks
from topple.phyre.agents import rehearse
from topple.phyre.agents.families import AS_THEY_ARE, Way
from topple.phyre.agents.neighbours import Neighbours
from topple.phyre.agents.rehearse import Asked, Asking, Flags, Ints, Rehearse, in_step, narrow
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome

ACTIONS = 5000  # all of them are known from the index that comes with the package


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def cache(folder: Path) -> ActionCache:
    return ActionCache(folder, Tier.BALL)


# Many searches at once.


def counting(start: int, steps: int) -> Asking[list[int]]:
    """Ask so many times, for a number more each time, and return how many were even."""
    found = []
    for size in range(steps):
        rows = np.arange(start, start + size + 1)
        answer = yield Asked(rows, np.zeros((len(rows), 3)))
        assert len(answer) == len(rows)
        found.append(int(answer.sum()))
    return found


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6))
def test_searches_in_step_end_as_they_do_alone(searches: list[tuple[int, int]]) -> None:
    batches = []

    def answer(asked: Asked) -> Flags:
        batches.append(len(asked.rows))
        return np.asarray(asked.rows % 2 == 0)

    found = in_step([counting(*each) for each in searches], answer)
    assert found == [in_step([counting(*each)], answer)[0] for each in searches]
    longest = max((steps for _, steps in searches), default=0)
    alone = sum(steps for _, steps in searches)
    assert len(batches) == longest + alone


@given(
    st.integers(0, 20),
    st.integers(0, 15),
    st.lists(st.floats(0.1, 1), max_size=3),
    st.integers(0, 2**32 - 1),
)
def test_narrowing_keeps_the_best(trials: int, count: int, shares: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random((trials, count)) < 0.4
    weights = np.sort(rng.random(trials))[::-1]
    stages = [(5 * (number + 1), share) for number, share in enumerate(shares)] + [(40, 1.0)]
    asked = 0

    def ask(trial: Ints, candidate: Ints) -> Asked:
        return Asked(trial, candidate[:, None].astype(np.float64))

    def answer(each: Asked) -> Flags:
        nonlocal asked
        asked += len(each.rows)
        return np.asarray(truth[each.rows, each.actions[:, 0].astype(np.int64)])

    [(kept, solved)] = in_step([narrow(weights, count, stages, ask)], answer)
    if count:
        assert len(solved) == trials
    assert asked <= trials * count
    np.testing.assert_array_equal(solved, truth[: len(solved), kept])
    left = set(range(count))
    for until, share in stages:
        score = (weights[:until, None] * truth[:until]).sum(axis=0)
        ranked = sorted(left, key=lambda place: (-round(score[place], 9), place))
        left = set(ranked[: int(np.ceil(share * len(left)))])
    assert set(kept.tolist()) == left


# How balls are carried over.


def test_each_ball_may_move_along_with_a_body() -> None:
    rng = np.random.default_rng(0)
    across = np.stack([rng.uniform(0.2, 0.8, 20), np.full(20, 0.5)], axis=1)
    still = np.full((20, 2), 0.3)
    centres = np.stack([still, across], axis=1)
    right = Way(1, right=True, up=True)  # to move up as well changes nothing
    assert rehearse._ways_of_balls(centres, 1) == [(AS_THEY_ARE,), (right,)]
    assert rehearse._ways_of_balls(centres, 2) == [
        (AS_THEY_ARE, AS_THEY_ARE),
        (right, right),
        (right, AS_THEY_ARE),
        (AS_THEY_ARE, right),
    ]
    shift = rehearse._shift((AS_THEY_ARE, right), centres[0], centres[1])
    gone = across[1, 0] - across[0, 0]
    np.testing.assert_allclose(shift, [0, 0, 0, gone, 0, 0])


# Acting.


def test_it_solves_most_tasks_at_once_and_simulates_none_of_them(cache: ActionCache) -> None:
    learned, scored = split_tasks("00009", scored=5)
    training, testing = attempt_tasks(Rehearse(actions=ACTIONS, mined=0), cache, learned, scored)
    found = testing.results()
    assert found.auccess > 0.85
    assert (found.first_solved == 1).mean() >= 0.6
    assert testing.simulator_calls == len(testing.log)
    assert not testing.privileged
    assert training.simulator_calls > len(learned) * ACTIONS + 500 * len(scored)
    plain = attempt_tasks(Neighbours(actions=ACTIONS, ways=0), cache, learned, scored)[1]
    assert found.auccess > plain.results().auccess + 0.1
    for task in scored:
        tried = [each for each in testing.log if each.task == task.id]
        assert len({each.action for each in tried}) == len(tried)
        assert Outcome.SOLVED not in [each.outcome for each in tried[:-1]]
        assert tried[-1].outcome == Outcome.SOLVED or len(tried) == 100


@pytest.mark.parametrize("more", [{"mined": 0}, {"refined": 10, "mined": 20}])
def test_tasks_thought_about_together_are_attempted_as_alone(
    more: dict[str, int], cache: ActionCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned, scored = split_tasks(
        "00013", scored=5
    )  # some have bodies of their own, some are like others
    scored += template_tasks("00014")[:2]
    learned += template_tasks("00014")[50:70]
    agent = {"actions": ACTIONS, "candidates": 12, "nearest": 6, "ways": 2, **more}
    together = attempt_tasks(Rehearse(**agent), cache, learned, scored, 20)[1]
    monkeypatch.setattr(rehearse, "_TOGETHER", 3)
    alone = attempt_tasks(Rehearse(**agent), cache, learned, scored, 20)[1]
    assert list(together.log) == list(alone.log)


def test_two_balls_are_attempted(folder: Path) -> None:
    cache = ActionCache(folder, Tier.TWO_BALLS)
    learned, scored = split_tasks("00117", scored=5)
    agent = Rehearse(actions=100_000, candidates=16, nearest=10, mined=20)
    testing = attempt_tasks(agent, cache, learned, scored, 10)[1]
    assert testing.results().auccess > 0.6
    assert any(ways != (AS_THEY_ARE, AS_THEY_ARE) for ways, _ in next(iter(agent._ways.values())))


def test_mined_solutions_solve_their_tasks(cache: ActionCache) -> None:
    learned, scored = split_tasks("00009", scored=5)
    learned = learned[:20]
    agent = Rehearse(actions=100, candidates=4, nearest=4, mined=50)
    training, _ = attempt_tasks(agent, cache, learned, scored[:1], 1)
    outcomes = training.outcomes(100) == Outcome.SOLVED
    assert not outcomes.any(axis=1).all()
    found = 0
    [(key, mined)] = agent._mined.items()
    for row, actions in mined.items():
        result = training.simulate(np.full(len(actions), row), actions)
        assert (result.outcome == Outcome.SOLVED).all()
        found += len(actions)
        every = {action.tobytes() for action in agent._solutions(key, row, 1000)}
        assert every >= {action.tobytes() for action in actions}
        assert len(every) == len(actions) + outcomes[row].sum()
    assert found > 50
    assert any(len(mined[row]) and not outcomes[row].any() for row in mined)


@pytest.mark.parametrize("template", ["00013", "00021"])
def test_tasks_with_bodies_of_their_own_are_attempted(template: str, cache: ActionCache) -> None:
    """One has another number of balls than any training task; one is of another template."""
    learned, _ = split_tasks("00012", "00001", scored=5)
    scored = list(template_tasks(template)[:3])
    agent = Rehearse(actions=2000, candidates=6, nearest=4, ways=1, mined=5)
    testing = attempt_tasks(agent, cache, learned, scored, attempts=50)[1]
    assert {each.task for each in testing.log} == {task.id for task in scored}
    made = testing.log.attempts_made()
    assert ((made == 50) | (testing.results().first_solved > 0)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nearest": 0}, "nearest is 0"),
        ({"ways": 0}, "ways is 0"),
        ({"candidates": 0}, "candidates is 0"),
        ({"trust": -0.5}, "trust is -0.5"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rehearse(**settings)  # type: ignore[arg-type]
