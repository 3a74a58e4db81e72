"""The player's balls as bodies of a scene."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.native import SceneSet, map_actions
from topple.phyre.scene import Body, Circle, Color, Kind, Scene


class InvalidActionError(ValueError):
    """The balls of an action leave the scene, touch each other or cover a body."""


def with_balls(scene: Scene, balls: npt.ArrayLike) -> Scene:
    """The scene with the player's balls as its last bodies.

    Args:
        scene: what they are added to.
        balls: [balls, 3] x, y and radius in pixels, as ``map_actions`` returns them.
    """
    added = tuple(
        Body((Circle(radius),), True, (x, y), 0.0, Color.RED, Kind.BALL, 2 * radius)
        for x, y, radius in np.asarray(balls, dtype=np.float64).reshape(-1, 3).tolist()
    )
    return scene._replace(bodies=scene.bodies + added)


def with_action(scene: Scene, action: npt.ArrayLike) -> Scene:
    """The scene with the balls of an action in it, as they are simulated.

    Simulating it gives the same bits as attempting the action.

    Args:
        scene: where they go.
        action: [3 * balls] numbers from 0 to 1: x, y and radius of each ball.

    Raises:
        InvalidActionError: if the balls do not fit.
    """
    row = np.asarray(action, dtype=np.float64).reshape(1, -1)
    valid, balls = map_actions(SceneSet([scene]), [0], row)
    if not valid[0]:
        raise InvalidActionError(
            f"the action {row[0].tolist()} does not fit {scene.name or 'the scene'}: a ball leaves "
            "the scene, touches the other ball or covers a body"
        )
    return with_balls(scene, balls[0])
