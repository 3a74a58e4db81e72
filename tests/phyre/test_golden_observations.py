"""Images and object features of the original, pixel for pixel and bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from support.shared_data import TIERS, arrays, bits, needs_phyre_data, published_scenes
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, draw_scenes, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.features import scene_features

pytestmark = needs_phyre_data


@pytest.mark.parametrize("tier", TIERS)
def test_initial_scenes(tier: str) -> None:
    golden = arrays("golden_observations.npz")
    scenes = SceneSet([published_scenes()[task] for task in golden[f"{tier}_ids"]])
    np.testing.assert_array_equal(draw_scenes(scenes), golden[f"{tier}_initial"])
    features = np.concatenate([scene_features(scenes, i) for i in range(len(scenes))])
    np.testing.assert_array_equal(bits(features), bits(golden[f"{tier}_init_features"]))


@pytest.mark.parametrize("tier", TIERS)
def test_frames_of_attempts(tier: str, backend: Backend) -> None:
    golden = arrays("golden_observations.npz")
    scenes = SceneSet([published_scenes()[task] for task in golden[f"{tier}_ids"]])
    request = Request(images=True, objects=True, stride=120)
    actions = golden[f"{tier}_actions"]
    result = simulate_batch(scenes, np.arange(len(scenes)), actions, request, backend=backend)
    assert result.images is not None
    assert result.objects is not None
    np.testing.assert_array_equal(result.outcome, golden[f"{tier}_status"])
    np.testing.assert_array_equal(result.frame_count, golden[f"{tier}_nframes"])
    images, features = [], []
    for k, frames in enumerate(result.frame_count):
        objects = golden[f"{tier}_nobj"][k]
        images.append(result.images[k, :frames])
        features.append(result.objects[k, :frames, :objects].reshape(-1, 14))
        assert not result.objects[k, :, objects:].any()
    np.testing.assert_array_equal(np.concatenate(images), golden[f"{tier}_frames"])
    np.testing.assert_array_equal(bits(np.concatenate(features)), bits(golden[f"{tier}_features"]))
