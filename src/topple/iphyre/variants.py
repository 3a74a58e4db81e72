"""Variants of games: the same puzzle mirrored, moved, in another order, with more blocks.

For training: an agent that has seen ten scenes only can learn them by heart. A variant keeps what
matters for the solution and changes what does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.game import (
    BLOCK_RADIUS,
    HEIGHT,
    MAX_ELIMINABLE,
    WIDTH,
    Ball,
    Block,
    Game,
    GameError,
    Kind,
    Vec,
)

SHIFT = 40.0  # px, of the whole scene, sideways
MARGIN = 45.0  # px between a further block and the line of any other body
LENGTHS = (40.0, 120.0)  # px, of further blocks
FURTHER = 2  # blocks at most
TRIES = 20  # at placing a body, and at making a game


def vary(game: Game, name: str, rng: np.random.Generator) -> Game:
    """A variant of a game under another name.

    The scene is moved sideways and mirrored or not, gray blocks are listed in another order, and
    up to two gray blocks are added that nothing touches at the start.

    Raises:
        GameError: The name is none.
    """
    return first_valid(lambda: _variant(game, name, rng))


def first_valid(make: Callable[[], Game]) -> Game:
    """The first game that keeps the rules: a further block may cover another's centre."""
    for _ in range(TRIES):
        with suppress(GameError):
            return make()
    return make()


def _variant(game: Game, name: str, rng: np.random.Generator) -> Game:
    shift, mirror = float(rng.uniform(-SHIFT, SHIFT)), bool(rng.integers(2))

    def place(x: float) -> float:
        return (WIDTH - x if mirror else x) + shift

    moved = [
        Block((place(b.start[0]), b.start[1]), (place(b.end[0]), b.end[1]), b.kind)
        for b in game.blocks
    ]
    balls = tuple(Ball(place(ball.x), ball.y, ball.radius) for ball in game.balls)
    # Places of blocks in the variant, by their old numbers; further ones come after the last gray.
    order = list(range(len(moved)))
    shuffled = rng.permutation(game.eliminable).tolist()
    for position, body in zip(game.eliminable, shuffled, strict=True):
        order[position] = body
    blocks = [moved[body] for body in order]
    first = max(game.eliminable) + 1
    room = min(MAX_ELIMINABLE - len(game.eliminable), MAX_BODIES - game.bodies, FURTHER)
    added = [_further(blocks, balls, rng) for _ in range(int(rng.integers(room + 1)))]
    extra = [block for block in added if block is not None]
    numbers = {body: k + (len(extra) if k >= first else 0) for k, body in enumerate(order)}
    numbers |= {k: k + len(extra) for k in range(len(moved), game.bodies)}
    joints = [
        tuple((numbers[a], numbers[b]) for a, b in pairs) for pairs in (game.sticks, game.springs)
    ]
    blocks[first:first] = extra
    return Game(name, game.concept, tuple(blocks), balls, *joints)


def _further(
    blocks: list[Block], balls: tuple[Ball, ...], rng: np.random.Generator
) -> Block | None:
    """A gray block away from everything, or None where there is no room for it."""
    for _ in range(TRIES):
        x, y = rng.uniform(BLOCK_RADIUS, (WIDTH - BLOCK_RADIUS, HEIGHT - BLOCK_RADIUS)).tolist()
        length, angle = rng.uniform(*LENGTHS), rng.uniform(0, math.pi)
        dx, dy = length / 2 * math.cos(angle), length / 2 * math.sin(angle)
        block = Block((x - dx, y - dy), (x + dx, y + dy), Kind.GRAY)
        others = [*((b.start, b.end) for b in blocks), *(((b.x, b.y),) * 2 for b in balls)]
        if all(apart((block.start, block.end), ends) > MARGIN for ends in others):
            return block
    return None


def apart(ours: tuple[Vec, Vec], theirs: tuple[Vec, Vec]) -> float:
    """About the distance of two segments: of points along both."""
    steps = np.linspace(0, 1, 12)[:, None]
    first, second = (
        np.asarray(start) + steps * (np.asarray(end) - np.asarray(start))
        for start, end in (ours, theirs)
    )
    return float(np.linalg.norm(first[:, None] - second[None], axis=-1).min())
