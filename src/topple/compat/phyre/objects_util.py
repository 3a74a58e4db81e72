"""From object features back to scenes and images."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from topple.compat.phyre import simulator
from topple.compat.phyre.conversion import scene_to_thrift
from topple.compat.phyre.creator.constants import STATIC_COLOR_IDS
from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.compat.phyre.simulation import (
    FeaturizedObjects,
    PositionShift,
    finalize_featurized_objects,
    jar_height,
)
from topple.phyre import shapes
from topple.phyre.builder import WALL_BODIES
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Body, Circle, Color, Kind, Scene, SceneError, Shape
from topple.phyre.shapes import BAR_HEIGHT


def featurized_objects_vector_to_scene(featurized_objects: npt.ArrayLike) -> scene_if.Scene:
    """The scene of some objects, those of the player apart from the others.

    A zero row is a ball of no size, which no image shows. Objects whose diameter fits no
    shape of their kind, such as a bar shorter than it is thick, have no shapes.

    Args:
        featurized_objects: [objects, 14], perhaps predicted or padded.

    Raises:
        AssertionError: a red object is not a ball.
    """
    bodies = [_body(row) for row in np.asarray(featurized_objects)]
    placed = [body for body in bodies if body.color is Color.RED]
    others = [body for body in bodies if body.color is not Color.RED]
    scene = scene_to_thrift(Scene((*WALL_BODIES, *others)))
    scene.user_input_bodies = scene_to_thrift(Scene(tuple(placed))).bodies
    scene.user_input_status = scene_if.UserInputStatus.NO_OCCLUSIONS
    return scene


def featurized_objects_vector_to_raster(
    featurized_objects: npt.ArrayLike,
) -> npt.NDArray[np.int64]:
    """[256, 256] colour codes of some objects [objects, 14], row 0 at the bottom."""
    return simulator.scene_to_raster(featurized_objects_vector_to_scene(featurized_objects))


def _body(features: npt.NDArray[np.floating]) -> Body:
    # In the precision that the features have, as the original computes.
    objects = FeaturizedObjects(
        finalize_featurized_objects(features[None, None], PositionShift.FROM_CENTER_OF_MASS)
    )
    kind = Kind(1 + int(np.argmax(objects.shapes_one_hot[0])))
    color = Color(1 + int(np.argmax(objects.colors_one_hot[0])))
    x, y = objects.xs.item() * SCENE_SIZE, objects.ys.item() * SCENE_SIZE
    angle = objects.angles.item() * 360.0 / 180.0 * math.pi
    diameter = objects.diameters.item() * SCENE_SIZE
    if color is Color.RED:
        assert kind is Kind.BALL, f"a red object is a {kind.name}; the player places balls only"
        # The player's balls are kept in single precision.
        x, y, radius = (float(np.float32(value)) for value in (x, y, diameter / 2))
        return Body((Circle(radius),), True, (x, y), 0.0, color, kind, 2 * radius)
    return Body(
        _shapes(kind, diameter), color not in STATIC_COLOR_IDS, (x, y), angle, color, kind, diameter
    )


def _shapes(kind: Kind, diameter: float) -> tuple[Shape, ...]:
    """The shapes with this diameter; none if there are none."""
    if kind is Kind.BALL:
        return (Circle(int(diameter / 2 - 0.5) + 0.5),)
    try:
        if kind is Kind.JAR:
            return shapes.jar(jar_height(diameter) / SCENE_SIZE).shapes
        width = math.sqrt(diameter**2 - BAR_HEIGHT**2)
        make = shapes.bar if kind is Kind.BAR else shapes.standing_sticks
        return make(width / SCENE_SIZE).shapes
    except (SceneError, ValueError):
        return ()
