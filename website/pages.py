"""Helpers for pages and pictures that are generated from the package."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from topple.media.files import Frame, save_frames

FPS = 10
HOLD = 2.0  # seconds on the last frame of a film
STILL = 320  # px
FILM = 200  # px
# Where the player is: in the site that these pages are a part of, as seen from the page of a
# puzzle, or at the default address of `topple play`.
IN_SITE = bool(os.environ.get("TOPPLE_SITE"))
PLAYER = "../../../index.html" if IN_SITE else "http://127.0.0.1:8765/"


class Page(NamedTuple):
    """A page of the site."""

    uri: str  # its path, as if it were in docs/
    text: str  # Markdown


class Pictures:
    """Pictures that are drawn once and cached in a folder for later builds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, Path] = {}  # by their addresses in the site

    def add(self, uri: str, key: object, draw: Callable[[], Sequence[Frame]]) -> str:
        """Add a picture to the site; ``key`` is everything that it depends on."""
        digest = hashlib.blake2b(repr((key, FPS, HOLD)).encode(), digest_size=12).hexdigest()
        file = self.folder / f"{digest}{Path(uri).suffix}"
        if not file.exists():
            save_frames(draw(), file, FPS, HOLD)
        self.files[uri] = file
        return uri


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def figures(shown: Iterable[tuple[str, str]]) -> str:
    """Pictures beside each other, each with a caption: (address, caption)."""
    cells = [
        f"<figure markdown=1>\n![{caption}]({address})\n<figcaption>{caption}</figcaption></figure>"
        for address, caption in shown
    ]
    return "\n".join(['<div class="figures" markdown=1>', *cells, "</div>"])


def gallery(cards: Iterable[tuple[str, str, str]]) -> str:
    """Thumbnails that link to pages: (page, picture, caption)."""
    cells = [
        f"[![]({picture}){{ loading=lazy }} {caption}]({page})" for page, picture, caption in cards
    ]
    return "\n".join(['<div class="gallery" markdown=1>', *cells, "</div>"])


def playable(benchmark: str, subject: str) -> str:
    """The puzzle itself, if these pages are a part of the site, or a link to it."""
    link = f"{PLAYER}#/{benchmark}/{subject}"
    if not IN_SITE:
        return f"While `topple play` is running, you can [play it]({link})."
    return (
        '<details class="play-here"><summary>Play it here</summary>'
        f'<iframe loading="lazy" title="Play {subject}" src="{link}"></iframe></details>'
    )


def enumeration(words: Sequence[str]) -> str:
    """Words joined by commas and "and"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def per_cent(share: float) -> str:
    """A share in per cent, with two significant digits."""
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"
