"""What a measurement was made on, and how a long one tells what it does."""

from __future__ import annotations

import platform
import time
from pathlib import Path


def processor() -> str:
    """The processor's name, as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def say(text: str) -> None:
    """Print a line with the time of day."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)
