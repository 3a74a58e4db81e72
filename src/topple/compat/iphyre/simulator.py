"""`IPHYRE`, the simulator of the original.

Positions are clicks; `[0., 0.]` does nothing. A list of clicks is sorted in place by
time, one entry is used up per step, and entries with time 0 are used up in vain.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from topple.compat.iphyre.games import MAX_ELI_OBJ_NUM, MAX_OBJ_NUM, PARAS, game_of
from topple.files import whole_file
from topple.iphyre.engine.batch import World, new_world
from topple.iphyre.observe import object_table
from topple.iphyre.pictures import picture_world
from topple.iphyre.rules import ELIMINATION_REWARD, SECONDS, SUCCESS_REWARD, TIME_REWARD

Table = NDArray[np.float64]  # (12, 9)
Picture = NDArray[np.uint8]  # (600, 600, 3) BGR, as in the original


class IPHYRE:
    """One game at a rate of steps per second; call `reset` before anything else."""

    def __init__(self, game: str = "support", fps: float = 60) -> None:
        self.game = game
        self.HEIGHT, self.WIDTH = 600, 600
        self.FPS = fps
        self.timestep = 1 / fps
        self.max_time = SECONDS
        self.max_obj_num = MAX_OBJ_NUM
        self.max_eli_obj_num = MAX_ELI_OBJ_NUM
        self.step_reward = TIME_REWARD / fps
        self.eli_reward = int(ELIMINATION_REWARD)
        self.success_reward = int(SUCCESS_REWARD)
        self.blocks = PARAS[game]["block"] if game in PARAS else []
        self.balls = PARAS[game]["ball"] if game in PARAS else []
        self.num_ball = len(self.balls)
        self._game = game_of(game)
        self.num_obj = self._game.bodies
        self._world: World | None = None
        self._resets = 0

    def reset(self, use_images: bool = False) -> Table | Picture:
        """Put everything back. How often this was called on an object matters to the physics."""
        if self._world is None:
            self._world = new_world(self._game.scene, self.timestep)
        self._resets += 1
        self._world.reset(self._resets)
        return self._observe(use_images)

    def step(
        self, pos: Sequence[float], use_images: bool = False
    ) -> tuple[Table | Picture, float, bool]:
        """Click, then advance one step: the state, the reward, and whether all balls are out."""
        reward = self.step_reward
        removed = list(pos) != [0.0, 0.0] and self.eliminate(pos) != -1
        done = self._ready().run(1)
        if removed:
            reward += self.eli_reward
        if done:
            reward += self.success_reward
        return self._observe(use_images), reward, done

    def eliminate(self, p: Sequence[float]) -> int:
        """Remove the gray block under a point; returns its number, or -1."""
        world = self._ready()
        gone = frozenset(i for i, here in enumerate(world.present) if not here)
        body = self._game.block_at((p[0], p[1]), gone)
        if body is None:
            return -1
        world.remove(body)
        return body

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
            due = max(free, bisect_left(starts, click[2]))
            if due >= len(starts):
                break
            schedule.append((due, click))
            free = due + 1
        return schedule

    def _click(self, click: Sequence[float]) -> bool:
        return click[2] != 0 and self.eliminate(click[:2]) != -1

    def get_all_property(self) -> Table:
        """(12, 9) the object table."""
        return object_table(self._ready(), self._game.eliminable)

    def get_action_space(self) -> list[list[float]]:
        """Seven positions: nothing, the gray blocks, then padding. Resets, as the original does."""
        self.reset()
        positions = np.zeros((1 + self.max_eli_obj_num, 2))
        for place, body in enumerate(self._game.eliminable, start=1):
            positions[place] = self._game.centre(body)
        listed: list[list[float]] = positions.tolist()
        return listed

    def init_screen(self) -> None:
        """Nothing to do: pictures need no window here."""

    def collect_initial_data(self, save_path: str = "./game_initial_data/") -> None:
        """Write the layout, the object table and a picture of the start."""
        self.reset()
        folder = Path(save_path) / self.game
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
        folder = Path(save_path) / self.game
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
            "eli": np.array(PARAS[self.game]["eli"]),
            "dynamic": np.array(PARAS[self.game]["dynamic"]),
        }
        _save_array(folder / "raw.npy", layout)

    def _save_picture(self, path: Path) -> None:
        with whole_file(path) as temporary:
            Image.fromarray(picture_world(self._game, self._ready())).save(temporary)

    def _observe(self, use_images: bool) -> Table | Picture:
        if not use_images:
            return self.get_all_property()
        return picture_world(self._game, self._ready())[:, :, ::-1].copy()

    def _ready(self) -> World:
        if self._world is None:
            raise RuntimeError(f"call reset() before playing {self.game!r}")
        return self._world


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
