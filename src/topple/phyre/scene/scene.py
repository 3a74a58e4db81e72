"""The scene: a world before the first step."""

from __future__ import annotations

from typing import NamedTuple

from topple.phyre.scene.body import Body
from topple.phyre.scene.goal import Goal


class SceneError(ValueError):
    """A scene breaks a rule; the message names the scene, the body and the rule."""


class Scene(NamedTuple):
    """Bodies in order of creation, with the goal if there is one.

    Order matters: it decides the order of contacts and so the last bits of a
    simulation. A PHYRE scene has its four walls as bodies 0 to 3.
    """

    bodies: tuple[Body, ...]
    goal: Goal | None = None
    width: float = 256.0  # scene units (PHYRE: pixels, 6 to the metre, y up)
    height: float = 256.0
    name: str = ""  # for people and error messages
