"""Puzzles made in the player: the rules they must keep, and whether they can be solved."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import numpy as np

from topple.iphyre.episode import play
from topple.iphyre.game import Game, GameError
from topple.iphyre.game_file import game_from_json, game_to_json
from topple.iphyre.plan import NO_PLAN, Plan, plan_from_seconds
from topple.iphyre.sampling import draw_times
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.puzzle_file import scene_task
from topple.phyre.scene import Scene, SceneError
from topple.phyre.scene.codec import scene_from_json, scene_to_json
from topple.phyre.tier import Tier
from topple.player import tables
from topple.player.errors import InvalidError, raised_as
from topple.player.models import base
from topple.player.models.base import Benchmark
from topple.player.models.puzzles import PuzzleCheck, PuzzleIn, Solvability
from topple.player.puzzles import RULES
from topple.player.texts import check_texts

SOLVABLE, UNSOLVABLE, OPEN = "solvable", "unsolvable", "open"
ENOUGH = 20  # solutions, to know how rare they are
BATCH = 500  # random actions between two checks of the time


def read_scene(data: dict[str, Any]) -> Scene:
    """Read a PHYRE scene that can be played.

    Raises:
        InvalidError: it breaks a rule.
    """
    check_texts(data)
    with raised_as(InvalidError, SceneError, RecursionError, OverflowError):
        scene = scene_from_json(json.dumps(data))
        if scene.goal is None:
            raise InvalidError("there is no goal: name two bodies that have to touch")
        if (scene.width, scene.height) != (SCENE_SIZE, SCENE_SIZE):
            raise InvalidError(f"a scene is {SCENE_SIZE} by {SCENE_SIZE} pixels")
        SceneSet([scene])
        return scene


def read_game(data: dict[str, Any]) -> Game:
    """Read an I-PHYRE game that can be played.

    Raises:
        InvalidError: it breaks a rule.
    """
    check_texts(data)
    with raised_as(InvalidError, GameError, RecursionError, OverflowError):
        return game_from_json(data)


def clean_data(puzzle: PuzzleIn) -> dict[str, Any]:
    """Return a puzzle's data as the codecs write it.

    Raises:
        InvalidError: it breaks a rule, or outgrows the engine even if no ball is placed.
    """
    if puzzle.benchmark is Benchmark.IPHYRE:
        return game_to_json(read_game(puzzle.data))
    scene = read_scene(puzzle.data)
    with raised_as(InvalidError, SceneError):
        simulate_batch(SceneSet([scene]), [0], np.zeros((1, 0)), threads=1)
    data: dict[str, Any] = json.loads(scene_to_json(scene))
    return data


def check(puzzle: PuzzleIn) -> PuzzleCheck:
    """Check whether a puzzle keeps the rules."""
    try:
        clean_data(puzzle)
    except InvalidError as error:
        named = re.search(r"\b(?:body|block|ball) (\d{1,6})\b", str(error))
        return PuzzleCheck(ok=False, error=str(error), body=int(named[1]) if named else None)
    return PuzzleCheck(ok=True)


def blank(benchmark: Benchmark) -> PuzzleIn:
    """A simple puzzle to start from: a ball above a platform."""
    if benchmark is Benchmark.IPHYRE:
        data: dict[str, Any] = {
            "name": "my_game",
            "concept": "",
            "blocks": [{"kind": "gray", "ends": [200, 400, 400, 400]}],
            "balls": [{"centre": [300, 300], "radius": 20}],
            "sticks": [],
            "springs": [],
        }
        return PuzzleIn(name="My game", benchmark=benchmark, data=data)
    builder = SceneBuilder("blank", {})
    floor = builder.static.bar(1.0, left=0, bottom=0)
    ledge = builder.static.bar(0.4, center_x=W / 2, bottom=0.5 * H)
    ball = builder.dynamic.ball(0.1, center_x=W / 2, bottom=ledge.top)
    builder.goal(ball, floor)
    scene, _ = builder.finish("My puzzle")
    return PuzzleIn(name="My puzzle", benchmark=benchmark, data=json.loads(scene_to_json(scene)))


def solvability(
    puzzle: PuzzleIn | tables.Puzzle, seconds: float, *, measure: bool = False
) -> Solvability:
    """Try random actions or plans on a puzzle for some time; see `scene_solvability`."""
    if Benchmark(puzzle.benchmark) is Benchmark.PHYRE:
        scene = read_scene(puzzle.data)
        return scene_solvability(scene, Tier(puzzle.tier), seconds, measure=measure)
    return game_solvability(read_game(puzzle.data), seconds, measure=measure)


def scene_solvability(
    scene: Scene, tier: Tier, seconds: float, *, measure: bool = False
) -> Solvability:
    """Try random actions on a scene for some time, as the published tasks were tested.

    Args:
        scene: where to try them.
        tier: of the actions.
        seconds: how long.
        measure: go on after the first stable solution, until the share of solutions is known.
    """
    # SciPy's statistics take half a second to load, which would delay the start of the server.
    from topple.phyre.analysis.solvability import (
        THRESHOLDS,
        Evidence,
        Verdict,
        assess,
        decide,
        pooled_actions,
    )

    task = scene_task(scene, tier)
    end = time.monotonic() + seconds
    evidence, verdict = Evidence(), Verdict.OPEN
    while verdict is Verdict.OPEN and time.monotonic() < end:
        if evidence.solved >= (ENOUGH if measure else 1) and evidence.stable:
            break
        [evidence] = assess([task], known=[evidence], max_actions=evidence.tried + BATCH)
        verdict = decide(evidence, THRESHOLDS[tier])
    solution = None
    if evidence.stable:
        # A solution that can be shown proves more than the test asks for.
        verdict = Verdict.SOLVABLE
        solution = pooled_actions(tier, evidence.solution, 1)[0].tolist()
    return Solvability.from_object(
        evidence,
        verdict=verdict.value,
        solution=solution,
        plan=None,
        sentence=_sentence(verdict.value, evidence.solved, evidence.valid, "valid actions"),
    )


def game_solvability(game: Game, seconds: float, *, measure: bool = False) -> Solvability:
    """Try random plans on a game for some time; arguments as for `scene_solvability`."""
    end = time.monotonic() + seconds
    blocks = len(game.eliminable)
    solution: Plan | None = None
    tried = solved = 0
    for times in draw_times(blocks):
        plan = plan_from_seconds(game, times[:blocks], RULES) if blocks else NO_PLAN
        tried += 1
        if play(game, plan, RULES).solved:
            solved += 1
            solution = solution or plan
        if solved >= (ENOUGH if measure else 1) or not blocks or time.monotonic() >= end:
            break
    verdict = SOLVABLE if solved else OPEN if blocks else UNSOLVABLE
    found = [] if solution is None else solution.eliminations
    return Solvability(
        verdict=verdict,
        tried=tried,
        valid=tried,
        solved=solved,
        stable=None,
        plan=[base.Elimination(tick=t, body=b) for t, b in found] if solution else None,
        sentence=_sentence(verdict, solved, tried, "plans"),
    )


def _sentence(verdict: str, solved: int, valid: int, what: str) -> str:
    if verdict == SOLVABLE:
        return f"It can be solved: {solved} of {valid} random {what} solved it."
    if verdict == UNSOLVABLE:
        return f"It seems to be unsolvable: none of {valid} random {what} solved it reliably."
    if solved:
        return f"This is undecided: {solved} of {valid} random {what} solved it, but none reliably."
    return f"This is undecided: none of {valid} random {what} solved it."
