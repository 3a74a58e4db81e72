"""A play of I-PHYRE in words: its score, contacts between bodies, and near misses.

The benchmark records no contacts; two bodies meet where their surfaces come within half a
pixel of each other at a tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topple.iphyre.engine.batch import Trace
from topple.iphyre.episode import watch
from topple.iphyre.game import HEIGHT, Game
from topple.iphyre.pictures import draw
from topple.iphyre.plan import Plan
from topple.iphyre.rules import Rules
from topple.iphyre.score import Score
from topple.llm.gap import Floats, segment_gap
from topple.llm.iphyre.scene import block_ends, body_names, game_lines
from topple.llm.messages import evenly_spaced
from topple.media.files import Frame

TOUCH = 0.5  # px
SHOWN_EVENTS = 12
PICTURE = 300  # px, of a keyframe


@dataclass(frozen=True)
class WatchedPlay:
    """A play as it was seen."""

    number: int  # of the plays of its game, from 1
    game: Game
    plan: Plan  # what was removed, and when
    score: Score
    rules: Rules
    trace: Trace

    def tick(self, second: float) -> int:
        """The tick at a time, the last one for later times."""
        return min(round(second * self.rules.hz), len(self.trace.poses) - 1)

    def lines(self, second: float) -> str:
        """The bodies at a time."""
        tick = self.tick(second)
        trace = self.trace
        return game_lines(self.game, trace.poses[tick], trace.present[tick], trace.velocities[tick])


def watch_play(game: Game, number: int, plan: Plan, score: Score, rules: Rules) -> WatchedPlay:
    """Look at a play again, tick by tick."""
    return WatchedPlay(number, game, plan, score, rules, watch(game, plan, rules))


def score_words(seen: WatchedPlay) -> str:
    """How a play ended, and how near it came."""
    score, seconds = seen.score, seen.score.ticks / seen.rules.hz
    earned = f"{score.removed} removed, reward {score.reward:.1f}"
    if score.solved:
        return f"Solved after {seconds:.1f} s; {earned}."
    names = body_names(seen.game)
    heights = seen.trace.poses[:, len(seen.game.blocks) :, 1]
    stuck = []
    for ball, height in enumerate(heights.T, start=len(seen.game.blocks)):
        if height[-1] <= HEIGHT:
            tick = int(height.argmax())
            stuck.append(
                f"{names[ball]} came no lower than y = {height[tick]:.0f}, "
                f"at {tick / seen.rules.hz:.1f} s"
            )
    return f"Not solved; {earned}. " + "; ".join(stuck) + f" (out is below y = {HEIGHT:.0f})."


def play_events(seen: WatchedPlay) -> list[str]:
    """Removals, first meetings of bodies and balls getting out, in order of time."""
    names, hz = body_names(seen.game), seen.rules.hz
    told = [(tick, f"{names[body]} is removed") for tick, body in seen.plan.eliminations]
    told += [
        (tick, f"{names[one]} meets {names[two]}") for tick, one, two in _meetings(seen) if tick > 2
    ]
    for ball in range(len(seen.game.blocks), seen.game.bodies):
        out = np.flatnonzero(seen.trace.poses[:, ball, 1] > HEIGHT)
        if len(out):
            told.append((int(out[0]), f"{names[ball]} gets out"))
    told.sort(key=lambda event: event[0])
    last = len(seen.trace.poses)
    return [f"{tick / hz:.1f} s: {text}" for tick, text in told if tick <= last][:SHOWN_EVENTS]


def play_frames(seen: WatchedPlay, count: int) -> list[tuple[float, Frame]]:
    """Pictures at even distances in time, the end among them, with their seconds."""
    last = len(seen.trace.poses) - 1
    return [(tick / seen.rules.hz, _draw(seen, tick)) for tick in evenly_spaced(last, count)]


def _draw(seen: WatchedPlay, tick: int) -> Frame:
    trace, game = seen.trace, seen.game
    return draw(game.scene, trace.poses[tick], trace.present[tick], game.eliminable, PICTURE, 2)


def _meetings(seen: WatchedPlay) -> list[tuple[int, int, int]]:
    """(tick, mover, other) of the first touch of each pair of which one moves."""
    game, trace = seen.game, seen.trace
    starts, stops = block_ends(game, trace.poses)
    moving = game.scene.is_dynamic
    found = []
    for one in range(game.bodies):
        if not moving[one]:
            continue
        for two in range(game.bodies):
            if two == one or (moving[two] and two > one):
                continue
            gap = _gaps(starts, stops, one, two) - game.scene.radii[one] - game.scene.radii[two]
            both = trace.present[:, one] & trace.present[:, two]
            touching = np.flatnonzero(both & (gap < TOUCH))
            if len(touching):
                found.append((int(touching[0]), one, two))
    return found


def _gaps(starts: Floats, stops: Floats, one: int, two: int) -> Floats:
    return segment_gap(starts[:, one], stops[:, one], starts[:, two], stops[:, two])


def final_lines(seen: WatchedPlay) -> Sequence[str]:
    """Where everything that moves was at the end, a line of JSON each."""
    lines = seen.lines(seen.rules.tick_limit / seen.rules.hz).splitlines()
    return [line for line in lines if '"moves": true' in line]
