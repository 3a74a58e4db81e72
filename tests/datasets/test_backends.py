"""A GPU makes the same data sets to the byte: by its kernels on the host, and on a GPU itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.dataset_specs import iphyre_spec, phyre_spec
from support.folders import folder_contents
from topple.datasets import Actions, Keep, Tasks, build, check, estimate, phyre_source
from topple.datasets.plan import choose_backend
from topple.datasets.spec import SpecError
from topple.phyre.engine import backend, native
from topple.phyre.engine.cuda import simulate_on_device
from topple.phyre.engine.cuda_device import CudaError


@pytest.fixture(params=["host", pytest.param("gpu", marks=pytest.mark.cuda)])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes backend "cuda" the kernels on the host, or leaves it as it is."""
    if request.param == "host":
        kernels = request.getfixturevalue("host_device")
        monkeypatch.setattr(backend, "cuda_device", lambda: kernels)


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The attempts of every batch that was simulated on the device."""
    counts = []

    def counted(*arguments: Any) -> Any:
        counts.append(len(arguments[2]))
        return simulate_on_device(*arguments)

    monkeypatch.setattr(native, "simulate_on_device", counted)
    return counts


@pytest.mark.usefixtures("device")
def test_everything_that_can_be_kept_is_the_same(tmp_path: Path) -> None:
    spec = phyre_spec(format="webdataset", pictures="npy")
    build(spec, tmp_path / "cpu")
    build(spec, tmp_path / "cuda", backend="cuda")
    assert folder_contents(tmp_path / "cpu") == folder_contents(tmp_path / "cuda")
    assert check(tmp_path / "cuda", samples=100).faults == []


@pytest.mark.parametrize("form", ["webdataset", "parquet", "arrow", "hdf5"])
@pytest.mark.usefixtures("device")
def test_shards_are_made_together_and_written_apart(
    form: str, tmp_path: Path, launches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if form != "webdataset":
        pytest.importorskip("h5py" if form == "hdf5" else "pyarrow")
    spec = phyre_spec(
        format=form,
        tasks=Tasks(train=("00000:000", "00001:000", "00010:025"), test=("00002:017",)),
        actions=Actions(per_task=7, keep_invalid=True, shares={"random": 0.9, "nothing": 0.1}),
        keep=Keep(stride=6, states=True, contacts=True),
        shard_size=4,
    )
    monkeypatch.setattr(phyre_source.PhyreSource, "_batch_size", lambda self: 3)
    build(spec, tmp_path / "cpu", threads=1)
    assert launches == []
    build(spec, tmp_path / "cuda", backend="cuda")
    assert sorted(launches) == [4, 24]  # all that do nothing, and all others
    assert folder_contents(tmp_path / "cpu") == folder_contents(tmp_path / "cuda")
    monkeypatch.setattr(phyre_source.PhyreSource, "made_together", lambda self: 10)
    build(spec, tmp_path / "few", backend="cuda")
    assert len(launches) > 4
    assert folder_contents(tmp_path / "cpu") == folder_contents(tmp_path / "few")


@pytest.mark.usefixtures("device")
def test_a_size_is_estimated_on_the_device(launches: list[int]) -> None:
    spec = phyre_spec(keep=Keep(stride=60, states=True), format="webdataset")
    assert estimate(spec, 1, backend="cuda").size > 0
    assert launches


@pytest.mark.cuda
def test_a_thousand_attempts_of_every_template_on_a_gpu(
    tmp_path: Path, launches: list[int]
) -> None:
    spec = phyre_spec(
        format="webdataset",
        tasks=Tasks(setup="ball_within", fold=0, parts=("train", "dev"), limit=125),
        actions=Actions(per_task=16),
        keep=Keep(stride=6, states=True, features=True),
        shard_size=256,
    )
    build(spec, tmp_path / "cpu")
    build(spec, tmp_path / "cuda", backend="cuda")
    assert sum(launches) == 2 * 125 * 16
    assert folder_contents(tmp_path / "cpu") == folder_contents(tmp_path / "cuda")


def test_auto_is_a_gpu_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise CudaError("there is no GPU")

    monkeypatch.setattr(backend, "cuda_device", none)
    assert choose_backend(phyre_spec(), "auto") == "cpu"
    monkeypatch.setattr(backend, "cuda_device", lambda: "a GPU")
    assert choose_backend(phyre_spec(), "auto") == "cuda"
    assert choose_backend(iphyre_spec(), "auto") == "cpu"


def test_games_are_not_simulated_on_a_gpu(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="I-PHYRE is simulated on the CPU; use 'cpu'"):
        build(iphyre_spec(), tmp_path, backend="cuda")
