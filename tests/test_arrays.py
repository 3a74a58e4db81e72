"""Arrays in files: back as they were, and refused if the file claims what it does not hold."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest

from topple.arrays import Arrays, arrays_digest, pack_arrays, unpack_arrays


def npz(raw: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.npy", raw)
    return buffer.getvalue()


def npy(header: str, content: bytes = b"") -> bytes:
    line = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + content


def test_arrays_come_back_as_they_were() -> None:
    arrays: Arrays = {
        "some": np.arange(12, dtype=np.int16).reshape(3, 4),
        "columns": np.asfortranarray(np.eye(3)),
        "text": np.array(["a", "longer"]),
        "one": np.array("x"),
        "none": np.zeros((0, 3), np.float32),
    }
    back = unpack_arrays(pack_arrays(arrays))
    assert list(back) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array, strict=True)
    assert arrays_digest(back) == arrays_digest(arrays)
    assert arrays_digest({**arrays, "one": np.array("y")}) != arrays_digest(arrays)


CLAIMS: dict[str, Any] = {
    "a shape that is too large": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1<<40,)}"),
    "more than there is": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10**12,)}"),
    "billions": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
    "negative lengths": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}", b"x" * 8
    ),
    "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"x" * 8),
    "a deep header": npy("(" * 60),
    "another format": b"\x93NUMPY\x09\x00" + bytes(100),
    "no array": b"hello",
}


@pytest.mark.parametrize("raw", CLAIMS.values(), ids=list(CLAIMS))
def test_claims_are_checked_before_memory_is_taken(raw: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="no file of plain arrays"):
            unpack_arrays(npz(raw))
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_files_that_unpack_to_too_much_are_refused() -> None:
    content = pack_arrays({"zeros": np.zeros(2**20, np.int8)})
    assert len(content) < 2**11
    with pytest.raises(ValueError, match=r"more than 65,536 bytes"):
        unpack_arrays(content, 2**16)
    for cut in (content[:-30], content[40:], b"", b"PK"):
        with pytest.raises(ValueError, match="damaged"):
            unpack_arrays(cut)
