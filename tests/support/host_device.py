"""The kernels of the GPU, compiled for the host: one lane that makes all attempts."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topple.phyre.engine.cuda_device import IMAGINED, LIMITS

NATIVE = Path(__file__).resolve().parents[2] / "native"
FLAGS = ("-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared")


class HostQueue(nullcontext[None]):
    """Nothing waits in it: a kernel has run when it was launched."""

    done = True


class HostDevice:
    """A device whose memory is this process's."""

    xp: Any = np
    lanes = 1

    def __init__(
        self, folder: Path, limits: dict[str, int] = LIMITS, *, imagined: bool = False
    ) -> None:
        if sys.platform == "win32":
            pytest.skip("the kernels are compiled with the options of GCC and Clang on Unix")
        library = folder / ("imagined.so" if imagined else "kernels.so")
        subprocess.run(
            [
                os.environ.get("CXX", "c++"),
                *FLAGS,
                *(f"-DTOPPLE_MAX_{name}={limit}" for name, limit in limits.items()),
                *([IMAGINED] if imagined else []),
                f"-I{NATIVE / 'include'}",
                "-include",
                str(NATIVE / "tests" / "device_on_host.h"),
                "-x",
                "c++",
                str(NATIVE / "cuda" / "attempts.cu"),
                "-o",
                str(library),
            ],
            check=True,
        )
        self._library = ctypes.CDLL(str(library))

    def queue(self) -> HostQueue:
        return HostQueue()

    def launch(self, kernel: str, *arguments: Any) -> None:
        words = [
            ctypes.c_int64(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data)
            for a in arguments
        ]
        getattr(self._library, kernel)(*words)

    def pointer(self, array: Any) -> int:
        return int(array.ctypes.data)

    def download(self, array: Any) -> Any:
        return array
