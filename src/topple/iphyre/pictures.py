"""Pictures of games and episodes."""

from __future__ import annotations

from collections.abc import Sequence

from topple.iphyre.engine.batch import MunkWorld, new_world
from topple.iphyre.episode import watch
from topple.iphyre.frames import SIZE, draw
from topple.iphyre.game import Game
from topple.iphyre.plan import NO_PLAN, Plan
from topple.iphyre.rules import AT_60_HZ, Rules
from topple.media.files import DEFAULT_FPS, Frame
from topple.media.sheet import contact_sheet

SMOOTH = 3  # drawn three times larger and averaged, so that slanted edges look straight


def picture_world(game: Game, world: MunkWorld, size: int = SIZE, smooth: int = 1) -> Frame:
    """The state a world is in."""
    return draw(game.scene, world.poses(), world.present, game.eliminable, size, smooth)


def picture_game(game: Game, size: int = SIZE, smooth: int = SMOOTH) -> Frame:
    """The initial scene."""
    return picture_world(game, new_world(game.scene, AT_60_HZ.dt), size, smooth)


def picture_episode(
    game: Game,
    plan: Plan = NO_PLAN,
    rules: Rules = AT_60_HZ,
    fps: int = DEFAULT_FPS,
    size: int = SIZE,
    smooth: int = SMOOTH,
) -> list[Frame]:
    """An episode as frames: the start, then `fps` a second, and the last tick.

    Raises:
        ValueError: `fps` does not divide the ticks of a second.
    """
    if fps < 1 or rules.hz % fps:
        raise ValueError(f"{fps} frames a second do not divide {rules.hz} ticks a second")
    trace = watch(game, plan, rules)
    stride = rules.hz // fps
    last = len(trace.poses) - 1
    shown = [*range(0, last, stride), last]
    return [
        draw(game.scene, trace.poses[k], trace.present[k], game.eliminable, size, smooth)
        for k in shown
    ]


def sheet(games: Sequence[Game], columns: int = 5, size: int = 240) -> Frame:
    """The initial scenes of games beside each other, named."""
    frames = [picture_game(game, size) for game in games]
    return contact_sheet(frames, [game.name for game in games], columns)
