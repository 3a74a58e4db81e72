"""Replays: an attempt again, from its action or plan alone."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import HTTPException, Query

from topple.iphyre.episode import play, watch
from topple.iphyre.game import Game
from topple.iphyre.pictures import picture_episode
from topple.iphyre.plan import Elimination, Plan, PlanError
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.media.files import DEFAULT_FPS, Frame, FrameFileError, save_frames
from topple.phyre.pictures import film
from topple.phyre.scene import Scene
from topple.player.games import PlayedGame
from topple.player.geometry import game_bodies, moving_bodies, scene_model, trajectory
from topple.player.models import base
from topple.player.models.base import TierName
from topple.player.models.replays import FilmFormat, GameReplay, PhyreReplay, ReplayHz
from topple.player.tasks import PhyreTask, outcome_name

_RULES = {ReplayHz.PEOPLE: AT_60_HZ, ReplayHz.AGENTS: AT_10_HZ}
_HOLD = 1.0  # seconds a GIF rests on its end
_FPS = {ReplayHz.PEOPLE: DEFAULT_FPS, ReplayHz.AGENTS: 10}

ActionText = Annotated[
    str, Query(max_length=200, description="x, y, radius for each ball, by commas.")
]
PlanText = Annotated[
    str,
    Query(
        pattern=r"^(\d{1,5}:\d{1,3}(,\d{1,5}:\d{1,3}){0,11})?$",
        description="Eliminations as tick:body, by commas, in order; may be empty.",
    ),
]


def parse_action(text: str) -> list[float]:
    """An action from its text."""
    try:
        action = [float(part) for part in text.split(",")]
    except ValueError:
        action = []
    if not action or not all(math.isfinite(number) and 0 <= number <= 1 for number in action):
        raise HTTPException(422, "action: 3 or 6 numbers from 0 to 1, by commas")
    return action


def parse_plan(text: str) -> Plan:
    """A plan from its text, which the route has matched."""
    pairs = (part.split(":") for part in text.split(",") if part)
    return Plan(tuple(Elimination(int(tick), int(body)) for tick, body in pairs))


def action_text(action: Sequence[float]) -> str:
    """An action as a link holds it, to the last bit."""
    return ",".join(repr(float(number)) for number in action)


def plan_text(plan: Plan) -> str:
    """A plan as a link holds it."""
    return ",".join(f"{tick}:{body}" for tick, body in plan.eliminations)


def phyre_replay(task: PhyreTask, action: list[float], stride: int) -> PhyreReplay:
    """A PHYRE attempt to watch."""
    result = task.attempt(action, stride)
    if not result.outcome.is_valid:
        raise HTTPException(422, task.validity(action).reason or "the action does not fit")
    return PhyreReplay(
        task=task.name,
        tier=TierName(task.tier.value),
        description=task.description,
        action=action,
        outcome=outcome_name(result.outcome),
        steps=result.steps,
        scene=scene_model(task.scene),
        trajectory=task.trajectory(result, stride),
        link=f"/#/replay/phyre/{task.name}?action={action_text(action)}",
    )


def game_replay(played: PlayedGame, plan: Plan, hz: ReplayHz) -> GameReplay:
    """An I-PHYRE attempt to watch."""
    game, rules = played.game, _RULES[hz]
    try:
        trace, score = watch(game, plan, rules), play(game, plan, rules)
    except PlanError as error:
        raise HTTPException(422, str(error)) from None
    rate = "" if rules is AT_60_HZ else f"&hz={rules.hz}"
    return GameReplay(
        game=played.name,
        plan=[base.Elimination(tick=tick, body=body) for tick, body in plan.eliminations],
        solved=score.solved,
        reward=score.reward,
        ticks=score.ticks,
        hz=rules.hz,
        bodies=game_bodies(game),
        sticks=list(game.sticks),
        springs=list(game.springs),
        trajectory=trajectory(trace.poses, moving_bodies(game), rules.hz),
        link=f"/#/replay/iphyre/{played.name}?plan={plan_text(plan)}{rate}",
    )


@lru_cache(maxsize=32)
def phyre_film(scene: Scene, action: tuple[float, ...], size: int, kind: FilmFormat) -> bytes:
    """A PHYRE attempt as a file; the action is known to fit."""
    frames = film(scene, action, size).frames
    return _written(frames, kind, DEFAULT_FPS)


def game_film(game: Game, plan: Plan, size: int, kind: FilmFormat, hz: ReplayHz) -> bytes:
    """An I-PHYRE attempt as a file."""
    rules: Rules = _RULES[hz]
    try:
        frames = picture_episode(game, plan, rules, _FPS[hz], size)
    except PlanError as error:
        raise HTTPException(422, str(error)) from None
    return _written(frames, kind, _FPS[hz])


def _written(frames: list[Frame], kind: FilmFormat, fps: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film.{kind.value}"
        try:
            save_frames(frames, path, fps, _HOLD)
        except FrameFileError as error:
            raise HTTPException(400, str(error)) from None
        return path.read_bytes()
