"""Step-by-step traces of the original simulator, compared in every field."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.shared_data import PHYRE, bits, float_bits, needs_phyre_data
from support.tally import Tally
from topple.phyre.engine.native import SceneSet, Simulation
from topple.phyre.engine.request import PIXELS_PER_METRE
from topple.phyre.scene import Body, Circle, Polygon, Scene, Shape

pytestmark = needs_phyre_data

TRACES = sorted((PHYRE / "traces").glob("*.json.xz"))
TOI_STATES = {"failed": 0, "overlapped": 1, "touching": 2, "separated": 3}


def _shape(record: dict[str, Any]) -> Shape:
    if record["type"] == "circle":
        return Circle(record["radius"])
    return Polygon(tuple((x, y) for x, y in record["vertices"]))


def _scene(record: dict[str, Any]) -> Scene:
    bodies = tuple(
        Body(
            shapes=tuple(_shape(shape) for shape in body["shapes"]),
            dynamic=body["type"] == "dynamic",
            position=(body["x"], body["y"]),
            angle=body["angle"],
            velocity=(body["vx"] * PIXELS_PER_METRE, body["vy"] * PIXELS_PER_METRE),
            angular_velocity=body["w"],
        )
        for body in record["bodies"]
    )
    return Scene(bodies, name=record["name"])


def _check_setup(setup: dict[str, Any], simulation: Simulation) -> None:
    state, masses = simulation.bodies(), simulation.masses()
    for i, body in enumerate(setup["bodies"]):
        expected = " ".join(body[key] for key in ("p", "angle", "v", "w"))
        np.testing.assert_array_equal(bits(state[i, :6]), float_bits(expected))
        np.testing.assert_array_equal(bits(state[i, 7:9]), float_bits(body["c"]))
        expected = " ".join(body[key] for key in ("local_center", "mass", "inv_mass", "I", "inv_I"))
        np.testing.assert_array_equal(bits(masses[i]), float_bits(expected))
    fixtures = simulation.fixtures()
    for i, fixture in enumerate(setup["fixtures"]):
        np.testing.assert_array_equal(bits(fixtures[i, 0]), float_bits(fixture["radius"]))
        np.testing.assert_array_equal(bits(fixtures[i, 5:]), float_bits(fixture["fat_aabb"]))
        if "mass" in fixture:
            expected = " ".join(fixture[key] for key in ("mass", "mass_center", "I_origin"))
            np.testing.assert_array_equal(bits(fixtures[i, 1:5]), float_bits(expected))
        if fixture["shape"] == "polygon":
            polygon = bits(simulation.polygon(i))
            np.testing.assert_array_equal(
                polygon[:, :2].ravel(), float_bits(" ".join(fixture["vertices"]))
            )
            np.testing.assert_array_equal(
                polygon[:, 2:].ravel(), float_bits(" ".join(fixture["normals"]))
            )


def _check_contacts(records: list[Any], simulation: Simulation) -> None:
    numbers, values = simulation.contacts()
    assert [list(row[:3]) for row in numbers] == [list(record[:3]) for record in records]
    for record, row, floats in zip(records, numbers, bits(values), strict=True):
        points = record[5] if len(record) > 3 else []
        assert row[4] == len(points)
        if not points:
            continue
        assert row[3] == record[3]
        np.testing.assert_array_equal(floats[:4], float_bits(record[4]))
        for j, point in enumerate(points):
            assert int(row[5 + j]) & 0xFFFFFFFF == int(point[0], 16)
            np.testing.assert_array_equal(floats[4 + 4 * j : 8 + 4 * j], float_bits(point[1]))


def _impact(event: dict[str, Any]) -> tuple[object, ...]:
    if event["ev"] == "solve":
        contacts = [tuple(pair) for pair in event["contacts"]]
        return ("solve", int(event["substep_dt"], 16), event["bodies"], contacts)
    pair = tuple(event["contact"])
    if event["ev"] == "eval":
        numbers = [int(event[key], 16) for key in ("alpha0", "t", "alpha")]
        return ("eval", pair, numbers[0], TOI_STATES[event["state"]], *numbers[1:])
    return (event["ev"], pair, int(event["alpha"], 16))


def _replay(path: Path, *, shortcuts: bool) -> None:
    with lzma.open(path) as file:
        trace = json.load(file)
    simulation = Simulation(SceneSet([_scene(trace["scene"])]), shortcuts=shortcuts)
    _check_setup(trace["setup"], simulation)
    for step in trace["steps"]:
        islands, impacts = simulation.step_recorded()
        state = simulation.bodies()
        for index, awake, words, _ in step["b"]:
            np.testing.assert_array_equal(
                bits(state[index, :9]), float_bits(words), err_msg=f"step {step['i']}"
            )
            assert state[index, 9] == awake
        _check_contacts(step["c"], simulation)
        if "islands" in step:
            expected = [
                (island["bodies"], [tuple(pair) for pair in island["contacts"]])
                for island in step["islands"]
            ]
            assert islands == expected
        if "toi" in step:
            assert impacts == [_impact(event) for event in step["toi"]]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.split(".")[0])
def test_trace(path: Path, tally: Tally) -> None:
    try:
        _replay(path, shortcuts=True)
    except AssertionError:
        tally("traces in every field", 1, 1)
        raise
    tally("traces in every field", 0, 1)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.split(".")[0])
def test_trace_without_shortcuts(path: Path) -> None:
    _replay(path, shortcuts=False)


def test_all_traces_are_there() -> None:
    assert len(TRACES) == 18
