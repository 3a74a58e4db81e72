"""Scenes as pure values: shapes, bodies, goals. No IO, clock or randomness."""

from topple.scene.body import Body, Color, Kind
from topple.scene.goal import Goal
from topple.scene.scene import Scene, SceneError
from topple.scene.shapes import Circle, Polygon, Shape, Vec

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
