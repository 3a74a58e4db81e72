"""From object features back to scenes and images."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from topple.phyre import shapes
from topple.phyre.engine.native import SceneSet, draw_scenes
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.features import ANGLE, COLOR, DIAMETER, KIND, X, Y
from topple.phyre.scene import Body, Circle, Color, Kind, Scene
from topple.phyre.scene.jar import DIAGONAL_WIDTH_TO_HEIGHT, jar_centre_height
from topple.phyre.shapes import BAR_HEIGHT, Outline

_STATIC = (Color.PURPLE, Color.BLACK)


def featurized_objects_vector_to_scene(featurized_objects: npt.ArrayLike) -> Scene:
    """The scene of some objects, those of the player last.

    Args:
        featurized_objects: [objects, 14].
    """
    bodies = [_body(row) for row in np.asarray(featurized_objects, dtype=np.float64)]
    # Stable: objects of either sort keep their order.
    bodies.sort(key=lambda body: body.color is Color.RED)
    return Scene(tuple(bodies))


def featurized_objects_vector_to_raster(
    featurized_objects: npt.ArrayLike,
) -> npt.NDArray[np.int64]:
    """[256, 256] colour codes of some objects [objects, 14], row 0 at the bottom."""
    scene = featurized_objects_vector_to_scene(featurized_objects)
    raster: npt.NDArray[np.int64] = draw_scenes(SceneSet([scene]))[0].astype(np.int64)
    return raster


def _body(features: npt.NDArray[np.float64]) -> Body:
    kind = Kind(1 + int(np.argmax(features[KIND])))
    color = Color(1 + int(np.argmax(features[COLOR])))
    x, y, diameter = (features[[X, Y, DIAMETER]] * SCENE_SIZE).tolist()
    angle = float(features[ANGLE]) * 360 / 180 * math.pi  # in the original's order
    if color is Color.RED:
        if kind is not Kind.BALL:
            raise ValueError(f"a red object is a {kind.name}; the player places balls only")
        return Body((Circle(diameter / 2),), True, (x, y), angle, color, kind, diameter)
    if kind is Kind.JAR:
        # Features place a jar by its centre of mass, bodies by the middle of its floor.
        rise = jar_centre_height(_jar_height(diameter))
        x, y = x + rise * math.sin(angle), y - rise * math.cos(angle)
    outline = _outline(kind, diameter)
    return Body(outline.shapes, color not in _STATIC, (x, y), angle, color, kind, diameter)


def _jar_height(diameter: float) -> float:
    return math.sqrt(diameter**2 / (1 + DIAGONAL_WIDTH_TO_HEIGHT**2))


def _outline(kind: Kind, diameter: float) -> Outline:
    """The outline with this diameter."""
    if kind is Kind.BALL:
        return shapes.ball((diameter - 1) / SCENE_SIZE)
    if kind is Kind.JAR:
        return shapes.jar(_jar_height(diameter) / SCENE_SIZE)
    width = math.sqrt(diameter**2 - BAR_HEIGHT**2)
    make = shapes.bar if kind is Kind.BAR else shapes.standing_sticks
    return make(width / SCENE_SIZE)
