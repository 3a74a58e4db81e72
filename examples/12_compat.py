"""Code in the style of the original packages, run by Topple."""

from __future__ import annotations

import topple.compat.phyre as phyre
from topple.compat.iphyre.games import GAMES
from topple.compat.iphyre.simulator import IPHYRE

# Only the import changes: `import phyre` became the first import above.
tasks = phyre.get_fold("ball_cross_template", 0)[1][:5]
simulator = phyre.initialize_simulator(tasks, "ball")
evaluator = phyre.Evaluator(tasks)
for task_index in range(len(tasks)):
    for action in simulator.build_discrete_action_space(max_actions=200):
        if evaluator.get_attempts_for_task(task_index) >= phyre.MAX_TEST_ATTEMPTS:
            break
        simulation = simulator.simulate_action(task_index, action, need_images=False)
        assert simulation.status is not None
        evaluator.maybe_log_attempt(task_index, simulation.status)
print(f"PHYRE: AUCCESS {evaluator.get_auccess():.4f} on {len(tasks)} dev tasks")

solved = 0
for game in GAMES:
    demo = IPHYRE(game)
    positions = demo.get_action_space()
    demo.reset()
    blocks = [position for position in positions if any(position)]
    clicks = [[*position, 0.5 * k] for k, position in enumerate(blocks, start=1)]
    success, removed, seconds = demo.simulate(list(clicks))
    solved += success
print(f"I-PHYRE: a block every half second solves {solved} of {len(GAMES)} games")
