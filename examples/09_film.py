"""Film a PHYRE solution and an I-PHYRE solution side by side, as in the README."""

from __future__ import annotations

import numpy as np

from topple.iphyre import game_named, plan_from_seconds
from topple.iphyre.pictures import picture_episode
from topple.media.files import save_frames
from topple.phyre import Simulator, load_task
from topple.phyre.pictures import film

SIZE, FPS = 240, 12

task = load_task("00112:000")
[solution] = Simulator(task).solutions(task)
left = film(task.scene, solution, SIZE, FPS)
print(task.id, left.outcome.name, "by two balls at", solution.round(2).tolist())

game = game_named("angle")
plan = plan_from_seconds(game, [None, None, 0.733, 0.017])
right = picture_episode(game, plan, fps=FPS, size=SIZE)
print(game.name, "solved in", len(right), "frames by removing two blocks")

edge = ((1, 1), (1, 1), (0, 0))  # a pixel of gray around each, and white in between
gap = np.full((SIZE + 2, 16, 3), 255, np.uint8)
frames = []
for k in range(max(len(left.frames), len(right))):  # the shorter film stays on its last frame
    pair = left.frames[min(k, len(left.frames) - 1)], right[min(k, len(right) - 1)]
    one, other = (np.pad(frame, edge, constant_values=190) for frame in pair)
    frames.append(np.concatenate([one, gap, other], axis=1))
save_frames(frames, "both.gif", FPS, hold=2.0)
print("both.gif:", len(frames), "frames of", frames[0].shape)
