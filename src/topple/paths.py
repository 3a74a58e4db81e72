"""Where Topple keeps files; the only module that reads environment variables.

=================  ==========================================  =============================
variable           what it moves                               without it
=================  ==========================================  =============================
``TOPPLE_CACHE``   what can be computed again, such as         ``topple`` in the system's
                   outcomes of the fixed action list           cache folder of the user
``TOPPLE_DATA``    what people made in the player: attempts,   ``topple`` in the system's
                   studies and puzzles                         data folder of the user
``TOPPLE_RUNS``    run records                                 ``runs`` in the folder one
                                                               is in
=================  ==========================================  =============================

Keys of model endpoints are read here, too, from the variable a user names; see :func:`secret`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder(variable: str = "TOPPLE_CACHE", name: str = "topple") -> Path:
    """The folder for what can be computed again; it may not exist yet.

    Args:
        variable: the environment variable that moves it.
        name: its name in the system's cache folder.
    """
    chosen = os.environ.get(variable)
    return Path(chosen).expanduser() if chosen else _system_cache() / name


def data_folder() -> Path:
    """The folder for what people made and cannot be computed again; it may not exist yet."""
    chosen = os.environ.get("TOPPLE_DATA")
    return Path(chosen).expanduser() if chosen else _system_data() / "topple"


def runs_folder() -> Path:
    """The folder for run records; it may not exist yet."""
    return Path(os.environ.get("TOPPLE_RUNS") or "runs").expanduser()


def secret(variable: str) -> str:
    """The value of a variable that holds a key, without blanks around it; "" if it is not set."""
    return os.environ.get(variable, "").strip()


def _system_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME")
    return Path(chosen) if chosen else Path.home() / ".cache"


def _system_data() -> Path:
    if sys.platform == "win32":
        return _system_cache()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    chosen = os.environ.get("XDG_DATA_HOME")
    return Path(chosen) if chosen else Path.home() / ".local" / "share"
