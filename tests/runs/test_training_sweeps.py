"""Sweeps over agents and seeds: the same records here and on a real Ray cluster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest.importorskip("stable_baselines3")

from topple.runs.executors.local import LocalExecutor
from topple.runs.executors.ray import RayExecutor
from topple.runs.game_config import GameRunConfig
from topple.runs.game_store import GameRunRecord, find_game_records
from topple.runs.game_training import PASSES, sweep_learners

TINY: dict[str, Any] = {"steps": 200, "envs": 4, "rollout": 10, "hidden": 8}
CONFIGS = [
    GameRunConfig(agent, ("support", "noisy_hole"), {**TINY, **more}, seed=seed)
    for agent, more in (("ppo-i", {"batch": 20}), ("a2c-c", {}))
    for seed in (0, 1)
]


def untimed(records: list[GameRunRecord]) -> dict[str, Any]:
    return {
        record.config.name: (record.config, record.plays, record.training["curve"])
        for record in records
    }


def test_a_sweep_on_ray_equals_one_here(tmp_path: Path) -> None:
    here = list(
        sweep_learners(CONFIGS, tmp_path / "here", tmp_path / "trained here", LocalExecutor())
    )
    executor = RayExecutor(workers=2)
    try:
        far = list(sweep_learners(CONFIGS, tmp_path / "far", tmp_path / "trained", executor))
    finally:
        executor.close()
    assert len(here) == 2 * len(CONFIGS)
    assert untimed(far) == untimed(here)
    assert untimed(list(find_game_records(tmp_path / "far"))) == untimed(here)
    drawn = [record for record in here if record.config.settings.get("explore")]
    assert len(drawn) == len(CONFIGS)
    for record in drawn:
        assert [set(scores) for scores in record.passes] == [set(record.config.games)] * PASSES


def test_a_finished_sweep_trains_nothing(tmp_path: Path) -> None:
    class Nobody(LocalExecutor):
        def map(self, function: Any, items: Any) -> Any:
            assert not list(items)
            return iter(())

    config = replace(CONFIGS[0], settings={**TINY, "batch": 20, "steps": 40})
    made = list(sweep_learners([config], tmp_path, tmp_path / "trainings", LocalExecutor()))
    again = list(sweep_learners([config], tmp_path, tmp_path / "trainings", Nobody()))
    assert untimed(again) == untimed(made)
