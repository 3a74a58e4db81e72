"""Scenes as pure values: shapes, bodies, goals. No IO, clock or randomness."""

from topple.phyre.scene.body import Body, Color, Kind
from topple.phyre.scene.goal import Goal
from topple.phyre.scene.scene import Scene, SceneError
from topple.phyre.scene.shapes import Circle, Polygon, Shape, Vec

__all__ = [
    "Body",
    "Circle",
    "Color",
    "Goal",
    "Kind",
    "Polygon",
    "Scene",
    "SceneError",
    "Shape",
    "Vec",
]
