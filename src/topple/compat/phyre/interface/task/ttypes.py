"""Tasks, and what comes out of simulating one."""

from __future__ import annotations

from dataclasses import dataclass

from topple.compat.phyre.interface.scene.ttypes import Scene, Shape, UserInput
from topple.compat.phyre.interface.struct import BOOL, I32, STRING, Enumeration, Struct, member


class SpatialRelationship(Enumeration):
    """What has to hold between the two bodies of a task."""

    NONE = 0
    ABOVE = 1
    BELOW = 2
    LEFT_OF = 3
    RIGHT_OF = 4
    TOUCHING_BRIEFLY = 5
    TOUCHING = 6
    INSIDE = 7
    NOT_TOUCHING = 8
    NOT_INSIDE = 9


@dataclass
class Task(Struct):
    """A puzzle: a scene, two of its bodies, and what has to hold between them."""

    taskId: str = member(1, STRING)
    scene: Scene = member(2, Scene)
    bodyId1: int = member(3, I32)
    bodyId2: int = member(4, I32)
    relationships: list[int] = member(5, [I32])
    description: str = member(6, STRING)
    solutions: list[UserInput] | None = member(7, [UserInput])
    phantomShape: Shape | None = member(8, Shape)
    tier: str = member(9, STRING)


@dataclass
class TaskCollection(Struct):
    """Some tasks, as the original keeps them in a file."""

    tasks: list[Task] = member(1, [Task])


@dataclass
class TaskSimulation(Struct):
    """The kept frames of a simulation, and whether it solved the task."""

    isSolution: bool = member(1, BOOL)
    sceneList: list[Scene] = member(2, [Scene])
    solvedStateList: list[bool] = member(3, [BOOL])
    stepsSimulated: int = member(4, I32)
