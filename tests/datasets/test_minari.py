"""Minari data sets: loaded by Minari, played again by the environment, bit for bit."""

from __future__ import annotations

from pathlib import Path

import minari
import numpy as np
import pytest

from support.dataset_specs import iphyre_spec
from support.folders import folder_contents
from topple.datasets import SpecError, build, check
from topple.datasets.spec import Keep, Tasks
from topple.iphyre.strategy import action_ticks


@pytest.mark.parametrize("strategy", ["on_the_fly", "combined", "in_advance"])
def test_episodes_are_those_of_the_environment(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = iphyre_spec(
        tasks=Tasks(train=("angle",), test=("hole",)),
        format="minari",
        strategy=strategy,
        keep=Keep(stride=10, hz=10),
        name="x",
    )
    manifest = build(spec, tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    data = minari.load_dataset("topple/x-train-v0")
    assert data.total_episodes == manifest["splits"]["train"]["samples"]
    env = data.recover_environment()
    rewards = []
    for episode, options in zip(
        data, data.storage.get_episode_metadata(range(data.total_episodes)), strict=True
    ):
        seen, _ = env.reset(options={"game": str(options["options"]["task"])})
        assert np.array_equal(seen, episode.observations[0])
        for step, action in enumerate(episode.actions):
            seen, reward, ended, cut, info = env.step(action)
            assert np.array_equal(seen, episode.observations[step + 1])
            assert (reward, ended, cut) == (
                episode.rewards[step],
                episode.terminations[step],
                episode.truncations[step],
            )
        assert ended or cut
        rewards.append(float(episode.rewards.sum()))
        assert bool(ended) == bool(info["solved"])
    assert max(rewards) > 900  # some were solved
    report = check(tmp_path)
    assert report.faults == []
    assert report.samples == 8


def test_a_minari_data_set_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    spec = iphyre_spec(format="minari", keep=Keep(hz=10))
    for folder in ("one", "other"):
        build(spec, tmp_path / folder)
    assert folder_contents(tmp_path / "one") == folder_contents(tmp_path / "other")
    with pytest.raises(SpecError, match="10 Hz"):
        iphyre_spec(format="minari")


def test_a_tick_as_a_fraction_is_that_tick() -> None:
    for tick in range(1, 150):
        assert action_ticks(np.full(6, tick / 150, np.float32))[0] == tick
