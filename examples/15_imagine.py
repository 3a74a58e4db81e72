"""What a mind imagines beside what happens: a coarse engine against the real one."""

from __future__ import annotations

import numpy as np

from topple.media.files import save_frames
from topple.phyre import Simulator, Tier, discrete_actions, load_task
from topple.phyre.agents.minds import NativeMind
from topple.phyre.engine.physics import COARSE
from topple.phyre.pictures import film

SIZE, FPS = 240, 10

task = load_task("00002:007")
simulator = Simulator(task)
actions = discrete_actions(Tier.BALL, 2000)
imagined = NativeMind(task.scene, COARSE).imagine(actions, seed=0).solved
real = simulator.outcomes(actions)[0] > 0
print(imagined.sum(), "imagined solutions,", (imagined & real).sum(), "of them real")
print(real.sum(), "solutions in all")

wrong = actions[np.flatnonzero(imagined & ~real)[0]]
films = [film(task.scene, wrong, SIZE, FPS, physics=COARSE), film(task.scene, wrong, SIZE, FPS)]
print("imagined:", films[0].outcome.name, "- what happened:", films[1].outcome.name)

edge = ((1, 1), (1, 1), (0, 0))  # a pixel of gray around each, and white in between
gap = np.full((SIZE + 2, 16, 3), 255, np.uint8)
frames = []
for k in range(max(len(each.frames) for each in films)):  # the shorter one stays on its last frame
    pair = (each.frames[min(k, len(each.frames) - 1)] for each in films)
    one, other = (np.pad(frame, edge, constant_values=190) for frame in pair)
    frames.append(np.concatenate([one, gap, other], axis=1))
save_frames(frames, "imagined.gif", FPS, hold=2.0)
print("imagined.gif:", len(frames), "frames")
