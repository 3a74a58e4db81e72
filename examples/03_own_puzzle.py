"""A puzzle of your own: build it, save it as JSON, solve it and film it."""

from __future__ import annotations

from pathlib import Path

from topple.media.files import save_frames
from topple.phyre import SceneBuilder, Simulator, Tier
from topple.phyre.pictures import film
from topple.phyre.scene.codec import scene_from_json, scene_to_json

s = SceneBuilder("ledge", {})
floor = s.static.bar(1.0, left=0, bottom=0)
ledge = s.static.bar(0.5, center_x=128, bottom=120)
s.static.box(6, 20, left=ledge.left, bottom=ledge.top)
ball = s.dynamic.ball(0.12, bottom=ledge.top, center_x=128)
s.goal(ball, floor)
scene, description = s.finish("ledge")
print(description)

Path("ledge.json").write_text(scene_to_json(scene))
assert scene_from_json(Path("ledge.json").read_text()) == scene

[solution] = Simulator(scene, Tier.BALL).solutions(scene)
attempt = film(scene, solution, size=300)
print("solved by", solution.round(2).tolist(), "in", len(attempt.frames), "frames")
save_frames(attempt.frames, "ledge.gif", hold=1.0)
