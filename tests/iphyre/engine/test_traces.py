"""The native engine against traces of the original library, in every field and bit."""

from __future__ import annotations

from typing import Any

import pytest

from support.tally import Tally
from topple.iphyre.engine.native import NativeWorld
from topple.iphyre.engine.scene import PUBLISHED_PARAMS, Params, Scene

TRACES = (
    "01_ball_on_segment",
    "02_ball_on_incline",
    "03_two_balls",
    "04_capsule_on_capsule",
    "05_capsule_on_peg",
    "06_pin_pendulum",
    "07_springs",
    "08_remove_support",
    "09_seven_balls",
    "10_multi_ball_lever_10hz",
    "10_multi_ball_lever_60hz",
    "11_activated_pendulum_10hz",
    "11_activated_pendulum_60hz",
    "12_impulse_spring_10hz",
    "12_impulse_spring_60hz",
    "13_core_overlap",
    "14_many_add_remove",
)


def number(pair: list[Any]) -> float:
    return float.fromhex(pair[0])


def scene_of(trace: dict[str, Any], bodies: int) -> Scene:
    listed = trace["objects"][:bodies]

    def joints(kind: str) -> tuple[tuple[int, int], ...]:
        return tuple((c["a"], c["b"]) for c in trace["constraints"] if c["kind"] == kind)

    return Scene(
        ends=tuple(
            (*o["p1"], *o["p2"]) if o["kind"] == "block" else (*o["center"], *o["center"])
            for o in listed
        ),
        radii=tuple(o["radius"] for o in listed),
        is_ball=tuple(o["kind"] == "ball" for o in listed),
        is_dynamic=tuple(bool(o["dynamic"]) for o in listed),
        pins=joints("pin"),
        springs=joints("spring"),
        velocities=tuple(
            (*o.get("velocity", (0.0, 0.0)), o.get("angular_velocity", 0.0)) for o in listed
        ),
    )


def params_of(trace: dict[str, Any]) -> Params:
    for joint in trace["constraints"]:
        if joint["kind"] == "spring":
            return PUBLISHED_PARAMS._replace(
                spring_rest=joint["rest_length"],
                spring_stiffness=joint["stiffness"],
                spring_damping=joint["damping"],
            )
    return PUBLISHED_PARAMS


def recorded_arbiter(row: dict[str, Any]) -> tuple[Any, ...]:
    contacts = [
        (
            *map(number, c["r1"]),
            *map(number, c["r2"]),
            *(number(c[key]) for key in ("jn", "jt", "jbias", "bias", "bounce")),
            int(c["hash"]),
        )
        for c in row["contacts"]
    ]
    return (row["a"], row["b"], bool(row["first"]), *map(number, row["n"]), contacts)


@pytest.mark.parametrize("name", TRACES)
def test_trace(shared: Any, tally: Tally, name: str) -> None:
    trace = shared(f"traces/{name}.json.xz")
    objects = trace["objects"]
    entered = sum("added_before_step" not in o for o in objects)
    builds = objects[0]["shape_id"] // entered + 1
    world = NativeWorld(scene_of(trace, entered), number(trace["dt"]), params_of(trace), builds)
    wrong = []
    for row in trace["steps"]:
        for event in trace["events"]:
            if event["before_step"] == row["step"]:
                world.remove(event["remove_object"])
        added = sum(o.get("added_before_step") == row["step"] for o in objects)
        if added:
            entered += added
            world.extend(scene_of(trace, entered))
        world.step()
        state = world.handle.state()
        # As text, since zeros have signs.
        bodies = [(body, *map(number, values)) for body, *values in row["bodies"]]
        same = repr(bodies) == repr([(body, *state[body].tolist()) for body, *_ in bodies])
        arbiters = [recorded_arbiter(each) for each in row["arbiters"]]
        if not same or repr(world.handle.arbiters()) != repr(arbiters):
            wrong.append(row["step"])
    tally(f"steps of the trace {name}", len(wrong), len(trace["steps"]))
    assert wrong == []
