"""Each format, built small, comes back to the bit; kills and orders leave no trace."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from support.command_line import topple, topple_json, topple_mistake
from support.dataset_specs import expected_samples, iphyre_spec, phyre_spec, webdataset_rows
from support.folders import folder_contents, whole_files
from topple.datasets import DatasetError, Spec, build, check, estimate, open_dataset
from topple.datasets.sample import Sample, differences
from topple.datasets.spec import Actions, Keep, Tasks

FORMATS = [
    (phyre_spec, "parquet", "png"),
    (phyre_spec, "arrow", "png"),
    (partial(phyre_spec, arrays="bytes"), "parquet", "png"),
    (partial(iphyre_spec, arrays="bytes"), "arrow", "png"),
    (phyre_spec, "webdataset", "png"),
    (phyre_spec, "webdataset", "mp4"),
    (phyre_spec, "webdataset", "npy"),
    (phyre_spec, "hdf5", "png"),
    (iphyre_spec, "parquet", "png"),
    (iphyre_spec, "webdataset", "mp4"),
    (iphyre_spec, "hdf5", "png"),
]


def training_samples(spec: Spec) -> list[Sample]:
    return expected_samples(spec, "train")


@pytest.mark.parametrize(("make", "form", "pictures"), FORMATS)
def test_a_format_keeps_every_bit(
    make: Callable[..., Spec], form: str, pictures: str, tmp_path: Path
) -> None:
    spec = make(format=form, pictures=pictures)
    manifest = build(spec, tmp_path)
    splits = open_dataset(tmp_path)
    wanted = training_samples(spec)
    assert len(splits["train"]) == manifest["splits"]["train"]["samples"] == len(wanted)
    for stored, sample in zip(splits["train"], wanted, strict=True):
        different = differences(stored, sample)
        assert different == (["rgb"] if pictures == "mp4" and len(sample["rgb"]) else [])
    report = check(tmp_path, samples=100)
    assert report.faults == []
    assert report.samples == sum(split["samples"] for split in manifest["splits"].values())


def test_parquet_is_read_by_its_own_library(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    spec = phyre_spec()
    build(spec, tmp_path)
    table = pq.read_table(sorted(tmp_path.glob("train-*.parquet")))
    rows, wanted = table.to_pylist(), training_samples(spec)
    for row, sample in zip(rows, wanted, strict=True):
        assert row["task"] == sample["task"]
        assert np.array_equal(np.array(row["action"]), sample["action"])
        assert np.array_equal(np.array(row["states"], np.float32).ravel(), sample["states"].ravel())
        codes = [np.asarray(Image.open(io.BytesIO(image["bytes"]))) for image in row["codes"]]
        assert all(map(np.array_equal, codes, sample["codes"]))
    declared = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    assert set(declared) == set(wanted[0])
    assert declared["outcome"] == {"dtype": "int8", "_type": "Value"}
    assert declared["rgb"]["feature"] == {"_type": "Image"}


def test_arrow_is_read_by_its_own_library(tmp_path: Path) -> None:
    import pyarrow as pa

    spec = phyre_spec(format="arrow", keep=Keep(stride=250, states=True))
    build(spec, tmp_path)
    rows: list[dict[str, Any]] = []
    for path in sorted(tmp_path.glob("train-*.arrow")):
        with pa.memory_map(str(path)) as file:
            rows += pa.ipc.open_file(file).read_all().to_pylist()
    for row, sample in zip(rows, training_samples(spec), strict=True):
        assert row["outcome"] == sample["outcome"]
        assert np.array_equal(np.array(row["states"], np.float32).ravel(), sample["states"].ravel())


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_arrays_as_bytes_are_read_without_us(form: str, tmp_path: Path) -> None:
    import pyarrow.dataset as ds

    spec = phyre_spec(
        format=form, arrays="bytes", keep=Keep(stride=100, states=True, contacts=True)
    )
    build(spec, tmp_path)
    files = sorted(map(str, tmp_path.glob(f"train-*.{form}")))
    table = ds.dataset(files, format=form).to_table()
    for row, sample in zip(table.to_pylist(), training_samples(spec), strict=True):
        states = np.frombuffer(row["states"], "<f4").reshape(row["states_shape"])
        assert np.array_equal(states, sample["states"])
        assert np.array_equal(row["contact_step"], sample["contact_step"])
    about = table.schema.field("states").metadata[b"about"]
    assert about.endswith(b"<f4 in C order")


@pytest.mark.parametrize(
    ("form", "arrays"), [("parquet", "lists"), ("arrow", "lists"), ("parquet", "bytes")]
)
def test_hugging_face_reads_a_folder(
    form: str, arrays: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not "datasets", to which the folder of these tests answers as well.
    datasets = pytest.importorskip("datasets.load", reason="Hugging Face datasets is not installed")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    spec = phyre_spec(format=form, arrays=arrays)
    build(spec, tmp_path / "data")
    loaded = datasets.load_dataset(str(tmp_path / "data"), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "test"}
    for row, sample in zip(loaded["train"], training_samples(spec), strict=True):
        if arrays == "bytes":
            states = np.frombuffer(row["states"], np.float32).reshape(row["states_shape"])
        else:
            states = np.array(row["states"], np.float32)
        assert np.array_equal(states.ravel(), sample["states"].ravel())
        assert all(
            np.array_equal(np.asarray(image), picture)
            for image, picture in zip(row["rgb"], sample["rgb"], strict=True)
        )
    assert loaded["train"].features["outcome"].dtype == "int8"


def test_webdataset_is_read_by_its_own_library(tmp_path: Path) -> None:
    spec = phyre_spec(format="webdataset")
    build(spec, tmp_path)
    loaded = webdataset_rows(tmp_path, "rgb8")
    for row, sample in zip(loaded, training_samples(spec), strict=True):
        assert row["__key__"] == sample["key"]
        assert row["json"]["outcome"] == sample["outcome"]
        assert np.array_equal(row["states.npy"], sample["states"])
        for number, picture in enumerate(sample["rgb"]):
            assert np.array_equal(row[f"rgb.{number:03d}.png"], picture)


def test_hdf5_is_read_by_its_own_library(tmp_path: Path) -> None:
    import h5py

    spec = phyre_spec(format="hdf5")
    build(spec, tmp_path)
    wanted = iter(training_samples(spec))
    for path in sorted(tmp_path.glob("train-*.h5")):
        with h5py.File(path) as file:
            for number, outcome in enumerate(file["outcome"]):
                sample = next(wanted)
                assert outcome == sample["outcome"]
                frames, bodies, _ = file["shape/states"][number]
                stored = file["states"][number]
                assert np.array_equal(stored[:frames, :bodies], sample["states"])
                assert not stored[frames:].any()
                assert not stored[:, bodies:].any()


def test_hdf5_keeps_scenes_with_many_bodies_beside_others(tmp_path: Path) -> None:
    spec = phyre_spec(
        format="hdf5",
        tasks=Tasks(train=("00002:007", "00012:002", "00013:011")),
        actions=Actions(per_task=3, shares={"random": 1.0}, keep_invalid=True),
        keep=Keep(stride=40, states=True, features=True, contacts=True),
        shard_size=9,
    )
    build(spec, tmp_path, threads=1)
    for stored, sample in zip(open_dataset(tmp_path)["train"], training_samples(spec), strict=True):
        assert differences(stored, sample) == []
    assert max(sample["states"].shape[1] for sample in training_samples(spec)) > 16


class Backwards:
    """An executor that makes shards in the opposite order."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in reversed(list(items)):
            yield item, function(item)

    def close(self) -> None: ...


@pytest.mark.parametrize("form", ["arrow", "parquet", "webdataset", "hdf5"])
def test_any_order_gives_the_same_bytes(form: str, tmp_path: Path) -> None:
    spec = phyre_spec(format=form, keep=Keep(stride=200, states=True, rgb=32), pictures="mp4")
    build(spec, tmp_path / "one")
    build(spec, tmp_path / "other", executor=Backwards(), threads=1)
    assert folder_contents(tmp_path / "one") == folder_contents(tmp_path / "other")


SPEC = """
benchmark = "phyre"
shard_size = 2
[tasks]
train = ["00000"]
limit = 20
[actions]
per_task = 2
[keep]
stride = 20
states = true
codes = true
"""


def test_a_killed_build_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(SPEC)
    words = [sys.executable, "-m", "topple", "dataset", "build", str(file), "--workers", "1"]
    killed = tmp_path / "killed"
    process = subprocess.Popen(
        [*words, "--out", str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(list(killed.glob("*.parquet"))) < 3 and process.poll() is None:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    finished = {path: path.stat().st_mtime_ns for path in killed.glob("unfinished/train-*.json")}
    assert 0 < len(finished) < 20, "the build was not killed half-way"
    with pytest.raises(DatasetError, match="not finished"):
        check(killed)
    for folder in (killed, tmp_path / "whole"):
        topple("dataset", "build", file, "--out", folder, "--workers", "1")
    assert whole_files(killed) == whole_files(tmp_path / "whole")


def test_a_check_finds_what_was_changed(tmp_path: Path) -> None:
    spec = phyre_spec(keep=Keep(stride=200, states=True))
    build(spec, tmp_path)
    [shard, *_] = sorted(tmp_path.glob("train-*.parquet"))
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(bytes(content))
    assert f"{shard.name}: its checksum" in topple("dataset", "check", tmp_path, code=1).stdout


def test_a_check_finds_arrays_that_the_engine_does_not_give(tmp_path: Path) -> None:
    """The checksums are right, as if a shard had been made by another engine."""
    spec = phyre_spec(keep=Keep(stride=200, states=True), format="hdf5")
    build(spec, tmp_path)
    import h5py

    from topple.datasets.builder import sha256_of

    [shard, *_] = sorted(tmp_path.glob("train-*.h5"))
    with h5py.File(shard, "r+") as file:
        states = file["states"]
        row = int(np.argmax(file["shape/states"][:, 0]))
        states[row, 0, 4, 0] = np.nextafter(states[row, 0, 4, 0], np.float32(1e9))
    manifest = json.loads((tmp_path / "dataset.json").read_text())
    entry = next(each for each in manifest["shards"] if each["files"] == [shard.name])
    entry["sha256"] = sha256_of(tmp_path, entry["files"])
    (tmp_path / "dataset.json").write_text(json.dumps(manifest))
    [fault] = check(tmp_path, samples=100).faults
    assert "states is not what the engine gives" in fault.what


def test_another_spec_needs_another_folder(tmp_path: Path) -> None:
    small = Keep(stride=500, states=True)
    before = build(phyre_spec(keep=small), tmp_path)
    assert build(phyre_spec(keep=small), tmp_path) == before  # nothing is made again
    with pytest.raises(DatasetError, match="another spec"):
        build(phyre_spec(keep=small, seed=1), tmp_path)
    with pytest.raises(DatasetError, match=r"no dataset\.json"):
        check(tmp_path / "nowhere")


def test_an_estimate_is_about_right(tmp_path: Path) -> None:
    spec = phyre_spec(keep=Keep(stride=100, states=True, features=True))
    expected = estimate(spec, workers=2)
    manifest = build(spec, tmp_path)
    size = sum(split["bytes"] for split in manifest["splits"].values())
    assert expected.samples == 15
    assert expected.shards == len(manifest["shards"])
    assert size / 4 < expected.size < size * 4
    assert expected.seconds > 0


def test_what_a_shard_takes_is_not_counted_for_every_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from topple.datasets.formats import webdataset

    write = webdataset.write

    def slow(*arguments: Any) -> list[str]:
        time.sleep(0.2)
        return write(*arguments)

    monkeypatch.setattr(webdataset, "write", slow)
    keep = Keep(stride=250, text=False)
    actions = Actions(per_task=2000)
    spec = phyre_spec(format="webdataset", keep=keep, actions=actions, shard_size=1000)
    expected = estimate(spec, workers=1)
    assert expected.shards == 6
    assert expected.seconds < 6000 * 0.2 / 32  # what it would be, were it counted so


def test_own_puzzles_are_kept_as_data(tmp_path: Path) -> None:
    template = tmp_path / "mine.py"
    template.write_text(
        "from topple.phyre.authoring import template\n"
        "from topple.phyre.tier import Tier\n"
        "@template('mine', Tier.TWO_BALLS, x=(40, 60))\n"
        "def build(s, x):\n"
        "    'A ball beside a bar.'\n"
        "    bar = s.static.bar(0.3, left=100, bottom=20)\n"
        "    s.goal(s.dynamic.ball(0.1, left=x, bottom=120), bar)\n"
    )
    spec = phyre_spec(
        tasks=Tasks(train=(str(template),)), actions=Actions(per_task=2), keep=Keep(stride=200)
    )
    manifest = build(spec, tmp_path / "data")
    assert manifest["spec"]["tasks"]["train"] == ["sources/mine.json"]
    template.unlink()
    assert check(tmp_path / "data").faults == []
    [first, *_] = open_dataset(tmp_path / "data")["train"]
    assert first["action"].shape == (6,)
    assert first["task"].startswith("mine:")


@pytest.mark.parametrize(("make", "agent"), [(phyre_spec, "rand"), (iphyre_spec, "random")])
def test_an_agents_attempts_are_kept(make: Callable[..., Spec], agent: str, tmp_path: Path) -> None:
    actions = Actions(per_task=2, shares={"agent": 1.0}, agent=agent)
    keep = Keep(stride=300, hz=10)
    spec = make(actions=actions, keep=keep)
    manifest = build(spec, tmp_path / "data")
    assert manifest["splits"]["train"]["draws"]["agent"] >= 2
    assert check(tmp_path / "data").faults == []


def test_the_card_says_what_there_is(tmp_path: Path) -> None:
    manifest = build(phyre_spec(keep=Keep(stride=500, states=True)), tmp_path)
    card = (tmp_path / "README.md").read_text()
    assert "license: apache-2.0" in card
    assert manifest["engine"] in card
    assert "| train | 2 | 10 |" in card
    assert all(f"`{name}`" in card for name in manifest["fields"])
    assert all(shard["sha256"][:16] in card for shard in manifest["shards"])
    invalid = sum(split["outcomes"].get("invalid", 0) for split in manifest["splits"].values())
    assert invalid > 0  # the spec keeps them, and the card counts them


def test_the_command_tells_wrong_input(tmp_path: Path) -> None:
    build_data = ("dataset", "build", "--out", tmp_path / "data")
    for words, message in (
        (["nothing"], "neither a file nor a preset"),
        (["states", "-f", "keep.stride=0"], "keep.stride is 0"),
        (["states", "-f", "stride"], "write NAME=VALUE"),
    ):
        assert message in topple_mistake(*build_data, *words)
    dry = topple_json(*build_data, "states", "-f", "tasks.limit=2", "--dry-run")
    assert dry["samples"] == 600
    assert not (tmp_path / "data").exists()
