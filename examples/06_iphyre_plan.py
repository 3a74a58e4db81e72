"""I-PHYRE: a thousand random plans of a game, the best of them, and how exact its timing is."""

from __future__ import annotations

import numpy as np

from topple.iphyre import game_named, plan_from_seconds, play, play_batch

game = game_named("seesaw")
print(game.name, "-", game.concept)

rng = np.random.default_rng(0)
drawn = rng.uniform(0, 15, (1000, len(game.eliminable)))
never = rng.random(drawn.shape) < 0.3
times = [
    [None if skip else float(time) for time, skip in zip(row, out, strict=True)]
    for row, out in zip(drawn, never, strict=True)
]
scores = play_batch([(game, plan_from_seconds(game, row)) for row in times])
solved = [k for k, score in enumerate(scores) if score.solved]
best = max(solved, key=lambda k: scores[k].reward)
shown = ["never" if time is None else f"{time:.2f} s" for time in times[best]]
print(len(solved), "of 1,000 random plans solve it; the best removes blocks at", shown)
print(f"it earns {scores[best].reward:.2f}")

# How exact must the timing be? Shift all removals of the best plan together, tick by tick.
window = [
    shift
    for shift in range(-60, 61)
    if play(
        game,
        plan_from_seconds(game, [t and max(t + shift / 60, 0.01) for t in times[best]]),
    ).solved
]
print(f"it works from {min(window) * 1000 // 60} to {max(window) * 1000 // 60} ms off")
