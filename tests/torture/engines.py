"""Both engines on random scenes, games, actions and plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from topple.iphyre import ALL, AT_10_HZ, AT_60_HZ, Game, Rules, Strategy
from topple.iphyre.engine.batch import Engine
from topple.phyre import Tier, load_task
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.scene import Scene
from topple.phyre.task import tier_task_ids
from torture.games import (
    absurd_ends,
    check_absurd_ends,
    check_slots,
    check_ways_to_play,
    engines_agree,
    own_games,
    random_plan,
)
from torture.rounds import Round, try_examples
from torture.scenes import (
    actions,
    any_bodies,
    check_any_bodies,
    check_batch,
    same_bytes,
    same_rows,
    scenes,
)

EXAMPLES = 15  # of Hypothesis in a round
TASKS, ATTEMPTS = 12, 300  # of a round on published tasks


@contextmanager
def phyre_scenes(counts: Counter[str], _folder: Path) -> Iterator[Round]:
    """Random scenes: shortcuts, threads and order of a batch change no byte."""

    def check(drawn: list[Scene], rows: list[tuple[float, ...]]) -> None:
        outgrown = check_batch(drawn, rows)
        counts["PHYRE scenes"] += len(drawn)
        counts["PHYRE attempts on them"] += len(rows)
        counts["PHYRE attempts with a body jammed beyond float32"] += outgrown

    def check_any(drawn: tuple[object, ...]) -> None:
        check_any_bodies(*drawn)  # type: ignore[arg-type]
        counts["PHYRE scenes of arbitrary numbers"] += 1

    def once(rng: np.random.Generator) -> None:
        pairs = st.lists(scenes(), min_size=1, max_size=2)
        try_examples(check, rng, EXAMPLES, drawn=pairs, rows=actions)
        try_examples(check_any, rng, EXAMPLES, drawn=any_bodies)

    yield once


@contextmanager
def phyre_tasks(counts: Counter[str], _folder: Path) -> Iterator[Round]:
    """Published tasks: threads and order of a batch change no byte."""
    names = {tier: list(tier_task_ids(tier)) for tier in Tier}

    def once(rng: np.random.Generator) -> None:
        tier = list(Tier)[int(rng.integers(len(Tier)))]
        chosen = [names[tier][k] for k in rng.integers(len(names[tier]), size=TASKS)]
        ready = SceneSet([load_task(name).scene for name in chosen])
        index = rng.integers(TASKS, size=ATTEMPTS)
        rows = rng.random((ATTEMPTS, tier.action_size))
        request = Request(final_state=True)
        alone = simulate_batch(ready, index, rows, request, threads=1)
        order = rng.permutation(ATTEMPTS)
        threads = int(rng.integers(2, 9))
        shuffled = simulate_batch(ready, index[order], rows[order], request, threads=threads)
        assert same_rows(alone, shuffled, order), f"{chosen}: order or {threads} threads matter"
        again = simulate_batch(ready, index, rows, request, threads=threads)
        assert same_bytes(alone, again), f"{chosen}: {threads} threads matter"
        counts["PHYRE attempts on published tasks"] += ATTEMPTS

    yield once


@contextmanager
def iphyre_games(counts: Counter[str], _folder: Path) -> Iterator[Round]:
    """Random games and plans: the native engine and pymunk agree at every tick."""

    def check(game: Game, rules: Rules, seed: int) -> None:
        plan = random_plan(game, rules, np.random.default_rng(seed))
        assert engines_agree(game, plan, rules), (game, plan, rules)
        counts["I-PHYRE games"] += 1

    def check_absurd(rows: list[tuple[float, float, float, float]], hz: int) -> None:
        check_absurd_ends(rows, hz)
        counts["I-PHYRE scenes of absurd numbers"] += 1

    def once(rng: np.random.Generator) -> None:
        rules = st.sampled_from((AT_10_HZ, AT_60_HZ, AT_10_HZ.clean()))
        numbers = st.integers(0, 2**32 - 1)
        try_examples(check, rng, EXAMPLES, game=own_games(), rules=rules, seed=numbers)
        try_examples(check_absurd, rng, EXAMPLES, rows=absurd_ends, hz=st.integers(1, 300))

    yield once


@contextmanager
def iphyre_episodes(counts: Counter[str], _folder: Path) -> Iterator[Round]:
    """Published games: batches, episodes, environments and both engines agree."""

    def once(rng: np.random.Generator) -> None:
        rules = (AT_10_HZ, AT_60_HZ)[int(rng.integers(2))]
        games = [ALL[k] for k in rng.integers(len(ALL), size=30)]
        attempts = [(game, random_plan(game, rules, rng)) for game in games]
        check_ways_to_play(attempts, rules)
        counts["I-PHYRE episodes in batches, one by one and in any order"] += len(attempts)
        for game, plan in attempts[:6]:
            many = replace(rules, builds=int(rng.integers(1, 7)))
            assert engines_agree(game, plan, many), (game.name, plan, many)
            counts["I-PHYRE episodes on both engines"] += 1
        strategy = list(Strategy)[int(rng.integers(len(Strategy)))]
        ended = check_slots(strategy, AT_10_HZ, rng, (Engine.NATIVE,))
        counts["I-PHYRE episodes of environments and of the rules in Python"] += ended

    yield once
