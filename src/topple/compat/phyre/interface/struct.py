"""What the generated Thrift classes of the original have in common.

A structure is a mutable value: fields by name, None where nothing was set, equal if all
fields are. Its bytes are those of Thrift's binary protocol, so that what one package wrote
the other reads.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, ClassVar, TypeVar

# The protocol's numbers of the types that the original uses.
_STOP, BOOL, DOUBLE, I32, STRING, _STRUCT, _LIST = 0, 2, 4, 8, 11, 12, 15
_PACKED = {BOOL: struct.Struct(">?"), DOUBLE: struct.Struct(">d"), I32: struct.Struct(">i")}
_FIELD = struct.Struct(">bh")  # type and number
_ITEMS = struct.Struct(">bi")  # type and count

Kind = Any  # BOOL, DOUBLE, I32, STRING, a structure's class, or a list of one of these
_T = TypeVar("_T", bound="Struct")


def member(number: int, kind: Kind, default: Any = None) -> Any:
    """Declare a field of a structure by its Thrift number and type."""
    return field(default=default, metadata={"number": number, "kind": kind})


class Struct:
    """A structure: a dataclass whose members come in the order of their numbers."""


class Enumeration:
    """Whole numbers with names, and both ways between them."""

    _VALUES_TO_NAMES: ClassVar[dict[int, str]]
    _NAMES_TO_VALUES: ClassVar[dict[str, int]]

    def __init_subclass__(cls) -> None:
        # Python 3.13 keeps numbers of its own here, such as the line of the class.
        named = ((k, v) for k, v in vars(cls).items() if not k.startswith("_"))
        cls._NAMES_TO_VALUES = {k: v for k, v in named if isinstance(v, int)}
        cls._VALUES_TO_NAMES = {v: k for k, v in cls._NAMES_TO_VALUES.items()}


def to_bytes(value: Struct) -> bytes:
    """A structure in Thrift's binary protocol."""
    parts: list[bytes] = []
    _write(parts.append, type(value), value)
    return b"".join(parts)


def from_bytes(value: _T, data: bytes) -> _T:
    """Set the fields of a structure to those that were written, and return it.

    Raises:
        ValueError: the bytes are not those of such a structure.
    """
    try:
        _read_struct(_Reader(data), value)
    except (struct.error, UnicodeDecodeError, IndexError) as error:
        raise ValueError(f"these bytes hold no {type(value).__name__}: {error}") from None
    return value


def _code(kind: Kind) -> int:
    if isinstance(kind, list):
        return _LIST
    return kind if isinstance(kind, int) else _STRUCT


def _write(put: Callable[[bytes], None], kind: Kind, value: Any) -> None:
    if isinstance(kind, list):
        put(_ITEMS.pack(_code(kind[0]), len(value)))
        for item in value:
            _write(put, kind[0], item)
    elif kind == STRING:
        text = value.encode()
        put(_PACKED[I32].pack(len(text)) + text)
    elif kind in _PACKED:
        put(_PACKED[kind].pack(value))
    else:
        for part in fields(value):
            item = getattr(value, part.name)
            if item is not None:
                inner = part.metadata["kind"]
                put(_FIELD.pack(_code(inner), part.metadata["number"]))
                _write(put, inner, item)
        put(bytes([_STOP]))


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        taken = self.data[self.place : self.place + count]
        if count < 0 or len(taken) < count:
            raise IndexError("they end too early")
        self.place += count
        return taken

    def unpack(self, packed: struct.Struct) -> tuple[Any, ...]:
        return packed.unpack(self.take(packed.size))


def _read_struct(reader: _Reader, value: Any) -> Any:
    known = {part.metadata["number"]: part for part in fields(value)}
    while (code := reader.take(1)[0]) != _STOP:
        number = int.from_bytes(reader.take(2), "big", signed=True)
        part = known.get(number)
        if part is None or _code(part.metadata["kind"]) != code:
            raise IndexError(f"field {number} of type {code} is unknown")
        setattr(value, part.name, _read(reader, part.metadata["kind"]))
    return value


def _read(reader: _Reader, kind: Kind) -> Any:
    if isinstance(kind, list):
        code, count = reader.unpack(_ITEMS)
        if code != _code(kind[0]):
            raise IndexError(f"a list holds type {code}")
        return [_read(reader, kind[0]) for _ in range(count)]
    if kind == STRING:
        return reader.take(reader.unpack(_PACKED[I32])[0]).decode()
    if kind in _PACKED:
        return reader.unpack(_PACKED[kind])[0]
    return _read_struct(reader, kind())
