"""Scenes in a mirror."""

from __future__ import annotations

import numpy as np
import pytest

from support.narrowing import not_none
from topple.phyre import Tier
from topple.phyre.engine.native import SceneSet, draw_scenes
from topple.phyre.mirror import mirrored
from topple.phyre.scene import Polygon, Scene
from topple.phyre.task import load_task, template_task_ids

TEMPLATES = [template for tier in Tier for template in tier.template_ids]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_published_task_has_a_mirror_image(template: str) -> None:
    scene = load_task(template_task_ids(template)[0]).scene
    twin = not_none(mirrored(scene))
    assert twin.goal == scene.goal
    before, after = draw_scenes(SceneSet([scene, twin]))
    # Edges of bodies fall on other sides of pixels' middles.
    assert np.mean(before != after[:, ::-1]) < 0.02
    assert np.mean(before != after) > 0.02 or np.mean(before != before[:, ::-1]) < 0.05
    for body, back in zip(scene.bodies, not_none(mirrored(twin)).bodies, strict=True):
        assert back.position == pytest.approx(body.position)
        assert back._replace(position=body.position) == body


def test_a_body_that_is_no_mirror_image_of_itself_has_none() -> None:
    scene = load_task("00000:000").scene
    wedge = scene.bodies[4]._replace(shapes=(Polygon(((0.0, 0.0), (9.0, 0.0), (0.0, 5.0))),))
    assert mirrored(Scene((*scene.bodies, wedge), scene.goal)) is None


def test_what_moves_to_the_left_moves_to_the_right() -> None:
    scene = load_task("00000:000").scene
    thrown = scene.bodies[4]._replace(velocity=(3.0, 1.0), angular_velocity=2.0)
    twin = not_none(mirrored(Scene((*scene.bodies[:4], thrown)))).bodies[4]
    assert (twin.velocity, twin.angular_velocity) == ((-3.0, 1.0), -2.0)
