"""Scrambled games: new puzzles put together from pieces of others, for training.

A variant keeps its puzzle. A scrambled game does not: bodies of one game are moved and turned,
bodies of another are lent to it, and balls and blocks are added. If asked for, another game is put
in as a whole. A scrambled game may have no solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.game import (
    BALL_RADIUS,
    BLOCK_RADIUS,
    HEIGHT,
    MAX_ELIMINABLE,
    WIDTH,
    Ball,
    Block,
    Game,
    Kind,
    Vec,
)
from topple.iphyre.variants import apart, first_valid

# How often each change is made.
MOVED, LENT, MORE_BALLS, MORE_BLOCKS, REORDERED = 0.7, 0.6, 0.35, 0.5, 0.5
STAYS = 0.4  # the share of bodies that are not moved along with the others
NEAR, FAR = 60.0, 150.0  # px, of a whole game's shift sideways; half as much up and down
SPREADS = (8.0, 20.0, 40.0)  # px, of one body's move
TURN = 0.15  # radians, of a block's
STRETCH = (0.7, 1.3)  # of a block's length
BALL_SPREAD = (90.0, 60.0)  # px from another ball
HALF_LENGTHS = (20.0, 90.0)  # px, of further blocks
EDGE = 40.0  # px from the border to their centres
MOST = 3  # bodies added of a kind
_GAP = 2.0  # px between an added body and any other, at least
_KINDS = (Kind.GRAY, Kind.GRAY, Kind.BLACK, Kind.BLUE)  # of further blocks


class _Piece(NamedTuple):
    start: Vec
    end: Vec
    kind: Kind | None  # None: a ball
    radius: float


class _Scene(NamedTuple):
    pieces: list[_Piece]
    sticks: list[tuple[int, int]]
    springs: list[tuple[int, int]]

    def add(self, pieces: Sequence[_Piece]) -> bool:
        """Put pieces in if there is room for all of them."""
        free = len(self.pieces) + len(pieces) <= MAX_BODIES and all(
            apart((piece.start, piece.end), (other.start, other.end))
            > piece.radius + other.radius + _GAP
            for piece in pieces
            for other in self.pieces
        )
        if free:
            self.pieces.extend(pieces)
        return free


def scramble(
    games: Sequence[Game], name: str, rng: np.random.Generator, combined: float = 0.0
) -> Game:
    """A new game made of pieces of others.

    Args:
        games: where pieces come from.
        name: of the new game.
        rng: of all random choices.
        combined: how often another game is put in as a whole, as far as it fits.

    Raises:
        GameError: The name is none.
    """
    return first_valid(lambda: _scrambled(games, name, rng, combined))


def _scrambled(games: Sequence[Game], name: str, rng: np.random.Generator, combined: float) -> Game:
    scene = _moved_as_one(_any_of(games, rng), NEAR, rng)
    if combined and rng.random() < combined:
        _put_in(scene, _moved_as_one(_any_of(games, rng), FAR, rng))
    if rng.random() < MOVED:
        _move(scene, rng)
    if rng.random() < LENT:
        _lend(scene, _moved_as_one(_any_of(games, rng), FAR, rng), rng)
    if rng.random() < MORE_BALLS:
        _add_balls(scene, rng)
    if rng.random() < MORE_BLOCKS:
        _add_blocks(scene, rng)
    return _game(scene, name, rng)


def _any_of(games: Sequence[Game], rng: np.random.Generator) -> Game:
    return games[int(rng.integers(len(games)))]


def _moved_as_one(game: Game, reach: float, rng: np.random.Generator) -> _Scene:
    """The pieces of a game, all shifted alike, and mirrored or not."""
    mirror = bool(rng.integers(2))
    right, down = float(rng.uniform(-reach, reach)), float(rng.uniform(-reach, reach)) / 2

    def place(point: Vec) -> Vec:
        return (WIDTH - point[0] if mirror else point[0]) + right, point[1] + down

    blocks = [_Piece(place(b.start), place(b.end), b.kind, BLOCK_RADIUS) for b in game.blocks]
    balls = [_Piece(place((b.x, b.y)), place((b.x, b.y)), None, b.radius) for b in game.balls]
    return _Scene([*blocks, *balls], list(game.sticks), list(game.springs))


def _move(scene: _Scene, rng: np.random.Generator) -> None:
    """Move most bodies, turn and stretch blocks; what is joined stays where it is."""
    joined = {body for pair in (*scene.sticks, *scene.springs) for body in pair}
    spread = float(rng.choice(SPREADS))
    for k, piece in enumerate(scene.pieces):
        if k in joined or rng.random() < STAYS:
            continue
        dx, dy = rng.normal(0.0, spread, 2).tolist()
        (x1, y1), (x2, y2) = piece.start, piece.end
        centre = (x1 + x2) / 2 + dx, (y1 + y2) / 2 + dy
        half, angle = 0.0, 0.0
        if piece.kind is not None:
            half = math.dist(piece.start, piece.end) / 2 * float(rng.uniform(*STRETCH))
            turn = float(rng.normal(0.0, TURN)) * bool(rng.integers(2))
            angle = math.atan2(y2 - y1, x2 - x1) + turn
        scene.pieces[k] = _around(centre, half, angle, piece.kind, piece.radius)


def _around(centre: Vec, half: float, angle: float, kind: Kind | None, radius: float) -> _Piece:
    dx, dy = half * math.cos(angle), half * math.sin(angle)
    return _Piece((centre[0] - dx, centre[1] - dy), (centre[0] + dx, centre[1] + dy), kind, radius)


def _lend(scene: _Scene, other: _Scene, rng: np.random.Generator) -> None:
    """Take over some bodies of another game, and now and then two that are joined."""
    order = rng.permutation(len(other.pieces)).tolist()
    chosen = order[: int(rng.integers(1, MOST + 2))]
    _take(scene, other, chosen, lambda: bool(rng.integers(2)))


def _put_in(scene: _Scene, other: _Scene) -> None:
    """Take over all bodies of another game that fit, balls first."""
    bodies = range(len(other.pieces))
    _take(scene, other, sorted(bodies, key=lambda body: other.pieces[body].kind is not None))


def _take(
    scene: _Scene,
    other: _Scene,
    chosen: Sequence[int],
    is_wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Take over bodies of another game, and before them pairs that are joined, if wanted."""
    taken: set[int] = set()
    for pairs, ours in ((other.sticks, scene.sticks), (other.springs, scene.springs)):
        for first, second in pairs:
            place = len(scene.pieces)
            if is_wanted() and scene.add([other.pieces[first], other.pieces[second]]):
                ours.append((place, place + 1))
                taken |= {first, second}
    for body in chosen:
        if body not in taken:
            scene.add([other.pieces[body]])


def _add_balls(scene: _Scene, rng: np.random.Generator) -> None:
    """Put balls near the first one."""
    first = next(piece for piece in scene.pieces if piece.kind is None)
    for _ in range(int(rng.integers(1, MOST + 1))):
        dx, dy = rng.normal(0.0, BALL_SPREAD).tolist()
        centre = first.start[0] + dx, first.start[1] + dy
        scene.add([_around(centre, 0.0, 0.0, None, BALL_RADIUS)])


def _add_blocks(scene: _Scene, rng: np.random.Generator) -> None:
    """Put blocks anywhere, half of them level, a quarter upright."""
    for _ in range(int(rng.integers(1, MOST + 1))):
        x, y = rng.uniform(EDGE, (WIDTH - EDGE, HEIGHT - EDGE)).tolist()
        angle = (0.0, 0.0, math.pi / 2, float(rng.uniform(0, math.pi)))[int(rng.integers(4))]
        kind = _KINDS[int(rng.integers(len(_KINDS)))]
        half = float(rng.uniform(*HALF_LENGTHS))
        scene.add([_around((x, y), half, angle, kind, BLOCK_RADIUS)])


def _game(scene: _Scene, name: str, rng: np.random.Generator) -> Game:
    """The scene as a game: blocks first, and gray ones that are too many turned black."""
    gray = [k for k, piece in enumerate(scene.pieces) if piece.kind is Kind.GRAY]
    fixed = rng.permutation(gray).tolist()[MAX_ELIMINABLE:]
    kinds = {k: piece.kind for k, piece in enumerate(scene.pieces) if piece.kind is not None}
    kinds |= dict.fromkeys(fixed, Kind.BLACK)
    blocks = list(kinds)
    if rng.random() < REORDERED:
        blocks = rng.permutation(blocks).tolist()
    balls = [k for k in range(len(scene.pieces)) if k not in kinds]
    number = {body: place for place, body in enumerate([*blocks, *balls])}
    return Game(
        name,
        "put together from pieces of other games",
        tuple(Block(scene.pieces[k].start, scene.pieces[k].end, kinds[k]) for k in blocks),
        tuple(Ball(*scene.pieces[k].start, scene.pieces[k].radius) for k in balls),
        tuple((number[a], number[b]) for a, b in scene.sticks),
        tuple((number[a], number[b]) for a, b in scene.springs),
    )
