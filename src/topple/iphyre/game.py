"""Games: gray, black and blue blocks, red balls, sticks and springs."""

from __future__ import annotations

import math
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from topple.iphyre.engine.native import MAX_BLOCKS, MAX_BODIES, MAX_JOINTS
from topple.iphyre.engine.scene import LEAST_RADIUS, Scene

WIDTH = HEIGHT = 600.0  # px; y grows downwards
BLOCK_RADIUS = 10.0  # px; a block is a capsule, 20 px thick
BALL_RADIUS = 20.0  # px, unless a game says otherwise
FARTHEST = 1e6  # px from the corner; the square of a number that is too large has no value
NEAREST = 1e-100  # px, unless it is 0; the square of a smaller one vanishes, and engines differ
SHORTEST_BLOCK = 1e-6  # px; the square of a shorter length may vanish
MAX_ELIMINABLE = MAX_BLOCKS  # gray blocks a game may have: the length of the published actions

Vec = tuple[float, float]


class GameError(ValueError):
    """A game breaks a rule; the message names the game, the body and the rule."""


class Kind(Enum):
    """What a block is, by its colour."""

    GRAY = "gray"  # static until the player removes it
    BLACK = "black"  # static for ever
    BLUE = "blue"  # moves under gravity


class Block(NamedTuple):
    """A capsule between two points."""

    start: Vec  # px
    end: Vec  # px
    kind: Kind

    @property
    def centre(self) -> Vec:
        """The point to click, and the origin of the body."""
        return (self.start[0] + self.end[0]) / 2, (self.start[1] + self.end[1]) / 2


class Ball(NamedTuple):
    """A red ball, to be got out of the scene."""

    x: float  # px
    y: float  # px
    radius: float = BALL_RADIUS  # px


def gray(x1: float, y1: float, x2: float, y2: float) -> Block:
    """A block the player can remove."""
    return Block((float(x1), float(y1)), (float(x2), float(y2)), Kind.GRAY)


def black(x1: float, y1: float, x2: float, y2: float) -> Block:
    """A block that stays."""
    return Block((float(x1), float(y1)), (float(x2), float(y2)), Kind.BLACK)


def blue(x1: float, y1: float, x2: float, y2: float) -> Block:
    """A block that moves."""
    return Block((float(x1), float(y1)), (float(x2), float(y2)), Kind.BLUE)


class Game:
    """One level.

    Bodies are numbered blocks first, then balls, in the order listed; sticks and
    springs join two bodies, by number, from centre to centre. A game is checked
    when it is made and does not change afterwards.

    Attributes:
        name: unique, in lower case with underscores.
        concept: what the game tests, in a sentence.
        blocks: blocks in order.
        balls: balls in order, at least one.
        sticks: pairs of bodies held at their first distance.
        springs: pairs of bodies pulled together by a spring.
    """

    def __init__(
        self,
        name: str,
        concept: str,
        blocks: tuple[Block, ...],
        balls: tuple[Ball, ...],
        sticks: tuple[tuple[int, int], ...] = (),
        springs: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self.name = name
        self.concept = concept
        self.blocks = blocks
        self.balls = balls
        self.sticks = sticks
        self.springs = springs
        _check(self)

    def __repr__(self) -> str:
        return f"Game({self.name!r})"

    @property
    def title(self) -> str:
        """The name in words, such as "Support hinder"."""
        return self.name.replace("_", " ").capitalize()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self.scene) == (other.name, other.scene)

    def __hash__(self) -> int:
        return hash((self.name, self.scene))

    @property
    def bodies(self) -> int:
        """How many bodies there are."""
        return len(self.blocks) + len(self.balls)

    @cached_property
    def eliminable(self) -> tuple[int, ...]:
        """Bodies the player can remove, in order: the meaning of an action's entries."""
        return tuple(i for i, block in enumerate(self.blocks) if block.kind is Kind.GRAY)

    @cached_property
    def scene(self) -> Scene:
        """What the physics sees."""
        return Scene(
            ends=(
                *((*block.start, *block.end) for block in self.blocks),
                *((ball.x, ball.y, ball.x, ball.y) for ball in self.balls),
            ),
            radii=(BLOCK_RADIUS,) * len(self.blocks) + tuple(ball.radius for ball in self.balls),
            is_ball=(False,) * len(self.blocks) + (True,) * len(self.balls),
            is_dynamic=(
                *(block.kind is Kind.BLUE for block in self.blocks),
                *(True for _ in self.balls),
            ),
            pins=self.sticks,
            springs=self.springs,
        )

    def centre(self, body: int) -> Vec:
        """Where a body starts: for gray blocks, the point to click."""
        if body < len(self.blocks):
            return self.blocks[body].centre
        ball = self.balls[body - len(self.blocks)]
        return ball.x, ball.y

    def block_at(self, point: Vec, removed: frozenset[int] = frozenset()) -> int | None:
        """The gray block under a point, the first in order, or None.

        Only the straight part of a block counts: its round ends cannot be hit.
        """
        for body in self.eliminable:
            block = self.blocks[body]
            if body not in removed and covers((*block.start, *block.end), block.centre, point):
                return body
        return None


def covers(ends: tuple[float, float, float, float], centre: Vec, point: Vec) -> bool:
    """Whether a point is on the straight part of a block; on one without length, none is.

    Args:
        ends: where the block starts and ends before it moves.
        centre: where its centre is.
        point: to look at.
    """
    dx, dy = ends[0] - ends[2], ends[1] - ends[3]
    length = math.sqrt(dx**2 + dy**2)
    if length == 0.0:
        return False
    ux, uy = dx / length, dy / length
    px, py = point[0] - centre[0], point[1] - centre[1]
    return abs(px * ux + py * uy) < length / 2 and abs(px * uy - py * ux) < BLOCK_RADIUS


def _fault(numbers: tuple[float, ...]) -> str | None:
    """What is wrong with the first of some numbers that is none, too large or too small."""
    for number in numbers:
        if 0 < abs(number) < NEAREST:
            return f"{number:g}; write 0 for what is nearer to it than {NEAREST:g} px"
        if not abs(number) <= FARTHEST:  # so that it holds for what is no number, too
            return f"{number:g}; places and sizes are from {-FARTHEST:,.0f} to {FARTHEST:,.0f} px"
    return None


def _check(game: Game) -> None:
    def fail(message: str) -> GameError:
        return GameError(f"game {game.name!r}: {message}")

    if not game.name or not game.name.replace("_", "").isalnum():
        raise fail("the name must be letters, digits and underscores")
    if not game.balls:
        raise fail("there must be at least one ball")
    if game.bodies > MAX_BODIES:
        raise fail(f"{game.bodies} bodies, but at most {MAX_BODIES} are allowed")
    for i, block in enumerate(game.blocks):
        if fault := _fault((*block.start, *block.end)):
            raise fail(f"block {i} has an end at {fault}")
        if math.dist(block.start, block.end) < SHORTEST_BLOCK:
            raise fail(f"block {i} has length zero; its two ends must differ")
    for i, ball in enumerate(game.balls, start=len(game.blocks)):
        if ball.radius < LEAST_RADIUS:
            raise fail(
                f"ball {i} has radius {ball.radius}; it must be positive, "
                f"at least {LEAST_RADIUS:g} px"
            )
        if fault := _fault(ball):
            raise fail(f"ball {i} has a centre or radius of {fault}")
        if ball.y > HEIGHT:
            raise fail(f"ball {i} starts at y = {ball.y:g}, already below {HEIGHT:g}")
    if len(game.eliminable) > MAX_ELIMINABLE:
        raise fail(f"{len(game.eliminable)} gray blocks, but at most {MAX_ELIMINABLE} are allowed")
    joints = len(game.sticks) + len(game.springs)
    if joints > MAX_JOINTS:
        raise fail(f"{joints} sticks and springs, but at most {MAX_JOINTS} are allowed")
    for word, pairs in (("stick", game.sticks), ("spring", game.springs)):
        for pair in pairs:
            _check_joint(game, word, pair)
    _check_clicks(game)


def _check_joint(game: Game, word: str, pair: tuple[int, int]) -> None:
    where = f"game {game.name!r}: {word} {list(pair)}"
    if len(pair) != 2:
        raise GameError(f"{where} must name two bodies")
    for body in pair:
        if not 0 <= body < game.bodies:
            raise GameError(f"{where} names body {body}, but bodies are 0 to {game.bodies - 1}")
    if pair[0] == pair[1]:
        raise GameError(f"{where} joins a body to itself")
    if not any(game.scene.is_dynamic[body] for body in pair):
        raise GameError(f"{where} joins two bodies that cannot move")
    if game.centre(pair[0]) == game.centre(pair[1]):
        raise GameError(f"{where} joins bodies with the same centre, so it has no direction")


def _check_clicks(game: Game) -> None:
    """A click on a gray block's centre must mean that block, or actions are ambiguous."""
    for body in game.eliminable:
        hit = game.block_at(game.centre(body))
        if hit != body:
            raise GameError(
                f"game {game.name!r}: block {body} cannot be clicked at its centre, "
                f"because block {hit} covers that point"
            )
    centres = sorted(game.centre(body) for body in game.eliminable)
    for first, second in pairwise(centres):
        if first == second:
            raise GameError(f"game {game.name!r}: two gray blocks share the centre {first}")
