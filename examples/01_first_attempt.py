"""One puzzle, one attempt and a film of it."""

from __future__ import annotations

from topple.media.files import save_frames, save_png
from topple.phyre import Simulator, load_task
from topple.phyre.pictures import film, picture

task = load_task("00002:007")
print(task.id, "-", task.description)
save_png(picture(task.scene, size=400), "task.png")

# An action is x, y and radius of the red ball, each from 0 to 1.
attempt = film(task.scene, [0.8, 0.5, 0.2], size=300)
print("a guess:", attempt.outcome.name)

# The fixed list of random actions contains a solution of most puzzles.
[solution] = Simulator(task).solutions(task)
attempt = film(task.scene, solution, size=300)
print("a solution:", solution.round(2).tolist(), attempt.outcome.name)
save_frames(attempt.frames, "solution.gif", hold=1.0)
