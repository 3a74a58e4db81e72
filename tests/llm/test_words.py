"""What models are told is true: coordinates, names, distances, contacts."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.narrowing import not_none
from topple.iphyre.episode import play
from topple.iphyre.games import ALL, game_named
from topple.iphyre.plan import plan_from_ticks
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.strategy import Strategy
from topple.llm.gap import body_gaps, segment_gap
from topple.llm.iphyre.feedback import (
    WatchedPlay,
    keyframe_ticks,
    play_events,
    score_words,
    watch_play,
)
from topple.llm.iphyre.feedback import (
    feedback as play_feedback,
)
from topple.llm.iphyre.prompt import rules_text as game_rules_text
from topple.llm.iphyre.scene import body_names as game_names
from topple.llm.iphyre.scene import game_lines
from topple.llm.phyre.feedback import (
    Attempts,
    Watched,
    contact_lines,
    events,
    feedback,
    happened_words,
    keyframe_times,
    outcome_words,
    watched,
)
from topple.llm.phyre.prompt import misfit, rules_text
from topple.llm.phyre.scene import WALLS, body_names, goal_words, scene_lines
from topple.phyre import Simulator, Tier, load_task, tier_tasks
from topple.phyre.engine.native import SceneSet, draw_scenes, map_actions
from topple.phyre.engine.result import Outcome
from topple.phyre.scene import Body, Circle, Color, Polygon
from topple.phyre.task import template_task_ids

FIRST_TASKS = [template_task_ids(template)[0] for tier in Tier for template in tier.template_ids]


@pytest.mark.parametrize("task_id", FIRST_TASKS, ids=str)
def test_scenes_are_told_as_they_are(task_id: Any) -> None:
    scene = load_task(task_id).scene
    names = body_names(scene)
    assert len(set(names)) == len(names)
    assert tuple(names[:4]) == WALLS
    lines = [json.loads(line) for line in scene_lines(scene).splitlines()]
    assert [line["name"] for line in lines] == names[4:]
    image = draw_scenes(SceneSet([scene]), [0])[0]  # row 0 is the bottom one
    for line, body in zip(lines, scene.bodies[4:], strict=True):
        assert line["moves"] == body.dynamic
        if line["name"].startswith("green") and line["shape"] in ("ball", "bar"):
            x, y = line["position"]
            assert image[int(y), int(x)] == Color.GREEN
    assert goal_words(scene).startswith("Make the green ")


def test_a_ball_lies_where_the_rules_say() -> None:
    task = load_task("00000:000")
    action = [0.7, 0.9, 0.4]
    (ball,) = map_actions(SceneSet([task.scene]), [0], [action])[1][0]
    text = rules_text(Tier.BALL, 3.0, 16.7, None, False)
    assert "(255 * x, 255 * y)" in text
    assert "2 + 30 * r" in text
    assert "y points up" in text
    assert ball.tolist() == [int(255 * 0.7), int(255 * 0.9), round(2 + 30 * 0.4)]
    assert "centre (178, 230), radius 14 px" in str(misfit(action))
    assert "two red balls" in rules_text(Tier.TWO_BALLS, 3.0, 16.7, None, False)


def test_y_points_down_in_games() -> None:
    text = game_rules_text(Strategy.IN_ADVANCE, AT_10_HZ, 1.0, False)
    assert "y from 0 at the top to 600 at the bottom" in text
    game = game_named("support")
    lines = [json.loads(line) for line in game_lines(game).splitlines()]
    assert [line["name"] for line in lines] == ["gray block 1", "gray block 2", "ball 1"]
    ball = lines[2]["centre"]
    assert ball[1] < lines[0]["ends"][0][1]  # the ball starts over the block


@pytest.mark.parametrize("game", ALL, ids=lambda game: str(game.name))
def test_games_are_told_as_they_are(game: Any) -> None:
    names = game_names(game)
    assert len(set(names)) == len(names) == game.bodies
    lines = [json.loads(line) for line in game_lines(game).splitlines()]
    assert len(lines) == game.bodies + len(game.sticks) + len(game.springs)
    for line, block in zip(lines, game.blocks, strict=False):
        assert line["ends"] == [list(block.start), list(block.end)]
    removable = [line["name"] for line in lines if line.get("removable")]
    assert removable == [f"gray block {k + 1}" for k in range(len(game.eliminable))]


def attempt(task_id: str, action: list[float]) -> Watched:
    task = load_task(task_id)
    (result,) = Attempts([task]).run([(task.id, action)])
    return watched(task, 1, action, result)


def test_an_attempt_is_told_as_it_went() -> None:
    seen = attempt("00000:000", [0.35, 0.8, 0.3])
    told = events(seen)
    assert "2.47 s: red ball meets green ball" in told
    assert told == sorted(told, key=lambda text: float(text.split(" s:")[0]))
    whole = Simulator("00000:000").attempt("00000:000", [0.35, 0.8, 0.3], contacts=True)
    contacts = not_none(whole.contacts)
    first = next(e for e in contacts if {int(e["body_a"]), int(e["body_b"])} == {6, 4})
    assert f"{first['step'] / 60:.2f} s" == "2.47 s"
    assert outcome_words(seen).startswith("Not solved: the green ball and the blue ball never")
    assert [round(second, 2) for second in keyframe_times(seen, 2)] == [8.5, 16.67]


def random_attempts(task_id: str, count: int) -> list[Watched]:
    """Some valid attempts on a task."""
    task, tries = load_task(task_id), Attempts([load_task(task_id)])
    actions = np.random.default_rng(5).random((40 * count, 3 * task.tier.balls)).tolist()
    fitting = [action for action in actions if tries.fits(task, action)][:count]
    results = tries.run([(task.id, action) for action in fitting])
    return [watched(task, 1, action, row) for action, row in zip(fitting, results, strict=True)]


@pytest.mark.parametrize("task_id", ["00000:000", "00006:003", "00013:011", "00101:000"])
def test_what_happened_agrees_with_the_trajectory(task_id: str) -> None:
    """First contacts, falls, closest approach and longest touch, step by step from the engine."""
    task = load_task(task_id)
    simulator = Simulator(task)
    names_seen = set()
    for seen in random_attempts(task_id, 12):
        whole = simulator.attempt(task, seen.action, contacts=True, states=True, stride=1)
        states, contacts = not_none(whole.states), not_none(whole.contacts)
        names, scene = body_names(seen.scene), seen.scene
        text = happened_words(seen)
        for ball in range(len(scene.bodies) - task.tier.balls, len(scene.bodies)):
            mine = [e for e in contacts if ball in (e["body_a"], e["body_b"])]
            if not mine:
                assert f"The {names[ball]} touched nothing." in text
                continue
            step = min(int(e["step"]) for e in mine)
            others = {int(e["body_a"] + e["body_b"]) - ball for e in mine if e["step"] == step}
            sentence = text.split(f"The {names[ball]} first touched ")[1].split(".")[0]
            assert all(f"the {names[other]}" in sentence for other in others)
            assert f"at {step / 60:.2f}"[:-3] in text
            names_seen |= others
        for body, mover in enumerate(task.scene.bodies):
            drop = mover.position[1] - float(states[:, body, 1].min())
            fell = mover.dynamic and drop >= 3
            assert (f"the {names[body]} by {drop:.0f} px" in text) == fell
        goal = not_none(scene.goal)
        poses = states.astype(float)
        gaps = body_gaps(
            *(scene.bodies[goal.first], poses[:, goal.first]),
            *(scene.bodies[goal.second], poses[:, goal.second]),
        )
        touching = {
            int(e["step"])
            for e in contacts
            if {int(e["body_a"]), int(e["body_b"])} == {goal.first, goal.second}
        }
        runs = [0]
        for step in range(len(states) + 1):
            runs[-1] += step in touching
            if step not in touching:
                runs.append(0)
        assert seen.touch.steps == max(runs)
        assert seen.approach.gap == pytest.approx(gaps.min())
        assert seen.approach.step == int(gaps.argmin())
        if whole.outcome is Outcome.NOT_SOLVED and not touching:
            assert f"nearest at {gaps.argmin() / 60:.1f} s, {gaps.min():.0f} px apart" in (
                outcome_words(seen)
            )
        firsts: dict[frozenset[int], int] = {}
        for e in contacts:
            firsts.setdefault(frozenset((int(e["body_a"]), int(e["body_b"]))), int(e["step"]))
        assert len(contact_lines(seen)) >= min(len(firsts), 60)
    assert names_seen


def test_feedback_has_levels() -> None:
    seen = attempt("00000:000", [0.35, 0.8, 0.3])
    assert feedback(seen, "outcome") == ["Not solved."]
    happened = feedback(seen, "what_happened")
    assert happened[0].startswith("Not solved: the green ball and the blue ball never touched")
    assert happened[1] == (
        "The red ball first touched the green ball, at 2.47 s. Fell: the green ball by 51 px, "
        "the blue ball by 51 px."
    )
    assert feedback(seen, "events") == [*happened, *events(seen)]


def test_keyframes_follow_contacts() -> None:
    seen = attempt("00000:000", [0.35, 0.8, 0.3])
    times = keyframe_times(seen, 4, "contacts")
    assert 2 <= len(times) <= 4
    assert times[-1] == pytest.approx(1000 / 60)
    assert 2.25 in times  # the last state kept before the red ball meets the green one at 2.47 s


def watched_play(name: str, ticks: list[int | None]) -> WatchedPlay:
    game = game_named(name)
    plan = plan_from_ticks(game, ticks, AT_10_HZ)
    return watch_play(game, 1, plan, play(game, plan, AT_10_HZ), AT_10_HZ)


def test_what_fell_in_a_play_is_exact() -> None:
    game = game_named("seesaw")
    seen = watched_play("seesaw", [5] + [None] * (len(game.eliminable) - 1))
    names, (_, happened, *_) = game_names(game), play_feedback(seen, "what_happened")
    for body in range(len(game.blocks)):
        y = np.minimum(seen.trace.poses[:, body, 1], 600)
        drop = float(y.max() - y[0])
        fell = game.scene.is_dynamic[body] and drop >= 3
        assert (f"{names[body]} by {drop:.0f} px" in happened) == fell


def test_a_short_touch_is_told() -> None:
    task = load_task("00000:000")
    simulator = Simulator(task)
    for action in np.random.default_rng(1).random((400, 3)).tolist():
        if simulator.attempt(task, action).outcome is Outcome.NOT_SOLVED:
            text = outcome_words(attempt("00000:000", action))
            if "touched for" in text:
                break
    assert "3 s are needed" in text


def test_a_solution_is_told() -> None:
    action = Simulator("00000:000").solutions("00000:000")[0].tolist()
    assert outcome_words(attempt("00000:000", action)).startswith("Solved after ")


def test_a_play_is_told_as_it_went() -> None:
    game = game_named("support")
    plan = plan_from_ticks(game, [5, None], AT_10_HZ)
    seen = watch_play(game, 1, plan, play(game, plan, AT_10_HZ), AT_10_HZ)
    assert play_events(seen) == [
        "0.5 s: gray block 1 is removed",
        "1.7 s: ball 1 meets gray block 2",
    ]
    assert score_words(seen).startswith("Not solved; 1 removed, reward -25.0.")
    assert keyframe_ticks(seen, 2) == [75, 150]
    assert keyframe_ticks(seen, 3, "contacts") == [5, 17, 150]
    assert play_feedback(seen, "what_happened")[1] == (
        "Ball 1 first touched gray block 2 at 1.7 s. No block fell."
    )
    solved = plan_from_ticks(game, [5, 15], AT_10_HZ)
    seen = watch_play(game, 1, solved, play(game, solved, AT_10_HZ), AT_10_HZ)
    assert play_events(seen)[-1].endswith("ball 1 gets out")


def disc(radius: float) -> Body:
    return Body((Circle(radius),), True, (0.0, 0.0))


SQUARE = Body((Polygon(((1, 1), (-1, 1), (-1, -1), (1, -1))),), False, (0.0, 0.0))


@pytest.mark.parametrize(
    ("one", "at", "expected"),
    [
        (disc(1), (5, 0, 0), 3.0),
        (disc(1), (0, 0.5, 0), 0.0),  # inside
        (disc(0.5), (4, 5, 0), 5 - 0.5),  # off a corner
        (SQUARE, (3, 0, 0), 1.0),
        (SQUARE, (4, 0, math.pi / 4), 3 - math.sqrt(2)),
        (SQUARE, (0.1, 0, math.pi / 4), 0.0),  # edges cross
    ],
)
def test_gaps_between_bodies(one: Body, at: tuple[float, float, float], expected: float) -> None:
    origin = np.zeros((2, 3))
    poses = np.array([at, (100, 0, 0)], dtype=float)
    gaps = body_gaps(one, poses, SQUARE, origin)
    assert gaps[0] == pytest.approx(expected)
    assert gaps[1] > 90


NUMBER = st.floats(-100, 100)
POINT = st.tuples(NUMBER, NUMBER)


@given(POINT, POINT, POINT, POINT)
def test_segment_gaps_agree_with_sampling(a: Any, b: Any, c: Any, d: Any) -> None:
    ends = [np.array([point]) for point in (a, b, c, d)]
    gap = float(segment_gap(*ends)[0])
    share = np.linspace(0, 1, 60)[:, None]
    one, two = (start + share * (end - start) for start, end in (ends[:2], ends[2:]))
    sampled = float(np.linalg.norm(one[:, None] - two[None], axis=-1).min())
    step = (math.dist(a, b) + math.dist(c, d)) / 59
    assert gap - 1e-6 <= sampled <= gap + step + 1e-6


def test_every_published_scene_can_be_told() -> None:
    for task in tier_tasks(Tier.BALL)[::97]:
        assert goal_words(task.scene)
        assert scene_lines(task.scene)
