"""Scrambled games: within the rules, different, and the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.episode import play
from topple.iphyre.game import MAX_ELIMINABLE, Game, GameError
from topple.iphyre.plan import Plan
from topple.iphyre.scramble import scramble
from topple.iphyre.split import Split

COUNT = 200


def made(seed: int, count: int = COUNT, combined: float = 0.0) -> list[Game]:
    rng = np.random.default_rng(seed)
    return [scramble(Split.BASIC.games, f"made_{number}", rng, combined) for number in range(count)]


def test_equal_seeds_make_equal_games() -> None:
    assert made(3, 20) == made(3, 20)
    assert made(3, 20) != made(4, 20)


def test_games_are_within_the_rules_and_of_many_kinds() -> None:
    games = made(0)
    scenes = {game.scene for game in [*games, *Split.BASIC.games]}
    assert len(scenes) == COUNT + len(Split.BASIC.games)
    assert all(game.bodies <= MAX_BODIES for game in games)
    assert max(len(game.eliminable) for game in games) == MAX_ELIMINABLE
    assert {len(game.balls) for game in games} >= {1, 2, 3}
    assert any(game.sticks for game in games)
    assert any(game.springs for game in games)
    for game in games[:20]:
        assert play(game, Plan(())).ticks > 0


def test_combined_games_have_more_bodies_and_balls() -> None:
    plain, combined = made(0), made(0, combined=1.0)
    assert all(game.bodies <= MAX_BODIES for game in combined)
    for count in (lambda game: game.bodies, lambda game: len(game.balls)):
        assert sum(map(count, combined)) > 1.2 * sum(map(count, plain))
    assert sum(len(game.balls) > 1 for game in combined) > COUNT / 2


@pytest.mark.parametrize("combined", [0.0, 1.0])
def test_joined_bodies_keep_their_distance(combined: float) -> None:
    lengths = {
        round(math.dist(*map(game.centre, pair)), 6)
        for game in Split.BASIC.games
        for pair in (*game.sticks, *game.springs)
    }
    found = {
        round(math.dist(*map(game.centre, pair)), 6)
        for game in made(1, combined=combined)
        for pair in (*game.sticks, *game.springs)
    }
    assert found == lengths


def test_balls_do_not_touch_each_other_at_first() -> None:
    for game in made(2):
        for number, ball in enumerate(game.balls[1:], start=1):
            for other in game.balls[:number]:
                gap = math.dist((ball.x, ball.y), (other.x, other.y)) - ball.radius - other.radius
                assert gap > 0


def test_a_bad_name_is_an_error() -> None:
    with pytest.raises(GameError, match="letters, digits and underscores"):
        scramble(Split.BASIC.games, "no name", np.random.default_rng(0))
