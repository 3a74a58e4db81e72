"""Table 2: stored results equal the published digits, and a sample of them is run again.

``PYTHONPATH=tests python tests/phyre/test_rows.py RUNS`` stores a folder of records.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.tally import Tally
from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.agents.rand import Rand
from topple.phyre.attempt import AttemptLog
from topple.phyre.auccess import auccess
from topple.phyre.cache import ActionCache
from topple.phyre.fold import Setup, load_fold
from topple.phyre.phases import Testing
from topple.phyre.published import published_auccess
from topple.phyre.results import PhyreRecord
from topple.phyre.rows import MEM, RAND, SETUPS, row_configs
from topple.phyre.selection import Part
from topple.runs import AgentSpec, Runner, find_records

GOLDEN = Path(__file__).parents[1] / "golden" / "phyre_table2.json"
SAMPLE = 1  # tasks of each template that RAND tries again


def stored() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(GOLDEN.read_text())
    return data


def unpacked(text: str) -> list[int]:
    """First solved attempts from two hexadecimal digits each."""
    return list(bytes.fromhex(text))


def test_stored_results_equal_the_published_digits(tally: Tally) -> None:
    compared = 0
    for label, setups in stored()["runs"].items():
        for setup_name, folds in setups.items():
            setup = Setup.parse(setup_name)
            for fold, text in folds.items():
                published = published_auccess(label, setup, int(fold))
                if published is not None:
                    score = auccess(unpacked(text))
                    tally("cells of Table 2", f"{score:.4f}" != published, 1)
                    assert f"{score:.4f}" == published
                    compared += 1
    assert compared == 120  # RAND, MEM and MEM-O on ten folds of four setups


@pytest.mark.parametrize("tier", list(Tier), ids=lambda tier: tier.value)
def test_rand_solves_what_it_solved(tier: Tier, tmp_path: Path, tally: Tally) -> None:
    """RAND tries the same actions on a task in every fold, so one list holds them all."""
    expected: dict[str, int] = {}
    for setup in SETUPS:
        if setup.tier is tier:
            for fold, text in stored()["runs"]["RAND"][setup.value].items():
                names = map(str, load_fold(setup, int(fold)).test)
                expected.update(zip(names, unpacked(text), strict=True))
    known = [
        next(task for task in template_task_ids(template) if str(task) in expected)
        for template in tier.template_ids
        if any(str(task) in expected for task in template_task_ids(template))
    ]
    tasks = [load_task(task) for task in known]
    log = AttemptLog(known)
    cache = ActionCache(tmp_path, tier)
    Rand().act(Testing(tasks, cache, log, np.random.default_rng(0)))
    again = log.first_solved().tolist()
    wrong = sum(expected[str(task)] != first for task, first in zip(known, again, strict=True))
    tally("tasks RAND tried again", wrong, len(known))
    assert wrong == 0
    assert len(known) == 25 * SAMPLE


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "setup"),
    [*((RAND, setup) for setup in SETUPS), (MEM, Setup.BALL_WITHIN_TEMPLATE)],
    ids=lambda value: value.label if isinstance(value, AgentSpec) else value.value,
)
def test_rows_come_out_again(row: AgentSpec, setup: Setup, runner: Runner, tally: Tally) -> None:
    """The rows that take minutes; ``topple reproduce table2`` runs all."""
    for config in row_configs(row, [setup]):
        score = f"{runner.run(config).results.auccess:.4f}"
        published = published_auccess(row.label, setup, config.selection.fold or 0)
        tally("cells of Table 2, run again", score != published, 1)
        assert score == published


def pack(records: list[PhyreRecord]) -> dict[str, Any]:
    runs: dict[str, dict[str, dict[str, str]]] = {}
    for record in records:
        config = record.config
        if config.selection.part is Part.TEST:
            folds = runs.setdefault(config.title, {}).setdefault(config.selection.group, {})
            folds[str(config.selection.fold)] = bytes(record.results.first_solved.tolist()).hex()
    return {"engine": records[0].provenance["engine"], "runs": runs}


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(pack(list(find_records(Path(sys.argv[1])))), indent=1) + "\n")
