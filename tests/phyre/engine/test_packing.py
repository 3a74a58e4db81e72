from __future__ import annotations

import copy
import math
import struct
from collections.abc import Callable
from pickle import dumps, loads

import numpy as np
import pytest

from topple.phyre.engine.native import SceneSet
from topple.phyre.engine.packing import pack
from topple.phyre.scene import Body, Circle, Kind, Scene
from topple.phyre.scene.jar import DIAGONAL_WIDTH_TO_HEIGHT, jar_centre_height


def single(number: float) -> float:
    """The nearest float32."""
    value: float = struct.unpack("f", struct.pack("f", number))[0]
    return value


@pytest.mark.parametrize("diameter", [17.3, 30.1, 51.2, 76.799, 111.11])
def test_a_jar_s_centre_is_computed_in_float32_on_every_numpy(diameter: float) -> None:
    jar = Body((Circle(5.0),), True, (50.0, 50.0), kind=Kind.JAR, diameter=diameter)
    packed = pack([Scene((jar,))])
    square = single(single(diameter) * single(diameter))
    height = math.sqrt(single(square / single(1 + DIAGONAL_WIDTH_TO_HEIGHT**2)))
    assert packed.feature_offset.tolist() == [jar_centre_height(height)]


def test_types_do_not_depend_on_numpy() -> None:
    body = Body((Circle(5.0),), True, (50.0, 50.0), diameter=10.0, velocity=(1.0, 2.0))
    kinds = {name: array.dtype for name, array in pack([Scene((body,))]).arrays().items()}
    single_ones = {"diameter", "pose_m", "velocity", "radius_m", "vertices_m"}
    double_ones = {"feature_offset", "pose_px", "radius_px", "vertices_px"}
    assert {name for name, kind in kinds.items() if kind == np.float32} == single_ones
    assert {name for name, kind in kinds.items() if kind == np.float64} == double_ones


@pytest.mark.parametrize("copied", [lambda x: x, copy.deepcopy, lambda x: loads(dumps(x))])
def test_packed_arrays_cannot_be_changed(copied: Callable[[SceneSet], SceneSet]) -> None:
    scenes = copied(SceneSet([Scene((Body((Circle(5.0),), True, (50.0, 50.0)),))]))
    for name, array in scenes.packed.arrays().items():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7
        assert not array.flags.writeable, name
