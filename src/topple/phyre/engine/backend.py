"""Where batches are simulated: on the cores of the CPU or on a GPU, with the same bits."""

from __future__ import annotations

from typing import Literal, get_args

from topple.phyre.engine.cuda_device import CudaDevice, CudaError, cuda_device

Backend = Literal["cpu", "cuda", "auto"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)

WORTH_A_GPU = 20_000  # attempts; below, a few cores are done before a GPU is filled


def check_backend(name: str) -> Backend:
    """A backend by its name.

    Raises:
        ValueError: there is none of that name.
    """
    for backend in BACKENDS:
        if name == backend:
            return backend
    raise ValueError(f"backend is {name!r}; it is one of {', '.join(BACKENDS)}")


def device_for(backend: Backend, attempts: int, *, imagined: bool = False) -> CudaDevice | None:
    """The GPU to simulate a batch on, with PHYRE's physics or imagined ones; None for the CPU.

    Raises:
        CudaError: a GPU was asked for and cannot be used; the message says why.
    """
    if check_backend(backend) == "cpu" or (backend == "auto" and attempts < WORTH_A_GPU):
        return None
    try:
        return cuda_device(imagined=True) if imagined else cuda_device()
    except CudaError:
        if backend == "cuda":
            raise
        return None
