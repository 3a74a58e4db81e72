"""Tasks and games by name, published or made in the player."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from topple.iphyre.game import Game, GameError
from topple.iphyre.game_file import game_from_json
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_60_HZ
from topple.iphyre.split import split_of
from topple.phyre.action import fits
from topple.phyre.engine.result import AttemptResult, Outcome
from topple.phyre.scene import Body, Circle, Kind, Scene
from topple.phyre.scene.codec import scene_from_json
from topple.phyre.simulator import Simulator
from topple.phyre.task import UnknownTaskError, load_task, template_task_ids
from topple.phyre.templates import template_name
from topple.phyre.tier import COMPONENTS_PER_BALL, Tier
from topple.player import tables
from topple.player.errors import InvalidError, NotFoundError, raised_as
from topple.player.geometry import phyre_trajectory, scene_model
from topple.player.ids import OWN
from topple.player.models.base import Benchmark, OutcomeName, Trajectory
from topple.player.models.phyre import PhyreScene, Validity
from topple.player.store import Store
from topple.player.texts import check_texts

RULES = AT_60_HZ  # people play games at 60 ticks a second
RADIUS_MIN, RADIUS_MAX = 2.0, 32.0  # px, of an action's radius 0 and 1


@dataclass(frozen=True)
class PhyreTask:
    """A PHYRE task under the name it is played by."""

    name: str
    scene: Scene
    tier: Tier
    description: str
    idea: str
    title: str  # such as "Past the obstacle"
    template: str | None = None  # None if it was made in the player

    @cached_property
    def simulator(self) -> Simulator:
        """The simulator of this task alone."""
        return Simulator(self.scene._replace(name=self.name), self.tier, threads=1)

    @cached_property
    def model(self) -> PhyreScene:
        """The scene for the page."""
        return scene_model(self.scene)

    def check_action(self, action: list[float]) -> None:
        """Refuse an action of the other tier."""
        if len(action) != self.tier.action_size:
            raise InvalidError(
                f"the action has {len(action)} numbers; {self.name} takes {self.tier.action_size}"
            )

    def validity(self, action: list[float]) -> Validity:
        """Whether an action is valid, and if not, why."""
        self.check_action(action)
        if self.simulator.valid(0, action)[0]:
            balls = [(x, y, r) for x, y, r in self.simulator.balls(0, action)[0].tolist()]
            return Validity(valid=True, reason=None, balls=balls)
        return Validity(valid=False, reason=self._fault(action), balls=[])

    def _fault(self, action: list[float]) -> str:
        balls = np.reshape(action, (-1, COMPONENTS_PER_BALL))
        names = ["the ball"] if len(balls) == 1 else ["the first ball", "the second ball"]
        for name, inside in zip(names, fits(balls), strict=True):
            if not inside:
                return f"{name} does not lie inside the scene"
        if not fits([action])[0]:
            return "the balls touch each other"
        alone = Simulator(self.scene, Tier.BALL, threads=1)
        for name, free in zip(names, alone.valid([0] * len(balls), balls), strict=True):
            if not free:
                return f"{name} covers a body"
        return "the balls do not fit"

    def attempt(self, action: list[float]) -> AttemptResult:
        """Simulate an action and record the motion and the contacts of all bodies."""
        self.check_action(action)
        return self.simulator.attempt(0, action, stride=1, states=True, contacts=True)

    def trajectory(self, result: AttemptResult, stride: int) -> Trajectory:
        """The motion of a valid attempt."""
        return phyre_trajectory(self.scene, result, stride)

    def neighbours(self) -> tuple[str | None, str | None]:
        """The published tasks before and after this one."""
        if self.template is None:
            return None, None
        names = task_names(self.template)
        place = names.index(self.name)
        before = names[place - 1] if place else None
        return before, names[place + 1] if place + 1 < len(names) else None


def outcome_name(outcome: Outcome) -> OutcomeName:
    """An outcome as it is named in answers."""
    if not outcome.is_valid:
        return OutcomeName.INVALID
    return OutcomeName.SOLVED if outcome.is_solved else OutcomeName.NOT_SOLVED


@lru_cache(maxsize=64)
def task_names(template: str) -> tuple[str, ...]:
    """The ids of a template's published tasks."""
    return tuple(map(str, template_task_ids(template)))


@lru_cache(maxsize=1024)
def published_task(name: str) -> PhyreTask:
    """A published PHYRE task.

    Raises:
        NotFoundError: there is none of this name.
    """
    with raised_as(NotFoundError, UnknownTaskError, ValueError):
        task = load_task(name)
    return PhyreTask(
        name,
        task.scene,
        task.tier,
        task.description,
        task.template.idea,
        template_name(task.template.id),
        task.template.id,
    )


@dataclass(frozen=True)
class NamedGame:
    """An I-PHYRE game under the name it is played by."""

    name: str
    game: Game

    @property
    def split(self) -> str:
        """Its split, or "own" if it was made in the player."""
        split = None if self.name.startswith(OWN) else split_of(self.name)
        return split.value if split else "own"


def _own_puzzle(store: Store, name: str, benchmark: Benchmark) -> tables.Puzzle:
    with store.reading() as session:
        row = session.get(tables.Puzzle, name.removeprefix(OWN))
    if row is None or row.benchmark != benchmark.value:
        raise NotFoundError(f"there is no {benchmark.value} puzzle {name!r} here")
    check_texts(row.data)
    return row


def find_task(store: Store, name: str) -> PhyreTask:
    """A PHYRE task by its name.

    Raises:
        NotFoundError: there is none.
    """
    if not name.startswith(OWN):
        return published_task(name)
    row = _own_puzzle(store, name, Benchmark.PHYRE)
    scene = scene_from_json(json.dumps(row.data))
    return PhyreTask(name, scene, Tier(row.tier), goal_sentence(scene), "", row.name)


def goal_sentence(scene: Scene) -> str:
    """Say what to do in a scene that was made in the player."""
    assert scene.goal is not None  # a puzzle is refused without one
    one, other = (
        f"{body.color.name.lower()} {_body_word(body)}"
        for body in (scene.bodies[scene.goal.first], scene.bodies[scene.goal.second])
    )
    return f"Make sure the {one} is touching the {other}."


def _body_word(body: Body) -> str:
    if body.kind is not Kind.UNDEFINED:
        return body.kind.name.lower().replace("_", " ")
    [shape, *others] = body.shapes
    corners = 0 if others or isinstance(shape, Circle) else len(shape.vertices)
    return {3: "wedge", 4: "box"}.get(corners, "polygon")


def find_game(store: Store, name: str) -> NamedGame:
    """An I-PHYRE game by its name.

    Raises:
        NotFoundError: there is none.
    """
    if name.startswith(OWN):
        return NamedGame(name, game_from_json(_own_puzzle(store, name, Benchmark.IPHYRE).data))
    with raised_as(NotFoundError, GameError):
        return NamedGame(name, game_named(name))


#: How a benchmark's puzzles are found by name.
FIND = {Benchmark.PHYRE: find_task, Benchmark.IPHYRE: find_game}
