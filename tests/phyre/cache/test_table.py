from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from topple.arrays import pack_arrays, unpack_arrays
from topple.phyre import load_task
from topple.phyre.action import discrete_actions
from topple.phyre.cache import grid as module
from topple.phyre.cache.table import TableBuilder, TableError, load_table
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.tier import Tier

TASKS = [load_task("00002:007"), load_task("00001:000")]
ACTIONS = discrete_actions(Tier.BALL, 30)


@pytest.fixture(autouse=True)
def _small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNIT_ACTIONS", 10)


def test_tables_hold_what_the_engine_says(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    seen: list[int] = []
    table = TableBuilder(TASKS, ACTIONS, path).run(1, lambda done, total: seen.append(done))
    expected = simulate_batch(
        SceneSet([task.scene for task in TASKS]), [0] * 30 + [1] * 30, np.tile(ACTIONS, (2, 1))
    )
    assert (table.outcome.ravel() == expected.outcome).all()
    assert (table.steps.ravel() == expected.steps).all()
    assert table.tasks == ("00002:007", "00001:000")
    assert seen[-1] == 60
    assert [file.name for file in tmp_path.iterdir()] == ["table.npz"]
    loaded = load_table(path)
    assert (loaded.outcome == table.outcome).all()
    assert loaded.outcome.dtype == np.int8
    assert TableBuilder(TASKS, ACTIONS, path).done == 60


def test_an_interrupted_run_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.npz"
    calls: list[int] = []

    def stop_at_third(*args: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return simulate_batch(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "simulate_batch", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        TableBuilder(TASKS, ACTIONS, path).run()
    assert not path.exists()
    again = TableBuilder(TASKS, ACTIONS, path)
    assert again.done == 20
    assert TableBuilder(TASKS, ACTIONS, path, stable=True).done == 0
    table = again.run()
    assert len(calls) == 7
    assert (table.outcome == TableBuilder(TASKS, ACTIONS, tmp_path / "b.npz").run().outcome).all()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.npz", "table.npz"]


def test_stable_tables_tell_kinds_of_solutions(tmp_path: Path) -> None:
    table = TableBuilder(TASKS, ACTIONS, tmp_path / "a.npz", stable=True).run()
    assert set(np.unique(table.outcome)) <= {-1, 0, 2, 3}


def test_other_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    path.write_bytes(b"precious")
    with pytest.raises(TableError, match="holds something else"):
        TableBuilder(TASKS, ACTIONS, path)
    with pytest.raises(TableError, match="is not a table of outcomes"):
        load_table(path)
    TableBuilder(TASKS, ACTIONS[:2], path, overwrite=True).run()
    with pytest.raises(TableError, match="holds something else"):
        TableBuilder(TASKS, ACTIONS, path)


def test_changed_tables_are_refused(tmp_path: Path) -> None:
    """Also those that are sound NPZ files; as parts of a table are shards, see there for them."""
    path = tmp_path / "table.npz"
    TableBuilder(TASKS, ACTIONS, path).run()
    arrays = unpack_arrays(path.read_bytes())
    outcome = arrays["outcome"].copy()
    outcome[0, 0] = -outcome[0, 0] or 1
    path.write_bytes(pack_arrays({**arrays, "outcome": outcome}))
    with pytest.raises(TableError, match="its checksum is not that of its contents"):
        load_table(path)
    arrays.pop("checksum")
    path.write_bytes(pack_arrays(arrays))
    with pytest.raises(TableError, match="it has no 'checksum'"):
        load_table(path)


def test_what_does_not_suit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    with pytest.raises(TableError, match=r"shape \(30, 2\); these tasks take \[actions, 3\]"):
        TableBuilder(TASKS, ACTIONS[:, :2], path)
    with pytest.raises(TableError, match="between 0 and 1"):
        TableBuilder(TASKS, ACTIONS + 1, path)
    with pytest.raises(TableError, match="between 0 and 1"):
        TableBuilder(TASKS, np.full((1, 3), "x"), path)
    with pytest.raises(TableError, match="all of one tier"):
        TableBuilder([*TASKS, load_task("00100:000")], ACTIONS, path)
    with pytest.raises(TableError, match="all of one tier"):
        TableBuilder([], ACTIONS, path)
    with pytest.raises(TableError, match=r"ends in \.npz"):
        TableBuilder(TASKS, ACTIONS, tmp_path / "table.npy")
