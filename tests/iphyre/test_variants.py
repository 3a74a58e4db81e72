"""Variants of games keep what matters."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from topple.iphyre.episode import play
from topple.iphyre.game import MAX_ELIMINABLE, Game, GameError, Kind
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.split import Split
from topple.iphyre.variants import vary

COUNT = 12


@pytest.mark.parametrize("game", Split.BASIC.games, ids=lambda game: game.name)
def test_variants_have_the_same_bodies_and_a_few_more(game: Game) -> None:
    rng = np.random.default_rng(0)
    kinds = Counter(block.kind for block in game.blocks)
    extra = set()
    for number in range(COUNT):
        made = vary(game, f"{game.name}_{number}", rng)
        found = Counter(block.kind for block in made.blocks)
        assert found - kinds == Counter({Kind.GRAY: found[Kind.GRAY] - kinds[Kind.GRAY]})
        assert len(made.eliminable) <= MAX_ELIMINABLE
        assert len(made.balls) == len(game.balls)
        extra.add(len(made.blocks) - len(game.blocks))
        for ours, theirs in ((made.sticks, game.sticks), (made.springs, game.springs)):
            assert [_length(made, pair) for pair in ours] == pytest.approx(
                [_length(game, pair) for pair in theirs]
            )
    assert 0 in extra
    assert max(extra) == min(2, MAX_ELIMINABLE - len(game.eliminable))


def _length(game: Game, pair: tuple[int, int]) -> float:
    (x1, y1), (x2, y2) = (game.centre(body) for body in pair)
    return float(np.hypot(x1 - x2, y1 - y2))


def test_solutions_carry_over() -> None:
    """A plan by places solves most variants of a game it solves: mirrored physics is the same."""
    game = Split.BASIC.games[0]
    plan = Plan((Elimination(5, 0), Elimination(8, 1)))
    assert play(game, plan).solved
    rng = np.random.default_rng(1)
    solved = 0
    for number in range(COUNT):
        made = vary(game, f"{game.name}_{number}", rng)
        heights = [game.centre(body)[1] for body in game.eliminable]
        lengths = [_span(game, body) for body in game.eliminable]
        moved = [
            next(
                body
                for body in made.eliminable
                if made.centre(body)[1] == height and _span(made, body) == pytest.approx(length)
            )
            for height, length in zip(heights, lengths, strict=True)
        ]
        steps = [
            Elimination(tick, moved[game.eliminable.index(b)]) for tick, b in plan.eliminations
        ]
        solved += play(made, Plan(tuple(steps))).solved
    assert solved >= COUNT - 2


def _span(game: Game, body: int) -> float:
    return abs(game.blocks[body].start[0] - game.blocks[body].end[0])


def test_a_bad_name_is_an_error_and_not_tried_for_ever() -> None:
    with pytest.raises(GameError, match="letters, digits and underscores"):
        vary(Split.BASIC.games[0], "no name", np.random.default_rng(0))
