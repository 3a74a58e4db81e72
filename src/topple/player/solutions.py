"""Solutions to show, and hints taken from them.

The solution of a task comes from a run record, from the action cache, or from a search; that of a
game from the random plans that measure its difficulty.
"""

from __future__ import annotations

import time
from functools import lru_cache
from itertools import islice

import numpy as np

from topple.iphyre.game import Game
from topple.iphyre.plan import Plan
from topple.iphyre.sampling import play_draws
from topple.paths import cache_folder
from topple.phyre.action import Actions, discrete_actions
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.draft import WALL_COUNT
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.engine.result import AttemptResult, Outcome
from topple.phyre.task import load_task
from topple.phyre.tier import Tier
from topple.player.models.base import Hint
from topple.player.puzzles import RADIUS_MAX, RULES, PhyreTask, published_task
from topple.player.runs import RunIndex

SEARCHED = 100_000  # actions of the fixed list at most, as time allows
SEARCH_SECONDS = 12.0
SETTLE_SECONDS = 2.0  # after this, a solution that is not stable is accepted too
_CHUNK = 1000
REGION = 40.0  # px, radius of the region of a hint
GRID = 32  # px between the middles of regions
PLANS_TRIED = 4000  # random plans of a game at most
PLANS_COMPARED = 3  # of those that solve it


def find_solution(runs: RunIndex, task: PhyreTask) -> tuple[list[float], str] | None:
    """An action that solves a task, and where it comes from."""
    recorded = runs.solution(task.name)
    if recorded is not None:
        return recorded
    if task.template is None:
        action = search(task)
    else:
        cached = _cached(task.name)
        if cached is not None:
            return cached, "from the known solutions"
        action = _published(task.name)
    return None if action is None else (list(action), "found by search")


def _cached(name: str) -> list[float] | None:
    """The first action of the fixed list that is known to solve a task."""
    task = load_task(name)
    cache = ActionCache(cache_folder() / ACTION_CACHE, task.tier)
    solved = np.flatnonzero(cache.known([task], SEARCHED)[0] == Outcome.SOLVED)
    if not len(solved):
        return None
    first = int(solved[0])
    action: list[float] = cache.actions(first + 1)[first].tolist()
    return action


@lru_cache(maxsize=2)
def _actions(tier: Tier) -> Actions:
    return discrete_actions(tier, SEARCHED)


def search(task: PhyreTask, seconds: float = SEARCH_SECONDS) -> tuple[float, ...] | None:
    """A solution from the fixed list of actions, a stable one if there is time to find it."""
    start = time.monotonic()
    actions = _actions(task.tier)
    unstable: tuple[float, ...] | None = None
    for first in range(0, len(actions), _CHUNK):
        chunk = actions[first : first + _CHUNK]
        outcome = task.simulator.attempts(0, chunk, stable=True).outcome
        stable = np.flatnonzero(outcome == Outcome.STABLY_SOLVED)
        if len(stable):
            return tuple(chunk[stable[0]].tolist())
        solved = np.flatnonzero(outcome > 0)
        if unstable is None and len(solved):
            unstable = tuple(chunk[solved[0]].tolist())
        spent = time.monotonic() - start
        if spent > seconds or (unstable is not None and spent > SETTLE_SECONDS):
            break
    return unstable


@lru_cache(maxsize=5000)
def _published(name: str) -> tuple[float, ...] | None:
    return search(published_task(name))


def task_hint(task: PhyreTask, action: list[float], level: int) -> Hint:
    """A hint at a solution of a task: where to look, which body matters, or a region."""
    result = task.attempt(action)
    balls = [(x, y, radius) for x, y, radius in result.balls.tolist()]
    if level == 1:
        return Hint(text=f"Look at the {' and at the '.join(map(_part, balls))} of the scene.")
    if level == 2:
        body = _first_met(task, result)
        text = "Your ball" if len(balls) == 1 else "One of your balls"
        if body is None:
            return Hint(text=f"{text} has to get in the way: it meets nothing at first.")
        return Hint(text=f"{text} has to meet the marked body first.", body=body)
    spots = [(_grid(x), _grid(y), REGION) for x, y, _ in balls]
    one = len(balls) == 1
    sizes = " and ".join(_size(radius) for *_, radius in balls)
    return Hint(
        text=f"Place {'a' if one else 'one'} {sizes} ball inside {'the' if one else 'each'} ring.",
        regions=spots,
    )


def _part(ball: tuple[float, float, float]) -> str:
    """The ninth of the scene that a ball is in."""
    x, y, _ = ball
    across = ("left", "middle", "right")[min(int(3 * x / SCENE_SIZE), 2)]
    up = ("bottom", "", "top")[min(int(3 * y / SCENE_SIZE), 2)]
    return f"{up} {across}".strip()


def _size(radius: float) -> str:
    return (
        "small" if radius < RADIUS_MAX / 3 else "large" if radius > RADIUS_MAX / 1.5 else "medium"
    )


def _grid(value: float) -> float:
    """A coordinate on a coarse grid, so that the middle of a region is not the solution."""
    return round(value / GRID) * GRID


def _first_met(task: PhyreTask, result: AttemptResult) -> int | None:
    """The first movable body that the player's balls touch, or else the first of all bodies."""
    bodies = task.scene.bodies
    assert result.contacts is not None
    met = [
        other
        for one, two in zip(result.contacts["body_a"], result.contacts["body_b"], strict=True)
        for ball, other in ((one, two), (two, one))
        if ball >= len(bodies) and WALL_COUNT <= other < len(bodies)
    ]
    loose = [body for body in met if bodies[body].dynamic]
    return int((loose or met)[0]) if met else None


@lru_cache(maxsize=128)
def find_plan(game: Game) -> Plan | None:
    """A plan that solves a game: the best of the first few that random draws give."""
    draws = islice(play_draws(game), PLANS_TRIED)
    solving = list(islice((draw for draw in draws if draw.score.solved), PLANS_COMPARED))
    return max(solving, key=lambda draw: draw.score.reward).plan if solving else None


def game_hint(game: Game, plan: Plan, level: int) -> Hint:
    """A hint at a solution of a game: its idea, the first block to remove, or all in order."""
    if level == 1:
        return Hint(text=game.concept or "Watch what keeps the balls from falling.")
    keys = {body: key for key, body in enumerate(game.eliminable, start=1)}
    removals = plan.eliminations
    if not removals:
        return Hint(text="Nothing has to be removed: start, and wait.")
    if level == 2:
        return Hint(text="Remove the marked block first.", body=removals[0].body)
    steps = [f"block {keys[body]} after {tick / RULES.hz:.1f} s" for tick, body in removals]
    return Hint(text=f"Remove {', then '.join(steps)}.", body=removals[0].body)
