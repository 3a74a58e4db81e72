"""Read run records and plot them; nothing is simulated.

Needs `pip install 'topple[plots]'`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files, no window
import matplotlib.pyplot as plt

from topple.iphyre import PUBLISHED_SPLITS
from topple.runs import find_records

RESULTS = Path(__file__).parents[1] / "results" / "iphyre"

records = [
    record
    for record in find_records(RESULTS, benchmark="iphyre")
    if record.config.agent.startswith(("ppo", "a2c", "sac", "ddpg")) and record.config.attempts == 1
]
print(len(records), "records of learners that play each game once")

best = sorted(records, key=lambda record: -record.results.average.reward)[:6]
for record in best:
    results = record.results
    print(f"{record.config.title:15} {results.average.reward:7.2f} in {len(results.scores)} games")

figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
width = 0.8 / len(best)
for k, record in enumerate(best):
    means = [record.results.averages[split].reward for split in PUBLISHED_SPLITS]
    places = [place + k * width for place in range(len(means))]
    axes.bar(places, means, width, label=record.config.title)
axes.set_xticks(
    [place + 0.4 - width / 2 for place in range(len(PUBLISHED_SPLITS))],
    [split.value for split in PUBLISHED_SPLITS],
)
axes.set_ylabel("mean reward")
axes.legend(ncols=3, fontsize="small")
figure.savefig("rewards.png", dpi=120)
print("rewards.png")
