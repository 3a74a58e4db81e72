"""The native engine against pymunk, live: every body, every tick, every bit."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.tally import Tally
from topple.iphyre import ALL, AT_10_HZ, AT_60_HZ, Ball, Game, Plan, Rules
from topple.iphyre.engine.batch import Engine, EngineError, World, new_world, simulate_batch
from topple.iphyre.engine.scene import LEAST_RADIUS, Exit, Params, Scene
from topple.iphyre.engine_hash import FAITHFUL, engine_hash
from topple.iphyre.episode import Episode, play_batch
from topple.iphyre.game import Block, GameError, Kind
from topple.iphyre.rules import Quirk
from torture.games import absurd_ends, check_absurd_ends, engines_agree, own_games, random_plan


@pytest.mark.parametrize("rules", [AT_60_HZ, AT_10_HZ], ids=["60 Hz", "10 Hz"])
def test_bits_without_the_reference(rules: Rules) -> None:
    """A build that fuses operations, or a step out of order, shows here."""
    assert engine_hash(rules) == FAITHFUL[rules.hz]


def compare(seed: int, plans: int, tally: Tally, label: str) -> None:
    rng = np.random.default_rng(seed)
    wrong = []
    for game in ALL:
        for rules in (AT_60_HZ, AT_10_HZ):
            for _ in range(plans):
                rules = replace(rules, builds=int(rng.integers(1, 7)))
                plan = random_plan(game, rules, rng)
                if not engines_agree(game, plan, rules):
                    wrong.append((game.name, plan, rules.hz, rules.builds))
    tally(label, len(wrong), 2 * plans * len(ALL))
    assert wrong == [], f"seed {seed}"


def test_random_plans(tally: Tally) -> None:
    compare(7, 1, tally, "random plans played by both engines, every tick")


@pytest.mark.slow
def test_many_fresh_plans(tally: Tally) -> None:
    seed = int(np.random.default_rng().integers(2**32))
    compare(seed, 20, tally, f"fresh plans (seed {seed}) played by both engines, every tick")


@pytest.mark.parametrize("hz", [10, 60, 17])
def test_clean_rules_and_other_rates(hz: int) -> None:
    """Inertia grows with length, and the length of a tick is not one of the published."""
    rng = np.random.default_rng(hz)
    for rules in (Rules(hz), Rules(hz).clean(), Rules(hz, quirks=frozenset({Quirk.NO_HOLE}))):
        for game in ALL[::7]:
            assert engines_agree(game, random_plan(game, rules, rng), rules)


@pytest.mark.parametrize("engine", Engine)
def test_batches_of_both_engines(engine: Engine) -> None:
    pytest.importorskip("pymunk")
    rules = replace(AT_10_HZ, engine=engine)
    rng = np.random.default_rng(5)
    attempts = [(game, random_plan(game, rules, rng)) for game in ALL]
    scores = play_batch(attempts, rules)
    assert scores == play_batch(attempts, AT_10_HZ)
    assert 3 < sum(score.solved for score in scores) < 47


@pytest.mark.parametrize("engine", Engine)
def test_episodes_of_both_engines(engine: Engine) -> None:
    pytest.importorskip("pymunk")
    rules = replace(AT_10_HZ, engine=engine)
    game = ALL[3]
    episode = Episode(game, rules)
    episode.run(20)
    episode.remove(game.eliminable[0])
    episode.step()
    twin = episode.branch()
    assert twin.state == episode.state
    assert twin.world.poses().tobytes() == episode.world.poses().tobytes()
    np.testing.assert_array_equal(twin.world.ends(), episode.world.ends())
    assert twin.world.joined() == episode.world.joined()


def test_contacts_of_both_engines() -> None:
    pytest.importorskip("pymunk")

    def contacts(world: World) -> set[tuple[float, ...]]:
        """In whichever direction."""
        rows = np.round(world.contacts(), 6)
        back = np.hstack((rows[:, 2:4], rows[:, :2], -rows[:, 4:]))
        return {max(map(tuple, pair)) for pair in zip(rows.tolist(), back.tolist(), strict=True)}

    seen = 0
    for game in ALL[::3]:
        worlds = [new_world(game.scene, 0.1, engine=engine) for engine in Engine]
        for tick in range(30):
            for world in worlds:
                world.step(1)
                if tick == 15:
                    world.remove(game.eliminable[0])
            native, pymunk = map(contacts, worlds)
            assert native == pymunk
            seen += len(native)
    assert seen > 500


@settings(max_examples=60, deadline=None)
@given(own_games(), st.sampled_from((AT_10_HZ, AT_60_HZ)), st.integers(0, 2**32 - 1))
def test_own_games(game: Game, rules: Rules, seed: int) -> None:
    plan = random_plan(game, rules, np.random.default_rng(seed))
    assert engines_agree(game, plan, rules)


@settings(max_examples=60, deadline=None)
@given(absurd_ends, st.integers(1, 300))
def test_absurd_numbers_do_no_harm(rows: list[tuple[float, float, float, float]], hz: int) -> None:
    check_absurd_ends(rows, hz)


def test_too_many_joints_are_named() -> None:
    balls = (Ball(100, 100), Ball(200, 100))
    with pytest.raises(GameError, match=r"game 'many': 25 sticks and springs, but at most 24"):
        Game("many", "", (), balls, ((0, 1),) * 25)


def test_a_missing_engine_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymunk", None)
    monkeypatch.setitem(sys.modules, "pymunk._chipmunk_cffi", None)
    monkeypatch.delitem(sys.modules, "topple.iphyre.engine.pymunk_engine", raising=False)
    monkeypatch.delitem(sys.modules, "topple.pymunk_memory", raising=False)
    with pytest.raises(EngineError, match=r"'pymunk' is not installed; run: pip install"):
        new_world(ALL[0].scene, 0.1, engine=Engine.PYMUNK)


def test_results_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(2)
    scenes = [game.scene for game in ALL]
    index = rng.integers(len(ALL), size=300)
    removals = np.full((300, 12), -1)
    for row, which in zip(removals, index, strict=True):
        for body in ALL[which].eliminable:
            row[body] = rng.integers(0, 120)
    alone = simulate_batch(scenes, index, removals, AT_10_HZ.request, threads=1)
    for threads in (2, 3, 8):
        crowd = simulate_batch(scenes, index, removals, AT_10_HZ.request, threads=threads)
        for a, b in zip(alone, crowd, strict=True):
            np.testing.assert_array_equal(a, b)


ARRAYS: dict[str, Any] = {"scene_index": [0], "removals": np.full((1, 12), -1)}
MISSHAPEN = {
    "a scene number with a fraction": ({"scene_index": [0.7]}, "scene_index has 0.7"),
    "a scene number that is none": ({"scene_index": [math.nan]}, "scene_index has nan"),
    "scene numbers in a table": ({"scene_index": [[0]]}, "scene_index has shape"),
    "a removal that is no number": ({"removals": np.full((1, 12), math.nan)}, "removals has nan"),
    "a removal at no end": ({"removals": np.full((1, 12), math.inf)}, "removals has inf"),
    "a removal beyond 32 bits": (
        {"removals": np.full((1, 12), 2**40)},
        "removals has 1099511627776",
    ),
    "builds that are no number": ({"builds": [math.nan]}, "builds has nan"),
    "half a build": ({"builds": [1.5]}, "builds has 1.5"),
    "an endless limit": ({"limits": [math.inf]}, "limits has inf"),
    "a limit beyond 32 bits": ({"limits": [2**31]}, "limits has 2147483648"),
}


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize(("changes", "message"), MISSHAPEN.values(), ids=list(MISSHAPEN))
def test_numbers_that_mean_nothing_are_refused(
    engine: Engine, changes: dict[str, Any], message: str
) -> None:
    request = replace(AT_10_HZ, engine=engine).request
    with pytest.raises(ValueError, match=message):
        simulate_batch([ALL[0].scene], request=request, **(ARRAYS | changes))


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ends": ((math.nan, 0.0, 1.0, 1.0),)}, "body 0 .* finite"),
        ({"ends": ((math.inf, 0.0, 1.0, 1.0),)}, "body 0 .* finite"),
        ({"radii": (math.nan,)}, "body 0 has radius nan"),
        ({"radii": (1e-300,)}, "body 0 has radius 1e-300; the least is 1e-06"),
        ({"radii": (-1.0,)}, r"body 0 has radius -1\.0"),
        ({"velocities": ((0.0, 0.0, math.inf),)}, "body 0 .* finite"),
    ],
)
def test_scenes_that_mean_nothing_are_refused(
    engine: Engine, changes: dict[str, Any], message: str
) -> None:
    pytest.importorskip("pymunk")
    scene = Scene(((9.0, 9.0, 9.0, 9.0),), (2.0,), (True,), (True,))._replace(**changes)
    request = replace(AT_10_HZ, engine=engine).request
    with pytest.raises(ValueError, match=message):
        simulate_batch([scene], [0], [[-1]], request)
    with pytest.raises(ValueError, match=message):
        new_world(scene, 0.1, engine=engine)


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"params": Params(gravity=math.nan)}, "gravity is nan"),
        ({"params": Params(spring_rest=math.inf)}, "spring_rest is inf"),
        ({"params": Params(mass=0.0)}, r"mass is 0\.0; it must be positive"),
        ({"out": Exit(math.nan)}, "a border that is not a number"),
        ({"out": Exit(600.0, (0.0, math.nan))}, "a border that is not a number"),
        ({"ticks": math.inf}, "limits has inf"),
    ],
)
def test_requests_that_mean_nothing_are_refused(
    engine: Engine, changes: dict[str, Any], message: str
) -> None:
    pytest.importorskip("pymunk")
    request = replace(AT_10_HZ, engine=engine).request._replace(**changes)
    with pytest.raises(ValueError, match=message):
        simulate_batch([ALL[0].scene], [0], np.full((1, 12), -1), request)


@pytest.mark.parametrize("radius", [LEAST_RADIUS, 1e-5, 1e-3])
def test_the_smallest_balls_agree(radius: float) -> None:
    blocks = (Block((200.0, 400.0), (300.0, 410.0), Kind.BLACK),)
    balls = (Ball(250.0, 390.0, radius), Ball(250.0 + radius, 380.0, radius), Ball(251.0, 350.0))
    assert engines_agree(Game("tiny", "", blocks, balls), Plan(), AT_60_HZ)
