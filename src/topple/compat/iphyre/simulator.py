"""`IPHYRE`, the simulator of the original.

Positions are clicks; `[0., 0.]` does nothing. A list of clicks is sorted in place by
time, one entry is used up per step, and entries with time 0 are used up in vain.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from topple.compat.iphyre.games import MAX_ELI_OBJ_NUM, MAX_OBJ_NUM, PARAS, layout_of, scene_of
from topple.compat.iphyre.pictures import draw_like_pymunk
from topple.compat.iphyre.space import Body, Segment, Space
from topple.edits import RemoveBody
from topple.files import whole_file
from topple.iphyre.engine.batch import World
from topple.iphyre.game import BLOCK_RADIUS, covers
from topple.iphyre.observe import COLUMNS
from topple.iphyre.rules import ELIMINATION_REWARD, SECONDS, SUCCESS_REWARD, TIME_REWARD

__all__ = ["IPHYRE", "MAX_ELI_OBJ_NUM", "MAX_OBJ_NUM", "PARAS"]

Table = NDArray[np.float64]  # (12, 9)
Picture = NDArray[np.uint8]  # (600, 600, 3) BGR, as in the original

NOTHING = [0.0, 0.0]  # a click that is none


class IPHYRE:
    """One game at a rate of steps per second; call `reset` before anything else.

    Attributes:
        space: bodies with position, angle and velocity.
        shape: 1 for each block that is there, then 0 for each ball.
        eli: whether each of them can be removed.
        dynamic: whether each of them moves.
        eli_mask: the number that each of them had at the start.
        joint: pairs of them that a stick joins, or None.
        spring: pairs of them that a spring joins, or None.
        screen: the last picture, after `init_screen`.
    """

    def __init__(self, game: Hashable = "support", fps: float = 60) -> None:
        layout = layout_of(game)
        self.game = game
        self.HEIGHT, self.WIDTH = 600, 600
        self.FPS = fps
        self.timestep = 1 / fps
        self.max_time = SECONDS
        self.max_obj_num = MAX_OBJ_NUM
        self.max_eli_obj_num = MAX_ELI_OBJ_NUM
        self.b_mass, self.b_elasticity, self.b_friction = 1.0, 0.1, 0.5
        self.l_friction, self.l_elasticity = 0.5, 0.1
        self.space = Space()
        self.screen: Picture | None = None
        self.step_reward = TIME_REWARD / fps
        self.eli_reward = int(ELIMINATION_REWARD)
        self.success_reward = int(SUCCESS_REWARD)
        self.blocks = layout["block"]
        self.balls = layout["ball"]
        self.num_ball = len(self.balls)
        self.num_obj = len(layout["eli"])
        self.eli_mask: list[int] | None = None
        self._resets = 0
        self._copy_layout()

    def __getattr__(self, name: str) -> Any:
        if name in ("play", "simulate_vis", "collect_while_play"):
            raise AttributeError(f"{name} opens a window; people play in the browser: topple play")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _copy_layout(self) -> None:
        layout = layout_of(self.game)
        self.shape = [1] * len(self.blocks) + [0] * len(self.balls)
        self.eli: list[int] = list(layout["eli"])
        self.dynamic: list[int] = list(layout["dynamic"])
        self.joint: list[list[int]] | None = _copied_pairs(layout, "joint")
        self.spring: list[list[int]] | None = _copied_pairs(layout, "spring")

    def reset(self, use_images: bool = False) -> Table | Picture:
        """Put everything back, as `PARAS` has it now.

        How often this was called on an object matters to the physics.
        """
        scene = scene_of(self.game, self.blocks, self.balls)
        bodies, world = len(scene.radii), self.space.world
        if world is None or len(world.scene.radii) != bodies:
            self._resets = 0
        self._resets += 1
        self.space.start(scene, self.timestep, self._resets)
        self._copy_layout()
        self.eli_mask = list(range(bodies))
        return self._observe(use_images)

    def step(
        self, pos: Sequence[float], use_images: bool = False
    ) -> tuple[Table | Picture, float, bool]:
        """Click, then advance one step: the state, the reward, and whether all balls are out."""
        reward, done = self.advance(pos)
        return self._observe(use_images), reward, done

    def advance(self, pos: Sequence[float]) -> tuple[float, bool]:
        """A step that does not look at the state."""
        reward = self.step_reward
        removed = list(pos) != NOTHING and self.eliminate(pos) != -1
        done = self._ready().run(1)
        if removed:
            reward += self.eli_reward
        if done:
            reward += self.success_reward
        return reward, done

    def eliminate(self, p: Sequence[float]) -> int:
        """Remove the first gray block under a point.

        Blocks are hit where they are, but as if they had not turned.

        Returns:
            Its place among the bodies that were there, or -1.
        """
        world = self._ready()
        assert self.eli_mask is not None
        poses, ends = world.poses().tolist(), world.scene.ends
        for place, body in enumerate(self.eli_mask[: -self.num_ball]):
            if self.eli[place] == 1 and covers(ends[body], poses[body][:2], (p[0], p[1])):
                self.space.change(RemoveBody(body))
                for listed in (self.eli, self.eli_mask, self.dynamic, self.shape):
                    del listed[place]
                self.joint = _pairs_without(place, self.joint)
                self.spring = _pairs_without(place, self.spring)
                return place
        return -1

    def examine_success(self) -> bool:
        """Whether all balls are out."""
        return self._ready().all_out()

    def simulate(self, action: list[Sequence[float]] | None = None) -> tuple[int, int, float]:
        """Play clicks `[x, y, t]`, from the present state on.

        Returns:
            1 or 0 for success, the blocks removed, and the time at the end.
        """
        clock = self._clock()
        world = self._ready()
        start, removed = world.tick, 0
        for due, click in self._schedule(action if action is not None else []):
            if world.run(start + due - world.tick):
                break
            removed += self._click(click)
        else:
            world.run(start + len(clock) - 1 - world.tick)
        return int(world.solved), removed, clock[world.tick - start]

    def _clock(self) -> list[float]:
        """Times of all steps and of the end, added up as floats, as the original does."""
        times = [0.0]
        while times[-1] < self.max_time:
            times.append(times[-1] + self.timestep)
        return times

    def _schedule(self, clicks: list[Sequence[float]]) -> list[tuple[int, Sequence[float]]]:
        """Sort clicks in place and say at which step each is used up, if any."""
        clicks.sort(key=lambda click: click[-1])
        starts = self._clock()[:-1]
        schedule, free = [], 0
        for click in clicks:
            if math.isnan(click[2]):
                break  # its time never comes, and the others wait for their turn behind it
            due = max(free, bisect_left(starts, click[2]))
            if due >= len(starts):
                break
            schedule.append((due, click))
            free = due + 1
        return schedule

    def _click(self, click: Sequence[float]) -> bool:
        return click[2] != 0 and self.eliminate(click[:2]) != -1

    def get_all_property(self) -> Table:
        """(12, 9) the object table; see `topple.iphyre.observe`."""
        world = self._ready()
        assert self.eli_mask is not None
        ends, radii = world.ends().tolist(), world.scene.radii
        table = [(0.0,) * COLUMNS] * self.max_obj_num
        for place, body in enumerate(self.eli_mask):
            kinds = self.eli[place], self.dynamic[place]
            table[body] = (*ends[body], radii[body], *kinds, *self._held(place))
        return np.array(table, np.float64)

    def _held(self, place: int) -> tuple[int, ...]:
        """The numbers, from 1, of the last stick and the last spring at a place; 0 for none."""
        if not self.joint and not self.spring:
            return 0, 0
        return tuple(
            max((i for i, pair in enumerate(pairs or (), start=1) if place in pair), default=0)
            for pairs in (self.joint, self.spring)
        )

    def get_property(self, body: Body, idx: int, shape_flag: int) -> list[float]:
        """The row of the table for the body at a place; the flag tells blocks from balls."""
        (shape,), angle = body.shapes, body.angle
        x, y = body.position
        ends = [x, y, x, y]
        if shape_flag and isinstance(shape, Segment):
            cos, sin = math.cos(angle), math.sin(angle)
            ends = [
                place
                for end in (shape.a, shape.b)
                for place in (x + (end.x * cos - end.y * sin), y + (end.x * sin + end.y * cos))
            ]
        radius = int(BLOCK_RADIUS) if shape_flag else shape.radius
        return [*ends, radius, self.eli[idx], self.dynamic[idx], *self._held(idx)]

    def get_action_space(self) -> list[list[float]]:
        """Nothing, the gray blocks, and padding up to seven. Resets, as the original does."""
        self.reset()
        table = self.get_all_property()
        gray = table[table[:, 5] == 1]
        positions: list[list[float]] = [[0.0, 0.0], *((gray[:, :2] + gray[:, 2:4]) / 2).tolist()]
        padding = self.max_eli_obj_num + 1 - len(positions)
        return positions + [[0.0, 0.0] for _ in range(padding)]

    def init_screen(self) -> None:
        """Begin to keep pictures in `screen`; no window opens."""
        self.screen = np.full((self.HEIGHT, self.WIDTH, 3), 255, np.uint8)

    def collect_initial_data(self, save_path: str = "./game_initial_data/") -> None:
        """Write the layout, the object table and a picture of the start."""
        self.reset()
        folder = Path(save_path) / str(self.game)
        self._save_layout(folder)
        _save_array(folder / "vectors.npy", self.get_all_property())
        self._save_picture(folder / f"{self.game}.jpg")

    def collect_seq_data(
        self,
        save_path: str = "./offline_data/",
        act_lists: Sequence[list[Sequence[float]]] = (),
        fps: int = 10,
    ) -> None:
        """Play lists of clicks and write object tables and pictures, `fps` a second.

        Lists that were written before are left out, so a broken run can be taken up.
        """
        folder = Path(save_path) / str(self.game)
        self._save_layout(folder)
        stride = round(self.FPS / fps)
        for number, act_list in enumerate(act_lists):
            self.reset()
            if (folder / str(number)).exists():
                continue
            with _whole_folder(folder / str(number)) as target:
                self._save_sequence(target, act_list, stride, fps)

    def _save_sequence(
        self, folder: Path, clicks: list[Sequence[float]], stride: int, fps: int
    ) -> None:
        vectors = np.zeros((self.max_time * fps, self.max_obj_num, 9))
        due = dict(self._schedule(clicks))
        _save_array(folder / "actions.npy", np.array(clicks))
        world = self._ready()
        for step in range(len(self._clock()) - 1):
            if step in due:
                self._click(due[step])
            saved, between = divmod(step, stride)
            if not between:
                vectors[saved] = self.get_all_property()
                self._save_picture(folder / "images" / f"{saved}.jpg")
            if world.run(1):
                break
        _save_array(folder / "vectors.npy", vectors)

    def _save_layout(self, folder: Path) -> None:
        layout: Any = {
            "balls": np.array(self.balls),
            "blocks": np.array(self.blocks),
            "eli": np.array(self.eli),
            "dynamic": np.array(self.dynamic),
        }
        _save_array(folder / "raw.npy", layout)

    def _save_picture(self, path: Path) -> None:
        with whole_file(path) as temporary:
            Image.fromarray(self._picture()).save(temporary)

    def _picture(self) -> Picture:
        world = self._ready()
        gray = [number for number, eli in enumerate(layout_of(self.game)["eli"]) if eli]
        picture = draw_like_pymunk(world, gray)
        if self.screen is not None:
            self.screen = picture
        return picture

    def _observe(self, use_images: bool) -> Table | Picture:
        if not use_images:
            return self.get_all_property()
        return self._picture()[:, :, ::-1].copy()

    def _ready(self) -> World:
        if self.space.world is None:
            raise RuntimeError(f"call reset() before playing {self.game!r}")
        return self.space.world


def _copied_pairs(layout: dict[str, Any], name: str) -> list[list[int]] | None:
    return [list(pair) for pair in layout[name]] if name in layout else None


def _pairs_without(place: int, pairs: list[list[int]] | None) -> list[list[int]] | None:
    """The joints that still hold; bodies behind the one that went move up by a place."""
    if pairs is None:
        return None
    return [[at - (at > place) for at in pair] for pair in pairs if place not in pair]


def _save_array(path: Path, array: Any) -> None:
    with whole_file(path) as temporary:
        np.save(temporary, array)


@contextmanager
def _whole_folder(path: Path) -> Iterator[Path]:
    """A temporary folder that takes its final name if all goes well."""
    temporary = path.with_name(f".{path.name}.part")
    rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    yield temporary
    temporary.rename(path)
