"""New puzzles: what they may be made of, and the rules that all of them keep."""

from __future__ import annotations

from itertools import combinations, islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from topple.phyre import Setup, Tier, load_fold, load_task, template_tasks
from topple.phyre.action import listed_actions
from topple.phyre.blend import BEYOND, Blended
from topple.phyre.builder import WALL_BODIES
from topple.phyre.cache import ActionCache
from topple.phyre.engine.native import SceneSet, place_bodies, simulate_batch
from topple.phyre.engine.result import Outcome
from topple.phyre.puzzle_file import goal_sentence, read_puzzles, write_puzzles
from topple.phyre.scene import Body, Circle, Color, Kind, Polygon, Scene, SceneError
from topple.phyre.scene.check import check_scene
from topple.phyre.scramble import (
    CHUNK,
    LIST_LENGTH,
    MOST_SOLVED,
    RAISE,
    Free,
    Puzzles,
    Scrambled,
    Source,
    make,
    stream,
    train_tasks,
)

ACTIONS = 8
SLACK = 0.2  # pixels that bodies may sink into each other
FOLD = load_fold(Setup.BALL_CROSS_TEMPLATE, 0)
SEESAWS = ("00116", "00106", "00118", "00111")  # jars, sticks, seesaws and catapults


def _sources() -> list[Source]:
    some = [FOLD.train[place] for place in range(0, len(FOLD.train), 40)]
    two = [task for template in SEESAWS for task in template_tasks(template)[:5]]
    return [
        Scrambled(train_tasks(FOLD, some)),
        Scrambled(two),
        Free(Tier.BALL),
        Blended(train_tasks(FOLD)),
    ]


@pytest.fixture(scope="module", params=range(4), ids=["scrambled", "two balls", "free", "blended"])
def made(request: pytest.FixtureRequest) -> Puzzles:
    source = _sources()[request.param]
    [part] = islice(stream(source, 7, actions=ACTIONS), 1)
    return part


def _world(body: Body) -> list[npt.NDArray[np.float64] | tuple[npt.NDArray[np.float64], float]]:
    """The shapes of a body where they lie: corners, or centre and radius."""
    c, s = np.cos(body.angle), np.sin(body.angle)
    turn = np.array([[c, -s], [s, c]])
    centre = np.array(body.position)
    return [
        np.array(shape.vertices) @ turn.T + centre
        if isinstance(shape, Polygon)
        else (centre, shape.radius)
        for shape in body.shapes
    ]


def _points(body: Body) -> npt.NDArray[np.float64]:
    """Points all over a body."""
    found = []
    share = np.linspace(0, 1, 40)
    for shape in _world(body):
        if isinstance(shape, tuple):
            turn = np.linspace(0, 2 * np.pi, 40)
            ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
            found += [shape[0] + r * shape[1] * ring for r in (0.0, 0.5, 1.0)]
            continue
        for a, b in zip(shape, np.roll(shape, -1, axis=0), strict=True):
            edge = a + share[:, None] * (b - a)
            found += [edge, (edge + shape.mean(axis=0)) / 2]
    return np.concatenate(found)


def _depth(body: Body, points: npt.NDArray[np.float64]) -> float:
    """How deep the deepest of some points lies in a body; negative outside."""
    deepest = -np.inf
    for shape in _world(body):
        if isinstance(shape, tuple):
            inside = shape[1] - np.linalg.norm(points - shape[0], axis=1)
        else:
            edge = np.roll(shape, -1, axis=0) - shape
            normal = np.stack([edge[:, 1], -edge[:, 0]], axis=1)
            normal /= np.linalg.norm(normal, axis=1, keepdims=True)
            inside = -((points[:, None] - shape) * normal).sum(axis=2).max(axis=1)
        deepest = max(deepest, float(inside.max()))
    return deepest


def test_no_body_that_moves_overlaps_another(made: Puzzles) -> None:
    for scene in made.scenes:
        for one, other in combinations(scene.bodies[len(WALL_BODIES) :], 2):
            if one.dynamic or other.dynamic:
                assert _depth(one, _points(other)) < SLACK, scene
                assert _depth(other, _points(one)) < SLACK, scene


def test_bodies_of_free_puzzles_overlap_nothing() -> None:
    [part] = islice(stream(Free(Tier.BALL), 7, actions=1), 1)
    for scene in part.scenes:
        for one, other in combinations(scene.bodies[len(WALL_BODIES) :], 2):
            assert _depth(one, _points(other)) < SLACK


def test_bodies_lie_in_the_scene(made: Puzzles) -> None:
    for scene in made.scenes:
        assert scene.bodies[: len(WALL_BODIES)] == WALL_BODIES
        for body in scene.bodies[len(WALL_BODIES) :]:
            points = _points(body)
            inside = ((points > -SLACK) & (points < 256 + SLACK)).all(axis=1)
            assert inside.all() if body.dynamic else (points.min() < 256 and points.max() > 0)


def test_puzzles_have_a_goal_that_colours_show(made: Puzzles) -> None:
    for scene in made.scenes:
        check_scene(scene)
        assert scene.goal is not None
        first, second = (scene.bodies[number] for number in scene.goal[:2])
        assert min(scene.goal[:2]) >= len(WALL_BODIES)
        assert first.dynamic or second.dynamic
        for number, body in enumerate(scene.bodies[len(WALL_BODIES) :], len(WALL_BODIES)):
            if number == scene.goal.first:
                wanted = Color.GREEN if body.dynamic else Color.PURPLE
            elif number == scene.goal.second:
                wanted = Color.BLUE if body.dynamic else Color.PURPLE
            else:
                wanted = Color.GRAY if body.dynamic else Color.BLACK
            assert body.color is wanted
            assert body.kind is not Kind.UNDEFINED


def test_some_actions_solve_a_puzzle_but_not_most(made: Puzzles) -> None:
    solved = (made.outcomes > 0).sum(axis=1)
    assert (solved > 0).all()
    assert (solved < MOST_SOLVED * (made.outcomes != Outcome.INVALID).sum(axis=1)).all()
    # The outcomes are those of the named actions.
    number = len(made) // 2
    actions = listed_actions(made.tier, LIST_LENGTH)[made.tried[number]]
    again = simulate_batch(SceneSet([made.scenes[number]]), [0] * ACTIONS, actions)
    np.testing.assert_array_equal(again.outcome, made.outcomes[number])


def test_puzzles_differ_from_each_other_and_from_tasks(made: Puzzles) -> None:
    assert len({scene.bodies for scene in made.scenes}) == len(made)
    tasks = {load_task(task).scene.bodies for task in FOLD.train[::40]}
    # A task comes back whole where no body fits in another place.
    assert len(tasks & {scene.bodies for scene in made.scenes}) <= len(made) / 10
    kinds = {body.kind for scene in made.scenes for body in scene.bodies}
    assert {Kind.BALL, Kind.BAR} <= kinds


@pytest.mark.parametrize("place", [0, 2, 3])
def test_equal_seeds_give_equal_puzzles_on_any_number_of_threads(place: int) -> None:
    results = [
        make(_sources()[place], 2, seed, actions=4, threads=threads)
        for seed, threads in ((5, 1), (5, 3), (6, 1))
    ]
    assert results[0].scenes == results[1].scenes
    assert (results[0].outcomes == results[1].outcomes).all()
    assert results[0].scenes != results[2].scenes


def test_more_puzzles_begin_with_fewer_and_all_scenes_are_counted() -> None:
    few, more = (make(Free(Tier.BALL), count, 2, actions=ACTIONS) for count in (2, 4))
    assert more.scenes[:2] == few.scenes
    assert [scene.name for scene in few.scenes] == ["free-2:000", "free-2:001"]
    assert more.drawn == CHUNK
    assert CHUNK / 2 * ACTIONS < more.simulated <= CHUNK * ACTIONS


def test_dev_and_test_tasks_are_refused() -> None:
    assert {task.id for task in train_tasks(FOLD)} == set(FOLD.train)
    for part, task in (("dev", FOLD.dev[0]), ("test", FOLD.test[0])):
        with pytest.raises(ValueError, match=rf"'{task}' is a {part} task of fold 0"):
            train_tasks(FOLD, [FOLD.train[0], task])
    other = load_fold(Setup.TWO_BALLS_CROSS_TEMPLATE, 0).train[0]
    with pytest.raises(ValueError, match="is no task of fold 0"):
        train_tasks(FOLD, [other])


def test_scrambled_puzzles_are_made_of_their_tasks_alone() -> None:
    """Every shape that was not resized is one of the given tasks' shapes."""
    tasks = template_tasks("00013")[:3]
    shapes = {body.shapes for task in tasks for body in task.scene.bodies}
    source = Scrambled(tasks)
    known = set(source.outlines.shapes)
    assert known <= shapes
    draft = source.draw(CHUNK, np.random.default_rng(0))
    unchanged = {source.outlines.shapes[number] for number in draft.outline[:, 1:].ravel()}
    assert unchanged <= shapes


@pytest.mark.parametrize("template", ["00000", "00012", "00019", "00020", "00107", "00114"])
def test_blended_puzzles_lie_between_two_tasks_of_a_template(template: str) -> None:
    tasks = template_tasks(template)[:40]
    [part] = islice(stream(Blended(tasks), 3, actions=1), 1)
    source = Blended(tasks)
    draft = source.draw(CHUNK, np.random.default_rng(0))
    assert (draft.made_of[:, 0] != draft.made_of[:, 1]).all()
    assert (np.diff(draft.scene) >= 0).all()
    seen = 0
    for scene, (one, other) in enumerate(draft.made_of.tolist()):
        pair = [
            [body for body in tasks[number].scene.bodies if body not in WALL_BODIES]
            for number in (one, other)
        ]
        own = np.flatnonzero(draft.scene == scene)
        assert len(own) == len(pair[0]) == len(pair[1])
        assert draft.dynamic[own].tolist() == [body.dynamic for body in pair[0]]
        ways = []
        for row, first, second in zip(own.tolist(), *pair, strict=True):
            outline = int(draft.outline[row, 0])
            assert source.outlines.kind[outline] is first.kind is second.kind
            size = sorted((first.diameter, second.diameter))
            spread = BEYOND * (size[1] - size[0]) + 1
            assert size[0] - spread < source.outlines.diameter[outline] < size[1] + spread
            step = np.subtract(second.position, first.position)[0]
            if abs(step) > 1:
                ways.append((draft.pose[row, 0, 0] - first.position[0]) / step)
        if ways:
            seen += 1
            assert -BEYOND <= min(ways) <= max(ways) <= 1 + BEYOND
            assert max(ways) - min(ways) < 1e-6  # all bodies are equally far
    assert seen > CHUNK / 2
    colors = [{body.color for body in task.scene.bodies} for task in tasks]
    for puzzle in part.scenes:
        assert {body.color for body in puzzle.bodies} in colors


def test_a_task_blended_with_one_like_it_stays_as_it_is() -> None:
    for template in ("00001", "00010", "00106", "00113"):
        task = template_tasks(template)[3]
        source = Blended([task, task])
        draft = source.draw(CHUNK, np.random.default_rng(0))
        bodies = [body for body in task.scene.bodies if body not in WALL_BODIES]
        for number, body in enumerate(bodies):
            rows = np.flatnonzero(draft.scene == 0)
            pose = (*body.position, body.angle)
            np.testing.assert_allclose(draft.pose[rows[number], 0], pose, atol=1e-9)
            assert source.outlines.shapes[int(draft.outline[rows[number], 0])] == body.shapes
        np.testing.assert_allclose(draft.pose[:, -1, 1] - draft.pose[:, 0, 1], RAISE)


def test_tasks_are_blended_with_their_nearest() -> None:
    tasks = template_tasks("00000")
    source = Blended(tasks)
    draft = source.draw(2000, np.random.default_rng(1))
    places = np.array(
        [[(*body.position, body.diameter) for body in task.scene.bodies[4:]] for task in tasks]
    ).reshape(len(tasks), -1)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    rank = np.argsort(np.argsort(apart, axis=1, kind="stable"), axis=1)
    drawn = rank[draft.made_of[:, 0], draft.made_of[:, 1]]
    assert set(drawn.tolist()) == set(range(1, 11))


def test_solutions_of_its_tasks_are_tried_on_a_blended_scene(tmp_path: Path) -> None:
    tasks = [task for template in ("00000", "00110") for task in template_tasks(template)[:20]]
    shares = []
    for some in (tasks[:20], tasks[20:]):
        tier = some[0].tier
        known = ActionCache(tmp_path, tier).solutions(some, LIST_LENGTH)
        for solutions in ((), known):
            [part] = islice(stream(Blended(some, solutions), 3, actions=64), 1)
            for tried, pair in zip(part.tried, part.made_of.tolist(), strict=True):
                pool = {int(number) for task in pair for number in known[task]}
                count = min(32, len(pool)) if solutions else 0
                assert set(tried[:count].tolist()) <= pool
                assert len(set(tried[:count].tolist())) == count
                assert (np.diff(tried[count:]) == 1).all()
                assert (tried[-1] + 1) % 64 == 0
            shares.append((part.outcomes > 0).sum() / (part.drawn * 64))
    assert shares[1] > 1.5 * shares[0]
    assert shares[3] > 5 * shares[2]
    with pytest.raises(ValueError, match="there are solutions of 19 tasks; give those of 20"):
        Blended(tasks[:20], known[:19])


def test_a_task_alone_cannot_be_blended() -> None:
    with pytest.raises(ValueError, match="no two of the tasks are made of the same bodies"):
        Blended([load_task("00000:000"), load_task("00001:000")])


def test_sources_need_tasks_of_one_tier() -> None:
    with pytest.raises(ValueError, match="no tasks to make puzzles of"):
        Scrambled([])
    with pytest.raises(ValueError, match="both tiers"):
        Scrambled([load_task("00001:000"), load_task("00100:000")])


def test_a_source_without_puzzles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topple.phyre.scramble._PATIENCE", 1)
    monkeypatch.setattr("topple.phyre.scramble.MOST_SOLVED", 0.0)
    with pytest.raises(ValueError, match="none of 64 scenes can be solved by 2 listed actions"):
        make(Free(Tier.BALL), 1, 0, actions=2)


def test_room_is_given_in_order() -> None:
    disc, box = (Circle(10.0),), (Polygon(((5, 5), (-5, 5), (-5, -5), (5, -5))),)
    here, beside, outside = (50.0, 50.0, 0.0), (80.0, 50.0, 0.0), (3.0, 50.0, 0.0)
    poses = np.array([[here, here], [here, beside], [outside, here], [here, beside]])
    chosen = place_bodies(
        [disc, box],
        np.array([0, 3, 4], np.int32),
        np.array([[0, 0], [1, 1], [0, 0], [1, 1]], np.int32),
        poses,
        np.ones(4, bool),
    )
    assert chosen.tolist() == [0, 1, -1, 0]  # the last one is alone in its scene
    assert (
        place_bodies(
            [disc],
            np.array([0], np.int32),
            np.zeros((0, 1), np.int32),
            np.zeros((0, 1, 3)),
            np.zeros(0, bool),
        ).size
        == 0
    )


def test_puzzle_files_keep_every_bit(made: Puzzles, tmp_path: Path) -> None:
    path = tmp_path / "puzzles.json"
    scenes = [scene._replace(name=f"x:{k:03d}") for k, scene in enumerate(made.scenes[:4])]
    write_puzzles(path, made.tier, scenes)
    tasks = read_puzzles(path)
    assert [task.scene for task in tasks] == scenes
    assert {task.tier for task in tasks} == {made.tier}
    assert [str(task.id) for task in tasks] == [scene.name for scene in scenes]
    assert tasks[0].description == goal_sentence(scenes[0])


def test_puzzle_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.json"
    scene = load_task("00001:000").scene
    for scenes, message in (
        ([scene, scene], "two scenes have the same name"),
        ([Scene(scene.bodies)], "has no goal"),
        ([], "no scenes"),
    ):
        write_puzzles(path, Tier.BALL, scenes)
        with pytest.raises(SceneError, match=message):
            read_puzzles(path)
    path.write_text('{"scenes": [], "tier": "three"}')
    with pytest.raises(SceneError, match="unknown tier 'three'"):
        read_puzzles(path)
