"""Files that are written whole or not at all, also when several processes write."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that takes its place if all goes well.

    The content is on the disk before the name is, so that a power cut leaves the old file or
    the new one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o644)
        _sync(name, os.O_RDWR)
        os.replace(name, path)
        if sys.platform != "win32":  # which opens no folders
            _sync(path.parent, os.O_RDONLY)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole; a text is encoded in UTF-8."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def lock(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Keep other processes and threads that ask for the same lock waiting.

    The system gives the lock back when its holder ends, however that happens.

    Args:
        path: an empty file, made here; it stays, so that all lock the same one.
        wait: whether to wait until the lock is free.

    Raises:
        BlockingIOError: the lock is taken, and ``wait`` is False.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if wait:
            _wait_for(handle)
        else:
            _try(handle)
        yield
    finally:
        os.close(handle)


def _wait_for(handle: int) -> None:
    if sys.platform == "win32":
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
                return
            except OSError as error:  # it gives up after ten seconds
                if error.errno != errno.EDEADLK:
                    raise
    else:
        fcntl.flock(handle, fcntl.LOCK_EX)


def _try(handle: int) -> None:
    if sys.platform == "win32":
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, "the lock is taken") from error
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync(path: Path | str, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
