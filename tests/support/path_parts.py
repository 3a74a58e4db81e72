"""The path of the player in browser tests: its puzzles, and how they are solved."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from support.browser_parts import Visitor
from topple.iphyre.games import game_named
from topple.phyre.action import discrete_actions
from topple.phyre.cache.index import shipped_index
from topple.player.puzzles import published_task
from topple.player.solutions import find_plan


def path() -> list[dict[str, Any]]:
    """The puzzles in order."""
    file = files("topple.player") / "static" / "path.json"
    stops: list[dict[str, Any]] = json.loads(file.read_text())["puzzles"]
    return stops


def solving_action(task: str) -> list[float]:
    """The first action of the solution index that solves a task."""
    tier = published_task(task).tier
    number = int(shipped_index(tier).solutions(task)[0])
    action: list[float] = discrete_actions(tier, number + 1)[number].tolist()
    return action


def solving_ball(task: str) -> tuple[int, int, int]:
    """The ball of that action: x, y, radius in pixels."""
    balls = published_task(task).simulator.balls(0, solving_action(task))
    x, y, radius = balls.reshape(3).astype(int).tolist()
    return x, y, radius


def play_game(visitor: Visitor, name: str, removed: Callable[[], None] | None = None) -> None:
    """Play a plan that solves a game, on the ticks of the clock.

    Args:
        visitor: on the page of the game.
        name: of the game.
        removed: called after the first removal.
    """
    game = game_named(name)
    plan = find_plan(game)
    assert plan is not None
    visitor.press("Start")
    for tick, body in plan.eliminations:
        key = game.eliminable.index(body) + 1
        visitor.page.wait_for_function(
            "([seconds]) => parseFloat(document.querySelector('.hud > span + span').textContent)"
            " >= seconds",
            arg=[tick / 60],
            timeout=30_000,
        )
        visitor.page.keyboard.press(str(key))
        if removed:
            removed()
            removed = None
