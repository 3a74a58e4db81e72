"""Programs that record trajectories: poses and velocities from `space`, and pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from topple.compat.iphyre.simulator import IPHYRE
from topple.compat.iphyre.space import Body, Circle, DampedSpring, PinJoint, Segment
from topple.iphyre import AT_60_HZ, Episode, game_named

PICTURES = sorted((Path(__file__).parents[1] / "golden" / "iphyre_pictures").glob("*.png"))

# The share of pixels in which a picture may differ from the original's.
TOLERANCE = 0.001


def test_poses_and_velocities() -> None:
    demo = IPHYRE("spring")
    assert demo.space.bodies == []
    demo.reset()
    episode = Episode(game_named("spring"), AT_60_HZ)
    click = demo.get_action_space()[1]
    demo.reset()
    episode.world.reset(3)
    for step in range(120):
        if step == 20:
            assert demo.eliminate(click) == 4
            episode.remove(4)
        demo.step([0.0, 0.0])
        episode.step()
    bodies = demo.space.bodies
    assert len(bodies) == episode.game.bodies - 1
    poses, velocities = episode.world.poses()[-1], episode.world.velocities()[-1]
    ball = bodies[-1]
    assert [*ball.position, ball.angle] == poses.tolist()
    assert [*ball.velocity, ball.angular_velocity] == velocities.tolist()
    assert ball.position.x == ball.position[0]
    assert ball.velocity.length == pytest.approx(np.hypot(*velocities[:2]))
    assert (ball.body_type, bodies[0].body_type) == (Body.DYNAMIC, Body.STATIC)
    assert (ball.mass, bodies[0].mass) == (1.0, 0.0)
    assert tuple(ball.rotation_vector) == pytest.approx((np.cos(ball.angle), np.sin(ball.angle)))
    (disc,), (line,) = ball.shapes, bodies[0].shapes
    assert isinstance(disc, Circle)
    assert disc.radius == 20.0
    assert isinstance(line, Segment)
    assert (line.a, line.b, line.radius) == ((-75.0, 0.0), (75.0, 0.0), 10.0)
    assert len(demo.space.shapes) == len(bodies)


def test_joints_go_with_their_block() -> None:
    demo = IPHYRE("spring")
    positions = demo.get_action_space()
    [spring] = demo.space.constraints
    assert isinstance(spring, DampedSpring)
    assert spring.b == demo.space.bodies[-1]
    assert demo.spring == [[5, 6]]
    demo.eliminate(positions[1])
    assert demo.spring == [[4, 5]]
    demo.eliminate(positions[2])
    assert (demo.spring, demo.space.constraints) == ([], [])
    pendulum = IPHYRE("pendulum")
    pendulum.reset()
    assert isinstance(pendulum.space.constraints[0], PinJoint)
    assert (pendulum.joint, pendulum.spring) == ([[5, 6]], None)


def test_steps_of_the_space() -> None:
    demo, other = IPHYRE("hole"), IPHYRE("hole")
    demo.space.step(1 / 60)  # nothing is there yet
    for each in (demo, other):
        each.reset()
    for _ in range(30):
        demo.space.step(demo.timestep)
        other.step([0.0, 0.0])
    assert demo.space.bodies[-1].position == other.space.bodies[-1].position
    assert tuple(demo.space.gravity) == (0.0, 100.0)
    with pytest.raises(ValueError, match=r"steps by 0\.01666"):
        demo.space.step(0.1)


@pytest.mark.parametrize("file", PICTURES, ids=lambda file: file.stem)
def test_pictures_are_those_of_the_original(file: Path) -> None:
    """Except for edges of slanted blocks."""
    name, _, steps = file.stem.rpartition("_")
    demo = IPHYRE(name)
    click = demo.get_action_space()[1]
    demo.init_screen()
    picture, last = demo.reset(use_images=True), int(steps) - 1
    for step in range(int(steps)):
        click_at = click if step == 20 else [0.0, 0.0]
        picture, _, _ = demo.step(click_at, use_images=step == last)
    told = np.asarray(Image.open(file).convert("RGB")).astype(int)
    assert (np.abs(picture[:, :, ::-1] - told).max(axis=2) > 40).mean() < TOLERANCE
    assert (told < 250).any(axis=2).mean() > 10 * TOLERANCE
    assert demo.screen is not None
    np.testing.assert_array_equal(demo.screen, picture[:, :, ::-1])


def test_the_screen_waits_for_init_screen() -> None:
    demo = IPHYRE("hole")
    demo.reset(use_images=True)
    assert demo.screen is None
