"""Sweeps over agents and seeds: the same records here and on a real Ray cluster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest.importorskip("stable_baselines3")

from topple.iphyre.play_log import PAPER_PLAYS
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.selection import GameSelection
from topple.runs.config import RunConfig
from topple.runs.executors import LocalExecutor
from topple.runs.executors.ray import RayExecutor
from topple.runs.record import find_records
from topple.runs.runner import Runner
from topple.runs.training import sweep_learners

TINY: dict[str, Any] = {"total_timesteps": 200, "n_envs": 4, "n_steps": 10, "hidden_size": 8}
CONFIGS = [
    RunConfig(agent, GameSelection(("support", "noisy_hole")), {**TINY, **more}, seed=seed)
    for agent, more in (("ppo-i", {"batch_size": 20}), ("a2c-c", {}))
    for seed in (0, 1)
]


def untimed(records: list[IPhyreRecord]) -> dict[str, Any]:
    return {
        record.config.name: (record.config, record.results.plays, record.training["curve"])
        for record in records
    }


def test_a_sweep_on_ray_equals_one_here(tmp_path: Path) -> None:
    runner = Runner(tmp_path / "cache")
    here = list(
        sweep_learners(
            CONFIGS, tmp_path / "here", tmp_path / "trained here", LocalExecutor(), runner
        )
    )
    executor = RayExecutor(workers=2)
    try:
        far = list(
            sweep_learners(CONFIGS, tmp_path / "far", tmp_path / "trained", executor, runner)
        )
    finally:
        executor.close()
    assert len(here) == 2 * len(CONFIGS)
    assert untimed(far) == untimed(here)
    assert untimed(list(find_records(tmp_path / "far"))) == untimed(here)
    drawn = [record for record in here if record.config.settings.get("stochastic")]
    assert len(drawn) == len(CONFIGS)
    for record in drawn:
        assert [set(scores) for scores in record.results.passes] == [
            set(record.config.selection.games)
        ] * PAPER_PLAYS


def test_a_finished_sweep_trains_nothing(tmp_path: Path) -> None:
    class Nobody(LocalExecutor):
        def map(self, function: Any, items: Any) -> Any:
            assert not list(items)
            return iter(())

    config = replace(CONFIGS[0], settings={**TINY, "batch_size": 20, "total_timesteps": 40})
    runner = Runner(tmp_path / "cache")
    made = list(sweep_learners([config], tmp_path, tmp_path / "trainings", LocalExecutor(), runner))
    again = list(sweep_learners([config], tmp_path, tmp_path / "trainings", Nobody(), runner))
    assert untimed(again) == untimed(made)
