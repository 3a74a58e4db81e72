from __future__ import annotations

import numpy as np
import pytest

from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.engine.balls import with_balls
from topple.phyre.engine.native import SceneSet, draw_scenes
from topple.phyre.frames import code_frame, draw_scene, draw_states, start_poses
from topple.phyre.palette import PHYRE_RGB, to_rgb
from topple.phyre.scene import Body, Circle, Color, Polygon, Scene

FLOOR = Body(
    (Polygon(((128, 8), (-128, 8), (-128, -8), (128, -8))),), False, (128, 8), 0, Color.PURPLE
)
BALL = Body((Circle(20),), True, (64, 200), 0, Color.GREEN)
SCENE = Scene((FLOOR, BALL), name="a floor and a ball")


def rgb(color: Color) -> list[int]:
    return [int(value) for value in PHYRE_RGB[color]]


def test_codes_become_the_papers_colours() -> None:
    image = np.arange(7, dtype=np.uint8).reshape(7, 1)
    assert (to_rgb(image)[:, 0] == PHYRE_RGB).all()
    assert (code_frame(image)[:, 0] == PHYRE_RGB[::-1]).all()
    with pytest.raises(ValueError, match="7 is no colour code"):
        to_rgb(np.array([7], np.uint8))


@pytest.mark.parametrize("size", [64, 100, 255, 600])
def test_the_ground_is_at_the_bottom_at_any_size(size: int) -> None:
    frame = draw_scene(SCENE, size)
    assert frame.shape == (size, size, 3)
    assert frame.dtype == np.uint8
    assert frame[-1, size // 2].tolist() == rgb(Color.PURPLE)
    assert frame[0, size // 2].tolist() == rgb(Color.WHITE)
    row, column = round((1 - 200 / 256) * size), round(64 / 256 * size)
    assert frame[row, column].tolist() == rgb(Color.GREEN)


def test_edges_are_smooth_and_areas_are_right() -> None:
    frame = draw_scene(SCENE._replace(bodies=(BALL,)), 512)
    cover = (255.0 - frame[..., 0]).sum() / (255.0 - PHYRE_RGB[Color.GREEN][0])
    assert cover == pytest.approx(np.pi * 40**2, rel=0.01)
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 4


def test_wide_scenes_keep_their_proportions() -> None:
    assert draw_scene(SCENE._replace(width=512), 200).shape == (100, 200, 3)


def test_states_move_bodies_and_surplus_rows_are_left_out() -> None:
    poses = np.zeros((2, 5, 6))
    poses[:, :2, :3] = start_poses(SCENE)
    poses[1, 1, :2] = 192, 100
    first, second = draw_states(SCENE, poses, 256)
    assert (first == draw_scene(SCENE, 256)).all()
    assert second[156, 192].tolist() == rgb(Color.GREEN)
    assert second[56, 64].tolist() == rgb(Color.WHITE)
    with pytest.raises(ValueError, match=r"states have shape \(2, 1, 6\)"):
        draw_states(SCENE, poses[:, :1])
    with pytest.raises(ValueError, match="pixels wide, not 0"):
        draw_scene(SCENE, 0)


def test_balls_of_the_player_are_red() -> None:
    whole = with_balls(SCENE, [[128, 128, 10]])
    assert draw_scene(whole, 256)[128, 128].tolist() == rgb(Color.RED)
    assert with_balls(SCENE, ()) == SCENE


@pytest.mark.parametrize("tier", list(Tier))
def test_drawing_agrees_with_the_engines_images(tier: Tier) -> None:
    scenes = [load_task(template_task_ids(template)[0]).scene for template in tier.template_ids]
    for scene, image in zip(scenes, draw_scenes(SceneSet(scenes)), strict=True):
        exact, smooth = code_frame(image).astype(int), draw_scene(scene, 256).astype(int)
        assert (abs(exact - smooth).max(axis=-1) > 128).mean() < 0.003, scene.name
        assert (smooth == draw_scene(scene, 256)).all()
