"""A GPU through CuPy: the engine's kernels, compiled at first use, and arrays on the device.

The sources are the headers the CPU engine is built from. NVRTC compiles them without a CUDA
toolkit; the result is kept on disk under a hash of everything that went into it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from topple import paths
from topple.files import write_whole

#: What a world on the device can hold. Every published task fits with balls to spare;
#: attempts that do not are left to the CPU. Smaller worlds mean more of them in the caches.
LIMITS = {"BODIES": 68, "FIXTURES": 72, "CONTACTS": 48}

#: Every operation rounds on its own, as IEEE 754 says and as the CPU does it.
OPTIONS = (
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    *(f"-DTOPPLE_MAX_{name}={limit}" for name, limit in LIMITS.items()),
)

IMAGINED = "-DTOPPLE_IMAGINED"  # compiles kernels for physics that come with the scenes

_BLOCK = 64  # lanes
_BLOCKS_PER_PROCESSOR = 2  # more worlds than this push each other out of the first cache
_INSTALL = "pip install 'topple[cuda]'"


class CudaError(RuntimeError):
    """No GPU can be used; the message says what to do."""


@cache
def cuda_device(*, imagined: bool = False) -> CudaDevice:
    """The current GPU, with the engine loaded onto it, or the one for imagined physics.

    Raises:
        CudaError: CuPy is missing, or there is no GPU, or the engine does not compile.
    """
    return CudaDevice(imagined=imagined)


class CudaDevice:
    """The engine's kernels on a GPU.

    Args:
        imagined: whether scenes have physics of their own, as somebody imagines them.

    Attributes:
        xp: the array module of the device.
        name: of the GPU.
        lanes: threads that simulate at a time.
    """

    def __init__(self, *, imagined: bool = False) -> None:
        try:
            import cupy
        except ImportError:
            raise CudaError(f"backend 'cuda' needs CuPy: {_INSTALL}") from None
        try:
            cupy.cuda.runtime.getDeviceCount()
            properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise CudaError(
                f"backend 'cuda' needs an NVIDIA GPU, and none was found ({error}); "
                "use backend 'cpu', or 'auto' to take a GPU only where there is one"
            ) from None
        self.xp: Any = cupy
        self.name: str = properties["name"].decode()
        self.lanes: int = properties["multiProcessorCount"] * _BLOCKS_PER_PROCESSOR * _BLOCK
        architecture = f"sm_{properties['major']}{properties['minor']}"
        options = (*OPTIONS, IMAGINED) if imagined else OPTIONS
        self._module = cupy.RawModule(path=str(compiled_engine(architecture, options)))

    def queue(self) -> Any:
        """A new queue: what is asked for inside it runs beside what other queues hold."""
        return self.xp.cuda.Stream(non_blocking=True)

    def launch(self, kernel: str, *arguments: Any) -> None:
        """Start a kernel on all lanes."""
        numbers = [np.int64(a) if isinstance(a, int) else a for a in arguments]
        self._module.get_function(kernel)((self.lanes // _BLOCK,), (_BLOCK,), tuple(numbers))

    def pointer(self, array: Any) -> int:
        """The address of an array on the device."""
        return int(array.data.ptr)

    def download(self, array: Any) -> Any:
        """The array as a NumPy array."""
        return self.xp.asnumpy(array)


class DeviceSources(NamedTuple):
    """What a device compiler is given."""

    kernels: str
    headers: dict[str, str]  # by the names they are included under


def source_folder() -> Path:
    """The folder of the engine's sources, which are installed beside the compiled extension."""
    found = find_spec("topple._native")
    if found is None or found.origin is None:
        raise CudaError("the compiled extension of Topple is not installed")
    return Path(found.origin).parent / "native"


def device_sources() -> DeviceSources:
    """The kernels, and the headers they include."""
    folder = source_folder()
    include = folder / "include"
    headers = [
        path for part in ("common", "phyre") for path in (include / "topple" / part).glob("*.h")
    ]
    return DeviceSources(
        (folder / "cuda" / "attempts.cu").read_text(),
        {path.relative_to(include).as_posix(): path.read_text() for path in sorted(headers)},
    )


def compiled_engine(architecture: str, options: Sequence[str] = OPTIONS) -> Path:
    """The engine's kernels for a GPU architecture, compiled unless that was done before.

    Raises:
        CudaError: it does not compile.
    """
    from cupy.cuda import nvrtc

    sources = device_sources()
    digest = hashlib.blake2b(digest_size=16)
    for part in (architecture, *options, repr(nvrtc.getVersion()), *sources.headers):
        digest.update(part.encode() + b"\0")
    for text in (sources.kernels, *sources.headers.values()):
        digest.update(text.encode() + b"\0")
    path = paths.cache_folder() / "cuda" / f"{architecture}-{digest.hexdigest()}.cubin"
    if not path.exists():
        program = nvrtc.createProgram(
            sources.kernels,
            "attempts.cu",
            [text.encode() for text in sources.headers.values()],
            [name.encode() for name in sources.headers],
        )
        try:
            nvrtc.compileProgram(program, [f"--gpu-architecture={architecture}", *options])
            binary = nvrtc.getCUBIN(program)
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program).strip().splitlines()
            raise CudaError(
                f"the engine does not compile for {architecture}: {log[0] if log else error}"
            ) from None
        finally:
            nvrtc.destroyProgram(program)
        # Whole, because another process may be compiling the same.
        write_whole(path, binary)
    return path
