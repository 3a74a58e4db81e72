"""The player as a folder for any static host: the page, the engines in WebAssembly, and the data.

Nothing in it names where it lies, so it works under any path.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import rcssmin
import rjsmin
from PIL import Image, ImageDraw

from topple.files import write_whole
from topple.player.app import STATIC
from topple.player.embed import ELEMENT, write_element
from topple.player.settings import MODULE
from topple.player.site_data import Content, write_site_data

_FILES = "site_files.js"  # all of them in one script
_SITE = "site"  # files of the page that only a static site has
_HEAD = """\
    <link rel="manifest" href="manifest.webmanifest" />
    <link rel="apple-touch-icon" href="icon-192.png" />
    <meta name="theme-color" content="#14181d" />
    <script type="module" src="offline.js"></script>
    <script src="from_file.js"></script>
"""
_MODULES = (".js", ".json")  # what the page loads as texts
_SCRIPTS = {"service_worker.js", "offline.js", "from_file.js", "theme.js", ELEMENT}  # not these


def write_site(folder: Path, module: Path, content: Content) -> None:
    """Write a static site.

    Args:
        folder: where it goes; what is there is replaced.
        module: the compressed WebAssembly module that `make wasm` builds.
        content: what it offers.

    Raises:
        FileNotFoundError: the module has not been built.
    """
    if not module.is_file():
        raise FileNotFoundError(f"{module} does not exist; build it with `make wasm`")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(STATIC, folder, ignore=shutil.ignore_patterns(_SITE, "__pycache__"))
    for file in (STATIC / _SITE).iterdir():
        shutil.copyfile(file, folder / file.name)
    data = folder / "data"
    write_site_data(data, content)
    shutil.copyfile(module, data / MODULE)
    write_element(folder, module)
    for size in (192, 512):
        _icon(size).save(folder / f"icon-{size}.png")
    index = folder / "index.html"
    index.write_text(_index(index.read_text("utf-8")), "utf-8")
    _write_files(folder)
    _shrink(folder)
    _write_service_worker(folder)


def _index(page: str) -> str:
    """The page of the server as that of the site: the other back end, and what browsers install."""
    page = page.replace('<html lang="en">', '<html lang="en" data-backend="local">')
    page = page.replace('href="server_api.js"', 'href="local/local_api.js"')
    return page.replace("  </head>\n", f"{_HEAD}  </head>\n")


def _icon(size: int) -> Image.Image:
    """The icon of icon.svg in pixels, for systems that take no SVG."""
    scale = size * 4 // 64  # drawn larger than it is, for smooth edges
    image = Image.new("RGB", (64 * scale, 64 * scale), "#14181d")
    draw = ImageDraw.Draw(image)

    def capsule(x: float, y: float, length: float, width: float, turn: float, fill: str) -> None:
        half = (length - width) / 2
        dx, dy = half * math.cos(math.radians(turn)), half * math.sin(math.radians(turn))
        ends = [(scale * (x - dx), scale * (y - dy)), (scale * (x + dx), scale * (y + dy))]
        draw.line(ends, fill, round(width * scale))
        for ex, ey in ends:
            draw.circle((ex, ey), width * scale / 2, fill)

    capsule(32, 51, 46, 6, 0, "#f5f7f9")
    capsule(36, 34, 34, 7, -58, "#6bcebb")
    draw.circle((19 * scale, 22 * scale), 9 * scale, "#f34f46")
    draw.circle((51 * scale, 41 * scale), 5 * scale, "#1877f2")
    return image.resize((size, size), Image.Resampling.LANCZOS)


def _shrink(folder: Path) -> None:
    """Take comments and white space out of texts, since not every host compresses them."""
    ways: dict[str, Callable[[str], str]] = {
        ".js": rjsmin.jsmin,
        ".css": rcssmin.cssmin,
        ".json": lambda text: json.dumps(json.loads(text), separators=(",", ":")),
    }
    for path in folder.rglob("*"):
        if path.suffix in ways and path.name != _FILES:
            path.write_text(ways[path.suffix](path.read_text("utf-8")), "utf-8")


def _write_files(folder: Path) -> None:
    """Write all modules and data into one script, for a page that is opened as a file."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix in _MODULES and name not in _SCRIPTS:
            files[name] = path.read_text("utf-8")
        elif path.suffix == ".gz":
            files[name] = base64.b64encode(path.read_bytes()).decode("ascii")
    write_whole(folder / _FILES, f"globalThis.toppleFiles = {json.dumps(files)};\n")


def _write_service_worker(folder: Path) -> None:
    """Tell the service worker which files to keep, and name them all by one hash."""
    worker = folder / "service_worker.js"
    digest = hashlib.sha256()
    files = ["./"]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != worker:
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name}\0".encode() + path.read_bytes())
            if name not in ("index.html", ELEMENT, _FILES):
                files.append(name)
    digest.update(worker.read_bytes())
    lines = [
        f"const VERSION = {json.dumps(digest.hexdigest()[:16])};\n",
        f"const FILES = {json.dumps(files, indent=1)};\n",
    ]
    text = "".join(lines) + worker.read_text("utf-8")
    write_whole(worker, text)
