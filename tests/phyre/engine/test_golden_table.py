"""The engine's own golden table: outcomes of the original that every checkout can check.

The table holds, for five tasks of each template and forty actions, what the original
simulator said (0 for an invalid action, -1 for no solution, else the last step), and a hash
of the final states the engine computed when it agreed with all the reference data. With the
reference data beside the checkout, ``PYTHONPATH=src:tests python
tests/phyre/engine/test_golden_table.py`` writes it anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from support.shared_data import TIERS, arrays
from support.tally import Tally
from topple.phyre import Tier, load_task
from topple.phyre.action import discrete_actions
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request

TABLE = Path(__file__).parents[2] / "golden" / "engine_outcomes.json"
SEED = 1  # of the fixed list the reference data was measured with
ACTIONS = 40
TASKS_PER_TEMPLATE = 5


def simulate(
    tier: Tier, tasks: list[str], backend: Backend = "cpu"
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """[tasks, actions] codes, and a hash of the final states of each task."""
    scenes = SceneSet([load_task(task).scene for task in tasks])
    actions = discrete_actions(tier, ACTIONS, SEED)
    index = np.repeat(np.arange(len(tasks)), ACTIONS)
    result = simulate_batch(
        scenes,
        index,
        np.tile(actions, (len(tasks), 1)),
        Request(final_state=True),
        backend=backend,
    )
    assert result.final_state is not None
    codes = np.where(result.outcome > 0, result.steps, result.outcome).reshape(len(tasks), ACTIONS)
    hashes = []
    for i, count in enumerate(scenes.packed.body_counts() + tier.balls):
        states = result.final_state[i * ACTIONS : (i + 1) * ACTIONS, :count]
        hashes.append(hashlib.sha256(states.astype("<f4").tobytes()).hexdigest()[:16])
    return codes, hashes


@pytest.mark.parametrize("tier", list(Tier))
def test_table(tier: Tier, backend: Backend, tally: Tally) -> None:
    table = json.loads(TABLE.read_text())[tier.value]
    tasks = list(table)
    assert {task[:5] for task in tasks} == set(tier.template_ids)
    codes, hashes = simulate(tier, tasks, backend)
    expected = np.array([table[task]["outcomes"] for task in tasks])
    tally("outcomes of the committed table", (codes != expected).sum(), expected.size)
    np.testing.assert_array_equal(codes, expected)
    assert hashes == [table[task]["final_states"] for task in tasks]


def write_table() -> None:
    table: dict[str, dict[str, object]] = {}
    for name in TIERS:
        golden = arrays(f"golden_{name}.npz")
        tier = Tier.parse(name)
        step = len(golden["task_ids"]) // len(tier.template_ids) // TASKS_PER_TEMPLATE
        chosen = np.arange(0, len(golden["task_ids"]), step)
        tasks = [str(task) for task in golden["task_ids"][chosen]]
        status = golden["statuses"][chosen, :ACTIONS].astype(int)
        codes = np.where(status > 0, golden["steps"][chosen, :ACTIONS], status)
        _, hashes = simulate(tier, tasks)
        table[name] = {
            task: {"outcomes": row.tolist(), "final_states": digest}
            for task, row, digest in zip(tasks, codes, hashes, strict=True)
        }
    lines = [
        f'"{name}": {{\n'
        + ",\n".join(f"{json.dumps(task)}: {json.dumps(row)}" for task, row in tasks.items())
        + "\n}"
        for name, tasks in table.items()
    ]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write_table()
