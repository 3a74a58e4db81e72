"""What if? Pause a world, branch it with edits, and simulate all futures in one call."""

from __future__ import annotations

from topple import Outcome, Simulator, World, load_task
from topple.edits import RemoveBody, SetVelocity
from topple.iphyre import Elimination, Episode, Plan, game_named
from topple.iphyre.branches import branch_episode

task = load_task("00002:007")
assert task.scene.goal is not None
[solution] = Simulator(task).solutions(task)
world = World(task.scene, solution)
world.step(60)  # a second

green, red = task.scene.goal.first, len(task.scene.bodies)
kicks = [[SetVelocity(green, (float(vx), -100.0))] for vx in range(-300, 301, 5)]
result = world.branch([[], [RemoveBody(red)], *kicks])
print("as it is:", Outcome(result.outcome[0]).name)
print("without the red ball:", Outcome(result.outcome[1]).name)
print("kicked:", int((result.outcome[2:] > 0).sum()), "of", len(kicks), "solved")

# A branch without edits does what the world itself does, to the last bit.
again = world.copy()
world.step(300)
again.step(300)
assert (again.state() == world.state()).all()

# An I-PHYRE game after four seconds: which of the next sixty ticks is the right one?
episode = Episode(game_named("seesaw"))
episode.run(240)
block = episode.game.eliminable[1]
plans = [Plan((Elimination(240 + tick, block),)) for tick in range(60)]
futures = branch_episode(episode, [[] for _ in plans], plans)
print("seesaw:", sum(score.solved for score in futures.scores), "of 60 moments work")
