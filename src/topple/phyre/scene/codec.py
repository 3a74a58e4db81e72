"""Scenes as JSON, for people's own scenes, and as bytes, for comparing them.

The JSON form is a plain mirror of the types: numbers come back bit for bit, and
what is left out takes the default of its type. Reading checks every rule of a
scene and names the body that breaks it::

    {
      "name": "a ball over a box",
      "bodies": [
        {"dynamic": false, "position": [128, 10],
         "shapes": [{"polygon": [[50, 10], [-50, 10], [-50, -10], [50, -10]]}]},
        {"dynamic": true, "position": [128, 200], "kind": "ball", "color": "green",
         "diameter": 20, "shapes": [{"circle": 10}]}
      ],
      "goal": {"first": 0, "second": 1}
    }
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, TypeVar

from topple.phyre.scene import (
    Body,
    Circle,
    Color,
    Goal,
    Kind,
    Polygon,
    Scene,
    SceneError,
    Shape,
    Vec,
)
from topple.phyre.scene.check import check_scene

E = TypeVar("E", bound=IntEnum)


def scene_data(scene: Scene) -> dict[str, Any]:
    """A scene as the plain values of its JSON form."""
    data: dict[str, Any] = {
        "name": scene.name,
        "width": scene.width,
        "height": scene.height,
        "bodies": [_body_data(body) for body in scene.bodies],
    }
    if scene.goal is not None:
        data["goal"] = scene.goal._asdict()
    return data


def scene_to_json(scene: Scene) -> str:
    """Write a scene as JSON text."""
    return json.dumps(scene_data(scene), indent=1)


def scene_from_json(text: str) -> Scene:
    """Read a scene from JSON text and check it.

    Raises:
        SceneError: The text is no scene, or the scene breaks a rule; the message
            names the scene, the body and the rule.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise SceneError(f"scene: this is no JSON, {error}") from None
    except RecursionError:
        raise SceneError("scene: its lists and objects are nested too deeply") from None
    fields = _fields(data, Scene._fields, "scene")
    name = str(fields.get("name", ""))
    where = f"scene {name!r}" if name else "scene"
    _require(fields, ("bodies",), where)
    bodies = _list(fields["bodies"], f"{where}, bodies")
    goal = fields.get("goal")
    scene = Scene(
        tuple(_body(body, f"{where}, body {i}") for i, body in enumerate(bodies)),
        None if goal is None else _goal(goal, f"{where}, goal"),
        _number(fields.get("width", 256.0), f"{where}, width"),
        _number(fields.get("height", 256.0), f"{where}, height"),
        name,
    )
    check_scene(scene)
    return scene


def scene_bytes(scene: Scene) -> bytes:
    """A scene as bytes, equal when all but the name is equal to the last bit."""
    goal = scene.goal or Goal(-1, -1, 0)
    parts = [
        struct.pack("<2d3iI", scene.width, scene.height, *goal, len(scene.bodies)),
    ]
    for body in scene.bodies:
        numbers = (*body.position, body.angle, body.diameter, *body.velocity)
        flags = (body.dynamic, body.color, body.kind, len(body.shapes))
        parts.append(struct.pack("<7d4I", *numbers, body.angular_velocity, *flags))
        for shape in body.shapes:
            if isinstance(shape, Circle):
                parts.append(struct.pack("<Id", 0, shape.radius))
            else:
                flat = [number for vertex in shape.vertices for number in vertex]
                parts.append(struct.pack(f"<I{len(flat)}d", len(shape.vertices), *flat))
    return b"".join(parts)


def fingerprint(scenes: Iterable[Scene]) -> str:
    """The SHA-256 of some scenes, in hexadecimal."""
    digest = hashlib.sha256()
    for scene in scenes:
        digest.update(scene_bytes(scene))
    return digest.hexdigest()


def _body_data(body: Body) -> dict[str, Any]:
    data = body._asdict()
    data["color"] = body.color.name.lower()
    data["kind"] = body.kind.name.lower()
    data["shapes"] = [
        {"circle": shape.radius} if isinstance(shape, Circle) else {"polygon": shape.vertices}
        for shape in body.shapes
    ]
    return data


def _body(data: object, where: str) -> Body:
    fields = _fields(data, Body._fields, where)
    _require(fields, ("shapes", "dynamic", "position"), where)
    if not isinstance(fields["dynamic"], bool):
        raise SceneError(f"{where}: dynamic is true or false, not {fields['dynamic']!r}")
    readers: dict[str, Callable[[object], object]] = {
        "shapes": lambda v: tuple(_shape(s, where) for s in _list(v, f"{where}, shapes")),
        "dynamic": bool,
        "position": lambda v: _vec(v, f"{where}, position"),
        "angle": lambda v: _number(v, f"{where}, angle"),
        "color": lambda v: _member(Color, v, f"{where}, color"),
        "kind": lambda v: _member(Kind, v, f"{where}, kind"),
        "diameter": lambda v: _number(v, f"{where}, diameter"),
        "velocity": lambda v: _vec(v, f"{where}, velocity"),
        "angular_velocity": lambda v: _number(v, f"{where}, angular_velocity"),
    }
    values: dict[str, Any] = {name: readers[name](value) for name, value in fields.items()}
    return Body(**values)


def _shape(data: object, where: str) -> Shape:
    fields = _fields(data, ("circle", "polygon"), f"{where}, shape")
    if len(fields) != 1:
        raise SceneError(f"{where}: a shape is either a circle or a polygon")
    if "circle" in fields:
        return Circle(_number(fields["circle"], f"{where}, circle"))
    corners = _list(fields["polygon"], f"{where}, polygon")
    return Polygon(tuple(_vec(corner, f"{where}, polygon") for corner in corners))


def _goal(data: object, where: str) -> Goal:
    fields = _fields(data, Goal._fields, where)
    _require(fields, ("first", "second"), where)
    for name, value in fields.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise SceneError(f"{where}: {name} is a whole number, not {value!r}")
    return Goal(**fields)


def _fields(data: object, known: Iterable[str], where: str) -> dict[str, Any]:
    """The fields of a JSON object, if it has no others."""
    if not isinstance(data, dict):
        raise SceneError(f"{where}: this is an object with named fields, not {data!r}")
    for name in data:
        if name not in known:
            close = difflib.get_close_matches(name, list(known), 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known)}"
            raise SceneError(f"{where}: there is no field {name!r}, {hint}")
    return data


def _require(fields: dict[str, Any], names: Iterable[str], where: str) -> None:
    for name in names:
        if name not in fields:
            raise SceneError(f"{where}: the field {name!r} is missing")


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise SceneError(f"{where}: this is a list, not {value!r}")
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SceneError(f"{where}: this is a finite number, not {value!r}")
    return float(value)


def _vec(value: object, where: str) -> Vec:
    pair = _list(value, where)
    if len(pair) != 2:
        raise SceneError(f"{where}: this is a pair of numbers, not {value!r}")
    return _number(pair[0], where), _number(pair[1], where)


def _member(kind: type[E], value: object, where: str) -> E:
    """The member of an enumeration with this name."""
    names = [member.name.lower() for member in kind]
    if value not in names:
        raise SceneError(f"{where}: this is one of {', '.join(names)}, not {value!r}")
    return kind[str(value).upper()]
