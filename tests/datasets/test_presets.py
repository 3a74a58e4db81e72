"""Presets, built small and loaded the way the code of each paper loads its data."""

from __future__ import annotations

import io
from glob import glob
from pathlib import Path
from typing import Any

import av
import h5py
import hickle
import numpy as np
import pytest
from PIL import Image

from support.dataset_specs import webdataset_rows
from support.folders import folder_contents
from topple.compat.iphyre.games import PARAS
from topple.compat.iphyre.simulator import IPHYRE
from topple.compat.phyre import initialize_simulator
from topple.compat.phyre.objects_util import featurized_objects_vector_to_raster
from topple.datasets import build, check, find_spec
from topple.datasets.combinations import kind_combinations
from topple.datasets.presets import about, preset_names

TWO_TASKS = {"tasks.limit": 1, "tasks.parts": ["train", "test"], "actions.candidates": 1000}


def test_every_preset_is_described() -> None:
    assert {"rpin", "phyre-fwd", "slotformer", "phyworld", "nff", "states"} == set(preset_names())
    for name in preset_names():
        assert len(about(name)) > 40
        assert find_spec(name).name


def test_rpin_reads_boxes_and_masks(tmp_path: Path) -> None:
    small = find_spec("rpin").with_values({**TWO_TASKS, "actions.per_task": 5})
    build(small, tmp_path)
    # As in its data set: the split's tasks, their videos, and the files beside each.
    names = (tmp_path / "splits/within_train_fold_0.txt").read_text().split("\n")
    videos = [
        video
        for name in names
        if name
        for video in sorted(glob(f"{tmp_path}/images/{name.replace(':', '/')}/*.npy"))
    ]
    assert len(videos) == 5
    assert len(names) == 2001
    for video in videos:
        first = np.load(video)
        labels = video.replace("images", "labels").removesuffix(".npy")
        boxes, masks = (hickle.load(f"{labels}_{word}.hkl") for word in ("boxes", "masks"))
        full = hickle.load(video.replace("images", "full").removesuffix(".npy") + "_image.hkl")
        assert first.shape == (128, 128)
        assert np.array_equal(full[0], first)
        assert boxes.shape[:2] == masks.shape[:2]
        assert boxes.shape[0] == len(full)
        assert masks.shape[2:] == (21, 21)
        assert boxes[..., 1:].min() >= 0
        assert boxes[..., 1:].max() <= 127
        assert set(np.unique(masks)) <= {0, 1}
    labels_found = [hickle.load(path) for path in sorted(glob(f"{tmp_path}/labels/*/*/*label.hkl"))]
    assert labels_found == [1, 0, 0, 0, 0] * 2
    _compare_with_pictures_of_single_objects(Path(videos[0]), tmp_path, small)
    assert check(tmp_path).faults == []


def _compare_with_pictures_of_single_objects(video: Path, folder: Path, spec: Any) -> None:
    """RPIN draws each object alone; boxes agree to a pixel of the scene, where bodies touch."""
    from topple.datasets.plan import Plan, open_source

    plan = Plan(spec, open_source(spec, folder))
    row = plan.rows(plan.shards()[0])[0]
    simulator = initialize_simulator([row.task], "ball")
    made = simulator.simulate_action(
        0, row.draw.action, stride=60, need_images=True, need_featurized_objects=True
    )
    assert made.featurized_objects is not None
    assert made.images is not None
    boxes = hickle.load(str(video).replace("images", "labels").replace(".npy", "_boxes.hkl"))
    colors = made.featurized_objects.colors
    moving = [k for k, color in enumerate(colors) if color not in ("BLACK", "PURPLE")]
    assert boxes.shape[:2] == (len(made.images), len(moving))
    for place, column in enumerate(moving):
        picture = featurized_objects_vector_to_raster(made.featurized_objects.features[0, [column]])
        rows, columns = np.nonzero(picture)
        edges = np.array([columns.min(), rows.min(), columns.max(), rows.max()]) * 127 / 255
        assert np.abs(boxes[0, place, 1:] - edges).max() <= 0.5


def test_phyre_fwd_cuts_clips_from_pairs(tmp_path: Path) -> None:
    small = {**TWO_TASKS, "tasks.parts": ["train"], "actions.per_task": 4}
    build(find_spec("phyre-fwd").with_values(small), tmp_path)
    rows = webdataset_rows(tmp_path)
    solved = [row for row in rows if row["json"]["outcome"] == 1]
    others = [row for row in rows if row["json"]["outcome"] == -1]
    assert len(solved) == len(others) == 2
    # A balanced pair, eight frames from a random place, the last one repeated where they end.
    clips, objects = [], []
    for row in (solved[0], others[0]):
        frames = [row[name] for name in sorted(row) if name.startswith("codes.")]
        video = np.stack([np.asarray(Image.open(io.BytesIO(frame))) for frame in frames])
        start = int(np.random.default_rng(0).random() * max(len(video) - 8, 0))
        clip = video[start : start + 8]
        clips.append(np.concatenate([clip, np.repeat(clip[-1:], 8 - len(clip), 0)]))
        objects.append(row["features.npy"][start : start + 8])
    batch = np.array(clips, np.int64)
    assert batch.shape == (2, 8, 256, 256)
    assert batch.max() <= 6
    assert objects[0].shape[2] == 14
    assert len(video) == 200  # a thousand steps, every fifth


def test_slotformer_pads_clips_to_fifteen_frames(tmp_path: Path) -> None:
    build(find_spec("slotformer").with_values({**TWO_TASKS, "actions.per_task": 5}), tmp_path)
    rows = webdataset_rows(tmp_path)
    assert [row["json"]["outcome"] == 1 for row in rows].count(True) == 1
    for row in rows:
        frames = [
            np.asarray(Image.open(io.BytesIO(row[name]))).transpose(2, 0, 1) / 255
            for name in sorted(row)
            if name.startswith("rgb.")
        ]
        video = np.stack(frames)
        video = np.concatenate([video, *([video[-1:]] * (15 - len(video)))])[:15]
        assert video.shape == (15, 3, 128, 128)
        assert np.median(video) == 0.0  # the background is black
        assert video.max() <= 1.0


def test_phyworld_decodes_films_of_held_out_combinations(tmp_path: Path) -> None:
    values = {
        "tasks.train": ["combinations:0-1"],
        "tasks.test": ["combinations:60"],
        "tasks.limit": 2,
        "actions.per_task": 2,
    }
    build(find_spec("phyworld").with_values(values), tmp_path)
    files = sorted((tmp_path / "train").glob("*.hdf5")), sorted((tmp_path / "test").glob("*.hdf5"))
    assert [path.name for path in files[0]] == ["10000:000.hdf5", "10001:000.hdf5"]
    assert all(path.name.startswith("10060:") for path in files[1])
    for path in (*files[0], *files[1]):
        with h5py.File(path) as file:
            actions, objects = file["action_streams"][:], file["object_streams"][:]
            assert actions.shape == (2, 3)
            assert objects.shape[:2] == (2, 50)
            assert objects.shape[3] == 14
            for stream in file["video_streams"]:
                with av.open(io.BytesIO(stream.tobytes()), mode="r") as video:
                    rate = video.streams.video[0].average_rate
                    frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
                assert np.array(frames).shape == (50, 256, 256, 3)
                assert rate == 5
    combinations = kind_combinations()
    assert len(set(combinations)) == 70
    assert set(combinations[60:]).isdisjoint(combinations[:60])
    assert check(tmp_path).faults == []


def test_nff_reads_states_and_clicks(tmp_path: Path) -> None:
    values = {
        "tasks.train": ["angle"],
        "tasks.test": ["hole"],
        "actions.per_task": 4,
        "actions.candidates": 200,
    }
    build(find_spec("nff").with_values(values), tmp_path)
    for game in ("angle", "hole"):
        positions = IPHYRE(game, fps=10).get_action_space()
        for number in range(4):
            place = tmp_path / "game_seq_data" / game / str(number)
            vectors, actions = np.load(place / "vectors.npy"), np.load(place / "actions.npy")
            assert vectors.shape == (150, 12, 13)
            one_hot = np.zeros((150, 7))
            one_hot[:, 0] = 1
            for x, y, time in actions:
                one_hot[int(time * 10)] = 0
                one_hot[int(time * 10), positions.index([x, y])] = 1
            assert (one_hot.sum(axis=1) == 1).all()
            velocity, angle, spin = vectors[..., 5:7] / 600, vectors[..., 7:8], vectors[..., 8:9]
            bodies = np.concatenate([vectors[..., :5] / 600, vectors[..., 9:]], axis=-1)
            assert bodies.shape == (150, 12, 9)
            assert np.abs(angle).max() < 100
            assert np.isfinite(spin).all()
            played = int((bodies.sum(axis=(1, 2)) != 0).sum())
            assert (played < 150) == (number < 2)  # solutions come first, and end early
            ball = len(PARAS[game]["block"])  # px moved in a tenth of a second is a tenth of px/s
            moved = np.diff(bodies[:played, ball, :2], axis=0)
            assert np.abs(moved - 0.1 * velocity[1:played, ball]).max() < 0.1
    assert check(tmp_path).faults == []


@pytest.mark.parametrize("name", ["rpin", "nff", "phyworld"])
def test_other_peoples_files_have_the_same_bytes_each_time(name: str, tmp_path: Path) -> None:
    values: dict[str, Any] = {"actions.per_task": 2, "actions.candidates": 1000}
    if name == "nff":
        values |= {"tasks.train": ["angle"], "tasks.test": []}
    else:
        values |= {"tasks.limit": 1}
    if name == "phyworld":
        values |= {"tasks.train": ["combinations:0"], "tasks.test": []}
    spec = find_spec(name).with_values(values)
    for folder in ("one", "other"):
        build(spec, tmp_path / folder)
    assert folder_contents(tmp_path / "one") == folder_contents(tmp_path / "other")
