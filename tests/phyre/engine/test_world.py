"""Pausing, copying, editing and branching worlds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from support.narrowing import not_none
from support.shared_data import bits
from support.small_scenes import ball, walled
from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity
from topple.phyre import load_task, template_task_ids
from topple.phyre.action import discrete_actions
from topple.phyre.engine.balls import with_action
from topple.phyre.engine.edits import AddBody, Edit
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import Outcome
from topple.phyre.engine.world import World
from topple.phyre.scene import Body, Circle, Scene, SceneError
from topple.phyre.tier import Tier

TASKS = ["00000:000", "00003:000", "00013:011", "00104:001", "00120:004"]
KEEP = Request(states=True, stride=7, final_state=True, images=True, objects=True)
GREEN = 4  # the first body behind the walls


def valid_action(scene: Scene) -> np.ndarray:
    actions = discrete_actions(Tier.BALL, 100)
    outcome = simulate_batch(
        SceneSet([scene]), np.zeros(len(actions), np.int32), actions, Request(max_steps=1)
    ).outcome
    return np.asarray(actions[np.flatnonzero(outcome)[0]])


@pytest.mark.parametrize("task", TASKS)
def test_balls_as_bodies_give_the_same_bits(task: str) -> None:
    scene = load_task(task).scene
    action = valid_action(scene)
    attempt = simulate_batch(SceneSet([scene]), [0], [action], KEEP)
    placed = simulate_batch(SceneSet([with_action(scene, action)]), [0], np.zeros((1, 0)), KEEP)
    for name in ("outcome", "steps", "states", "final_state", "images", "objects"):
        np.testing.assert_array_equal(getattr(attempt, name), getattr(placed, name), err_msg=name)


@pytest.mark.parametrize("pause", [0, 1, 77, 400])
@pytest.mark.parametrize("task", TASKS)
def test_unedited_branches_replay_the_same_bits(task: str, pause: int) -> None:
    scene = load_task(task).scene
    action = valid_action(scene)
    whole = simulate_batch(SceneSet([scene]), [0], [action], Request(final_state=True))
    world = World(scene, action)
    world.step(pause)
    branches = world.branch([[], [], []], Request(final_state=True), threads=2)
    [end] = not_none(whole.final_state)
    for k, final in enumerate(not_none(branches.final_state)):
        assert (branches.outcome[k], branches.steps[k]) == (whole.outcome[0], whole.steps[0])
        np.testing.assert_array_equal(bits(final), bits(end))
    assert world.steps_made == pause


@pytest.mark.parametrize("tier", list(Tier))
def test_branches_are_drawn_like_attempts(tier: Tier) -> None:
    """Attempts are drawn over a backdrop of what cannot move, branches from nothing."""
    request = Request(images=True, stride=20)
    for template in tier.template_ids:
        scene = load_task(template_task_ids(template)[0]).scene
        action = valid_action(scene)
        attempt = simulate_batch(SceneSet([scene]), [0], [action], request)
        branch = World(scene, action).branch([[]], request)
        np.testing.assert_array_equal(attempt.images, branch.images, err_msg=template)


def test_copies_go_their_own_ways() -> None:
    world = World(load_task("00003:000").scene)
    world.step(20)
    snapshot = world.copy()
    before = snapshot.state()
    world.step(50)
    np.testing.assert_array_equal(bits(snapshot.state()), bits(before))
    assert not np.array_equal(world.state(), before)
    snapshot.step(50)
    np.testing.assert_array_equal(bits(snapshot.state()), bits(world.state()))


def run(edits: list[Edit]) -> np.ndarray:
    world = World(load_task("00000:000").scene)
    world.step(10)
    result = world.branch([edits], Request(states=True, stride=1, max_steps=12))
    return np.asarray(not_none(result.states)[0, : result.frame_count[0]])


def test_velocity_and_impulse() -> None:
    plain = run([])
    fast = run([SetVelocity(GREEN, (120.0, 0.0), 1.0)])
    # Two pixels in a step of a sixtieth of a second.
    assert fast[0, GREEN, 0] - plain[0, GREEN, 0] == pytest.approx(2.0, abs=1e-3)
    assert fast[0, GREEN, 5] == pytest.approx(1.0, rel=1e-3)
    pushed = run([ApplyImpulse(GREEN, (1.0, 0.0), (89.6, 58.7))])
    mass = 0.25 * np.pi * (7.5 / 6) ** 2
    assert pushed[0, GREEN, 3] / 6 == pytest.approx(1.0 / mass, rel=1e-4)


def test_moved_bodies_continue_from_their_new_place() -> None:
    moved = run([MoveBody(GREEN, (30.0, 200.0), 0.5)])
    plain = run([])
    np.testing.assert_allclose(moved[0, GREEN, :3], (30.0, 200.0, 0.5), atol=0.5)
    assert moved[0, GREEN, 4] == plain[0, GREEN, 4]  # falls as fast as before
    others = [i for i in range(plain.shape[1]) if i != GREEN]
    np.testing.assert_array_equal(moved[:, others], plain[:, others])


def test_what_rests_on_a_removed_body_falls() -> None:
    floor = Body((Circle(30.0),), False, (128.0, 60.0))
    ball = Body((Circle(10.0),), True, (128.0, 100.0))
    world = World(Scene((floor, ball)))
    world.step(200)
    resting = world.state()[1, 1]
    result = world.branch([[], [RemoveBody(0)]], Request(final_state=True, max_steps=260))
    final = not_none(result.final_state)
    assert final[0, 1, 1] == resting
    assert final[1, 1, 1] < resting - 20


def test_added_bodies_collide_and_may_be_edited() -> None:
    world = World(load_task("00000:000").scene)
    count = len(world.scene.bodies)
    ball = Body((Circle(12.0),), True, (89.6, 120.0))
    result = world.branch(
        [[], [AddBody(ball)], [AddBody(ball), SetVelocity(count, (0.0, -300.0))]],
        Request(final_state=True, max_steps=60),
    )
    final = not_none(result.final_state)
    assert final.shape[1] == count + 1
    assert not final[0, count].any()
    slow, quick = final[1:, count, 1]
    assert quick != slow


def test_a_goal_with_a_removed_body_is_out_of_reach() -> None:
    world = World(load_task("00000:000").scene)
    result = world.branch([[RemoveBody(GREEN)]], KEEP)
    assert result.outcome[0] == Outcome.NOT_SOLVED
    assert not (not_none(result.images)[0] == 2).any()
    assert not not_none(result.objects)[0, :, 0].any()


def test_a_thousand_branches_do_not_depend_on_threads() -> None:
    world = World(load_task("00003:000").scene)
    world.step(5)
    edits = [[SetVelocity(GREEN, (float(v), 0.0))] for v in range(-500, 500)]
    request = Request(final_state=True, max_steps=60)
    one, two = (not_none(world.branch(edits, request, threads=n).final_state) for n in (1, 2))
    assert one.tobytes() == two.tobytes()
    assert len(np.unique(one[:, GREEN, 0])) > 100


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([RemoveBody(99)], "branch 0, RemoveBody: there is no body 99"),
        ([SetVelocity(0, (1.0, 0.0))], "body 0 is static"),
        ([ApplyImpulse(2, (1.0, 0.0), (0.0, 0.0))], "body 2 is static"),
        ([MoveBody(GREEN, (float("nan"), 0.0), 0.0)], "not finite"),
    ],
)
def test_wrong_edits(edits: list[Edit], message: str) -> None:
    world = World(load_task("00000:000").scene)
    with pytest.raises(ValueError, match=message):
        world.branch([edits])


def test_wrong_bodies_and_requests() -> None:
    world = World(load_task("00000:000").scene)
    with pytest.raises(SceneError, match="positive radius"):
        world.branch([[AddBody(Body((Circle(0.0),), True, (1.0, 1.0)))]])
    with pytest.raises(ValueError, match="stable is True"):
        world.branch([[]], Request(stable=True))
    with pytest.raises(ValueError, match="does not fit"):
        World(world.scene, [0.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="count is -1"):
        world.step(-1)


def test_branches_start_from_one_state_while_another_thread_steps(
    frequent_switches: None,
) -> None:
    """A branch without edits ends as its world does, whenever it was made."""
    request = Request(max_steps=150, final_state=True)
    pile = [ball(16 + 28 * (i % 8) + i // 8, 20 + 28 * (i // 8), 12) for i in range(48)]
    world = World(walled(*pile))
    expected = not_none(world.branch([[]], request).final_state)
    with ThreadPoolExecutor(1) as thread:
        branching = thread.submit(world.branch, [[]] * 40, request, threads=2)
        while not branching.done() and world.steps_made < request.max_steps - 1:
            world.step()
    found = branching.result().final_state
    np.testing.assert_array_equal(found, np.repeat(expected, 40, axis=0))
