"""Replays: an attempt simulated again from its action or plan."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from topple.iphyre.episode import watch
from topple.iphyre.game import Game
from topple.iphyre.pictures import picture_episode
from topple.iphyre.plan import Elimination, Plan, PlanError
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
from topple.media.files import DEFAULT_FPS, DrawnFrames, FrameFileError, save_frames
from topple.phyre.pictures import film
from topple.phyre.scene import Scene
from topple.player.errors import InvalidError, raised_as
from topple.player.geometry import game_geometry, moving_bodies, trajectory
from topple.player.models import base
from topple.player.models.replays import FilmFormat, GameReplay, PhyreReplay, ReplayHz
from topple.player.puzzles import NamedGame, PhyreTask, outcome_name

_RULES = {ReplayHz.PEOPLE: AT_60_HZ, ReplayHz.AGENTS: AT_10_HZ}
_HOLD = 1.0  # seconds that a GIF shows its last frame
_FPS = {ReplayHz.PEOPLE: DEFAULT_FPS, ReplayHz.AGENTS: 10}


def parse_action(text: str) -> list[float]:
    """Read an action from a link.

    Raises:
        InvalidError: the text is no action.
    """
    try:
        action = [float(part) for part in text.split(",")]
    except ValueError:
        action = []
    if not action or not all(math.isfinite(number) and 0 <= number <= 1 for number in action):
        raise InvalidError("action: 3 or 6 numbers from 0 to 1, separated by commas, are needed")
    return action


def parse_plan(text: str) -> Plan:
    """Read a plan from a link, whose form the route has checked."""
    pairs = (part.split(":") for part in text.split(",") if part)
    return Plan(tuple(Elimination(int(tick), int(body)) for tick, body in pairs))


def action_text(action: Sequence[float]) -> str:
    """Write an action for a link, exact to the last bit."""
    return ",".join(repr(float(number)) for number in action)


def plan_text(plan: Plan) -> str:
    """Write a plan for a link."""
    return ",".join(f"{tick}:{body}" for tick, body in plan.eliminations)


def phyre_replay(task: PhyreTask, action: list[float], stride: int) -> PhyreReplay:
    """Simulate a PHYRE attempt to watch."""
    result = task.attempt(action)
    if not result.outcome.is_valid:
        raise InvalidError(task.validity(action).reason or "the action is invalid")
    return PhyreReplay.from_object(
        task,
        task=task.name,
        name=task.title,
        action=action,
        outcome=outcome_name(result.outcome),
        steps=result.steps,
        scene=task.model,
        trajectory=task.trajectory(result, stride),
        link=f"/#/replay/phyre/{task.name}?action={action_text(action)}",
    )


def game_replay(named: NamedGame, plan: Plan, hz: ReplayHz) -> GameReplay:
    """Simulate an I-PHYRE attempt to watch."""
    game, rules = named.game, _RULES[hz]
    with raised_as(InvalidError, PlanError):
        trace = watch(game, plan, rules)
    ticks, removed = len(trace.poses) - 1, int((~trace.present[-1]).sum())
    rate = "" if rules is AT_60_HZ else f"&hz={rules.hz}"
    return GameReplay(
        game=named.name,
        title=game.title,
        plan=[base.Elimination(tick=tick, body=body) for tick, body in plan.eliminations],
        solved=trace.solved,
        reward=rules.reward(ticks, removed, trace.solved),
        ticks=ticks,
        hz=rules.hz,
        trajectory=trajectory(trace.poses, moving_bodies(game), rules.hz),
        link=f"/#/replay/iphyre/{named.name}?plan={plan_text(plan)}{rate}",
        **game_geometry(game),
    )


@lru_cache(maxsize=32)
def phyre_film(scene: Scene, action: tuple[float, ...], size: int, kind: FilmFormat) -> bytes:
    """Draw a PHYRE attempt into a file; the action must be valid."""
    frames = film(scene, action, size).frames
    return _file_content(frames, kind, DEFAULT_FPS)


def game_film(game: Game, plan: Plan, size: int, kind: FilmFormat, hz: ReplayHz) -> bytes:
    """Draw an I-PHYRE attempt into a file."""
    with raised_as(InvalidError, PlanError):
        frames = picture_episode(game, plan, _RULES[hz], _FPS[hz], size)
    return _file_content(frames, kind, _FPS[hz])


def _file_content(frames: DrawnFrames, kind: FilmFormat, fps: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film.{kind.value}"
        with raised_as(InvalidError, FrameFileError):
            save_frames(frames, path, fps, _HOLD)
        return path.read_bytes()
