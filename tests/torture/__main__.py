"""An hour of fuzzing, damage, kills and hostile clients: `make test-torture`.

Every part has a process of its own, so that a crash or a hang of an engine is a finding like any
other. A round of a part depends on the seed and its number alone, except for kills by chance and
for what several clients of a server do at once. The exit status is 1 if there are findings, and
each one is printed with the command that repeats its round.

Examples:
  python -m torture --minutes 60 --seed 1

  python -m torture --part iphyre-games --first 12 --rounds 1
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from torture.rounds import Part

#: Each part: where it is, and its share of the time.
PARTS = {
    "phyre-scenes": ("torture.engines:phyre_scenes", 20),
    "phyre-tasks": ("torture.engines:phyre_tasks", 15),
    "iphyre-games": ("torture.engines:iphyre_games", 15),
    "iphyre-episodes": ("torture.engines:iphyre_episodes", 15),
    "damage": ("torture.damage:files", 15),
    "fault-points": ("torture.kills:fault_points", 6),
    "kills": ("torture.kills:by_chance", 8),
    "server-kills": ("torture.kills:servers", 6),
    "ray": ("torture.kills:ray_cluster", 6),
    "requests": ("torture.server:requests", 8),
    "hostile": ("torture.server:hostile", 8),
    "pages": ("torture.pages:injection", 8),
}
SILENCE = 900.0  # seconds after which a part that reports nothing counts as hung
REPORT = 5.0  # seconds between two reports of a part
MOST_FINDINGS = 10  # of one part, which then ends


def load_part(name: str) -> Part:
    """The part with a name, or one of your own as ``module:function``."""
    module, _, function = PARTS.get(name, (name, 1))[0].partition(":")
    part: Part = getattr(import_module(module), function)
    return part


def generator(seed: int, name: str, number: int) -> np.random.Generator:
    """What decides everything in a round."""
    return np.random.default_rng([seed, crc32(name.encode()), number])


def run_part(name: str, seed: int, first: int, rounds: int | None, seconds: float) -> int:
    """Run rounds of one part and report them as lines of JSON; returns the number of findings."""
    counts: Counter[str] = Counter()
    number, findings, told = first, 0, time.monotonic()

    def tell(**report: Any) -> None:
        print(json.dumps({"round": number, "counts": counts, **report}), flush=True)

    with (
        tempfile.TemporaryDirectory(prefix="torture-") as folder,
        load_part(name)(counts, Path(folder)) as once,
    ):
        end = time.monotonic() + seconds
        while time.monotonic() < end or number == first:
            if number - first == rounds or findings == MOST_FINDINGS:
                break
            if time.monotonic() - told > REPORT:
                told = time.monotonic()
                tell()
            try:
                once(generator(seed, name, number))
            except Exception:
                findings += 1
                tell(finding=traceback.format_exc(limit=-8))
            number += 1
        tell()
    return findings


@dataclass
class Torture:
    """A run of several parts beside each other."""

    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, text: str) -> None:
        """Print a line with the time since the beginning."""
        minutes, seconds = divmod(int(time.monotonic() - self.begun), 60)
        with self.lock:
            print(f"[{minutes:02d}:{seconds:02d}] {text}", flush=True)

    def find(self, name: str, number: int, text: str) -> None:
        """Note a finding and how to repeat it."""
        again = f"python -m torture --seed {self.seed} --part {name} --first {number} --rounds 1"
        with self.lock:
            self.findings.append(f"{name}, round {number}\n{text.rstrip()}\nrepeat: {again}")
        self.say(f"FINDING in {self.findings[-1]}")

    def run(self, name: str, seconds: float) -> None:
        """Run a part in a process of its own and follow its reports."""
        words = ["--part", name, "--seed", str(self.seed), "--seconds", str(seconds), "--json"]
        process = subprocess.Popen(
            [sys.executable, "-m", "torture", *words],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        last: dict[str, Any] = {"round": 0, "counts": {}}
        hung = threading.Event()

        def kill() -> None:
            hung.set()
            os.killpg(process.pid, signal.SIGKILL)

        self.say(f"{name}: begins, {seconds:.0f} seconds")
        told = time.monotonic()
        try:
            while True:
                watch = threading.Timer(SILENCE, kill)
                watch.start()
                line = process.stdout.readline()
                watch.cancel()
                if not line:
                    break
                last = json.loads(line)
                if "finding" in last:
                    self.find(name, last["round"], last["finding"])
                elif time.monotonic() - told > 6 * REPORT:
                    told = time.monotonic()
                    self.say(f"{name}: round {last['round']}, {_listed(last['counts'])}")
            status = process.wait()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        if hung.is_set():
            self.find(name, last["round"], f"it hung: no report for {SILENCE:.0f} seconds")
        elif status not in (0, 1):
            self.find(name, last["round"], f"it ended with status {status}")
        self.say(f"{name}: done, {last['round']} rounds, {_listed(last['counts'])}")
        with self.lock:
            self.counts.update(last["counts"])


def _listed(counts: dict[str, int]) -> str:
    return "; ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "nothing"


def main() -> int:
    """Run the parts and sum up; returns the exit status."""
    lines = (__doc__ or "").split("\n\n", 1)
    parser = argparse.ArgumentParser(
        prog="torture",
        description=lines[0],
        epilog=lines[1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="time for all parts together")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random number generators")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="parts at once")
    parser.add_argument(
        "--part", action="append", help=f"one of {', '.join(PARTS)}, or module:function; repeatable"
    )
    parser.add_argument("--first", type=int, default=0, help="number of a part's first round")
    parser.add_argument("--rounds", type=int, help="at most so many rounds of a part")
    parser.add_argument("--seconds", type=float, help="time for each part")
    parser.add_argument("--json", action="store_true", help="report one part as lines of JSON")
    chosen = parser.parse_args()
    names = chosen.part or list(PARTS)
    shares = {name: PARTS.get(name, (name, 1))[1] for name in names}
    if chosen.json or chosen.rounds is not None:
        seconds = chosen.seconds or 1e9
        found = [run_part(n, chosen.seed, chosen.first, chosen.rounds, seconds) for n in names]
        return int(any(found))
    torture = Torture(chosen.seed)
    torture.say(f"seed {chosen.seed}, {chosen.minutes:g} minutes, {chosen.jobs} parts at once")
    with ThreadPoolExecutor(chosen.jobs) as pool:
        whole = chosen.minutes * 60 * min(chosen.jobs, len(names)) / sum(shares.values())
        for name in sorted(shares, key=shares.__getitem__, reverse=True):
            pool.submit(torture.run, name, chosen.seconds or shares[name] * whole)
    width = max((len(f"{count:,}") for count in torture.counts.values()), default=0)
    for what, count in sorted(torture.counts.items()):
        print(f"{count:>{width},} {what}")
    print(f"{len(torture.findings)} findings (seed {chosen.seed})")
    for finding in torture.findings:
        print(f"\n{finding}")
    return int(bool(torture.findings))


if __name__ == "__main__":
    sys.exit(main())
