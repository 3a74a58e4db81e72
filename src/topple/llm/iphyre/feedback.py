"""A play of I-PHYRE in words: its score, contacts between bodies, and near misses.

The benchmark records no contacts; two bodies meet where their surfaces come within half a
pixel of each other at a tick.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from topple.iphyre.engine.batch import Trace
from topple.iphyre.episode import watch
from topple.iphyre.game import HEIGHT, Game
from topple.iphyre.plan import Plan
from topple.iphyre.rules import Rules
from topple.iphyre.score import Score
from topple.llm.gap import segment_gap
from topple.llm.iphyre.scene import block_ends, body_names, game_lines
from topple.llm.messages import evenly_spaced

TOUCH = 0.5  # px
SHOWN_EVENTS = 12
FIRST_TICKS = 2  # what touches by then lay there from the start
FALL = 3.0  # px that a body has to come down to have fallen


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

    @property
    def progress(self) -> float:
        """How near it came, from 0 to 1: how far the balls got towards the bottom edge."""
        heights = self.trace.poses[:, len(self.game.blocks) :, 1]
        start, low = heights[0], np.minimum(heights.max(axis=0), HEIGHT)
        return float(np.mean((low - start) / np.maximum(HEIGHT - start, 1.0)))


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


def happened_words(seen: WatchedPlay) -> str:
    """The first contact of each ball that is not from the start, and what fell."""
    names, hz = body_names(seen.game), seen.rules.hz
    balls = range(len(seen.game.blocks), seen.game.bodies)
    parts = []
    for ball in balls:
        met = sorted(
            (tick, sum(pair) - ball)
            for tick, *pair in _meetings(seen)
            if ball in pair and tick > FIRST_TICKS
        )
        if met:
            tick, other = met[0]
            parts.append(f"{names[ball]} first touched {names[other]} at {tick / hz:.1f} s.")
        else:
            parts.append(f"{names[ball]} touched nothing new.")
    drops = _drops(seen)
    fallen = ", ".join(
        f"{names[body]} by {drop:.0f} px" for body, drop in drops.items() if body not in balls
    )
    parts.append(f"Fell: {fallen}." if fallen else "No block fell.")
    return " ".join(part[0].upper() + part[1:] for part in parts)


def _drops(seen: WatchedPlay) -> dict[int, float]:
    """How far each body came down, while it was there and above the bottom edge, most first."""
    heights = np.minimum(seen.trace.poses[:, :, 1], HEIGHT)
    there = np.where(seen.trace.present, heights, heights[0])
    drops = there.max(axis=0) - heights[0]
    fallen = {
        body: float(drops[body])
        for body in range(seen.game.bodies)
        if seen.game.scene.is_dynamic[body] and drops[body] >= FALL
    }
    return dict(sorted(fallen.items(), key=lambda item: -item[1]))


def feedback(seen: WatchedPlay, level: str) -> list[str]:
    """What a model is told of a play, line by line."""
    if level == "outcome":
        earned = f"reward {seen.score.reward:.1f}"
        return [f"{'Solved' if seen.score.solved else 'Not solved'}; {earned}."]
    lines = [score_words(seen), happened_words(seen)]
    return lines if level == "what_happened" else [*lines, *play_events(seen)]


def play_events(seen: WatchedPlay) -> list[str]:
    """Removals, first meetings of bodies and balls getting out, in order of time."""
    return play_contacts(seen, FIRST_TICKS)[:SHOWN_EVENTS]


def play_contacts(seen: WatchedPlay, after: int = -1) -> list[str]:
    """The same, with meetings after a tick; all of them by default."""
    names, hz = body_names(seen.game), seen.rules.hz
    told = [(tick, f"{names[body]} is removed") for tick, body in seen.plan.eliminations]
    told += [
        (tick, f"{names[one]} meets {names[two]}")
        for tick, one, two in _meetings(seen)
        if tick > after
    ]
    for ball in range(len(seen.game.blocks), seen.game.bodies):
        out = np.flatnonzero(seen.trace.poses[:, ball, 1] > HEIGHT)
        if len(out):
            told.append((int(out[0]), f"{names[ball]} gets out"))
    told.sort(key=lambda event: event[0])
    last = len(seen.trace.poses)
    return [f"{tick / hz:.1f} s: {text}" for tick, text in told if tick <= last]


def keyframe_ticks(seen: WatchedPlay, count: int, by: str = "time") -> list[int]:
    """Ticks of keyframes: evenly spaced, or when blocks go and bodies first touch.

    The end of the play is always among them.
    """
    last = len(seen.trace.poses) - 1
    if by == "time":
        return evenly_spaced(last, count)
    ticks = sorted(
        {tick for tick, _ in seen.plan.eliminations}
        | {tick for tick, _, _ in _meetings(seen) if tick > FIRST_TICKS}
    )
    early = [tick for tick in ticks if tick < last]
    return [*early[: count - 1], last]


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
            apart = segment_gap(starts[:, one], stops[:, one], starts[:, two], stops[:, two])
            gap = apart - game.scene.radii[one] - game.scene.radii[two]
            both = trace.present[:, one] & trace.present[:, two]
            touching = np.flatnonzero(both & (gap < TOUCH))
            if len(touching):
                found.append((int(touching[0]), one, two))
    return found
