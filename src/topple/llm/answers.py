"""Answers: the JSON object in a model's reply, and whether it follows its schema.

The rule for finding it, also told to the models: the reply is one JSON object and nothing
else; or there is text around it, and then the last fenced code block holds it. What stands
before a closing ``</think>`` is not looked at. Nothing is repaired or guessed.

Schemas are JSON Schema, the few words of it listed in ``_CHECKS``; the same object can be sent
to servers that enforce one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

Schema = Mapping[str, Any]

NOTE_LENGTH = 500  # maximum length of the note that a model may write to itself
NOTE: Schema = {"type": "string", "maxLength": NOTE_LENGTH}

_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)```", re.DOTALL)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "null": (type(None),),
}
_QUOTED = 60  # characters of a wrong value in a message


class AnswerError(ValueError):
    """An answer breaks a rule; the message is written for the model."""


def object_schema(properties: Mapping[str, Any], *required: str) -> Schema:
    """The schema of an object that has no other properties than these."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def read_answer(text: str, schema: Schema) -> Any:
    """The JSON object in a reply.

    Raises:
        AnswerError: there is none, or it does not follow the schema.
    """
    value = _find(text)
    check(value, schema)
    return value


def _find(text: str) -> Any:
    words = text.rsplit("</think>", 1)[-1].strip()
    if not words:
        raise AnswerError("the reply is empty")
    fenced = _FENCE.findall(words)
    if not fenced and not words.startswith(("{", "[")):
        raise AnswerError("there is no JSON object in the reply")
    return parse_json(fenced[-1] if fenced else words)


def find_list(text: str) -> Any:
    """The list between the first and the last bracket of a reply.

    Raises:
        AnswerError: there is none.
    """
    first, last = text.find("["), text.rfind("]")
    if first < 0 or last < first:
        raise AnswerError("there is no list in the reply")
    return parse_json(text[first : last + 1])


def parse_json(text: str) -> Any:
    """Parse strict JSON: no NaN, no repeated names.

    Raises:
        AnswerError: it is none.
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repeats)
    except json.JSONDecodeError as error:
        raise AnswerError(
            f"this is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, AnswerError):
            raise
        raise AnswerError("this JSON is too deep or has too long a number") from None


def _no_constant(word: str) -> NoReturn:
    raise AnswerError(f"{word} is not JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        raise AnswerError("a name stands twice in one object")
    return names


def check(value: Any, schema: Schema, where: str = "the answer") -> None:
    """Check a value against a schema.

    Raises:
        AnswerError: it does not follow it; the message says where and how.
    """
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fitting = any(isinstance(value, _TYPES[kind]) for kind in kinds)
    if not fitting or isinstance(value, bool):
        raise AnswerError(f"{where} has to be of type {' or '.join(kinds)}, not {_quote(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise AnswerError(f"{where} is too large")
    if isinstance(value, int | float):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            raise AnswerError(f"{where} has to be from {low} to {high}, not {_quote(value)}")
    if "enum" in schema and value not in schema["enum"]:
        raise AnswerError(f"{where} has to be one of {schema['enum']}, not {_quote(value)}")
    if isinstance(value, str) and len(value) > schema.get("maxLength", math.inf):
        raise AnswerError(f"{where} is longer than {schema['maxLength']} characters")
    if isinstance(value, list):
        _check_array(value, schema, where)
    if isinstance(value, dict):
        _check_object(value, schema, where)


def _check_array(value: list[Any], schema: Schema, where: str) -> None:
    if len(value) > schema.get("maxItems", math.inf) or len(value) < schema.get("minItems", 0):
        raise AnswerError(
            f"{where} has {len(value)} items; it has to have "
            f"{schema.get('minItems', 0)} to {schema.get('maxItems', 'any number')}"
        )
    for number, item in enumerate(value):
        check(item, schema["items"], f"{where}[{number}]")


def _check_object(value: dict[str, Any], schema: Schema, where: str) -> None:
    known: Mapping[str, Schema] = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            raise AnswerError(f'{where} has no "{name}"')
    for name, item in value.items():
        if name not in known:
            raise AnswerError(f"{where} has {_quote(name)}, which nothing here is called")
        check(item, known[name], f'"{name}"')


def _quote(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
