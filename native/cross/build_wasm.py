"""Builds both engines as a WebAssembly module: `make wasm`.

    python native/cross/build_wasm.py --out build/wasm

The output is topple.wasm, the same bytes on every machine, the module compressed for hosts that
do not compress by themselves, and the SHA-256 of both. Two things are left out on purpose: threads,
which would need special headers of the host, and relaxed SIMD, which fuses multiplications and
additions and so changes bits.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
from pathlib import Path

from zig import compile_for

SOURCES = ("wasm/engine.cpp",)
OPTIONS = (
    *("-fno-exceptions", "-fno-rtti", "-mbulk-memory"),
    *("-Wl,--no-entry", "-Wl,--strip-all", "-Wl,--export=__heap_base"),
    "-Wl,-z,stack-size=1048576",
)


def build(folder: Path) -> dict[str, str]:
    """Write the module into a folder; returns the SHA-256 of its files by name."""
    module = folder / "topple.wasm"
    compile_for("wasm32-freestanding", SOURCES, module, OPTIONS)
    packed = folder / "topple.wasm.gz"
    packed.write_bytes(gzip.compress(module.read_bytes(), 9, mtime=0))
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (module, packed)}
    lines = [f"{digest}  {name}\n" for name, digest in hashes.items()]
    (folder / "SHA256SUMS").write_text("".join(lines))
    return hashes


def main() -> None:
    """Build the module and print its size and hash."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/wasm"), help="folder to write to")
    folder: Path = parser.parse_args().out
    for name, digest in build(folder).items():
        print(f"{folder / name}: {(folder / name).stat().st_size:,} bytes, SHA-256 {digest}")


if __name__ == "__main__":
    main()
