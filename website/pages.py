"""Pages and pictures that are made, not written: what every maker uses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from topple.media.files import Frame, save_frames

FPS = 10
HOLD = 2.0  # seconds on the last frame of a film
STILL = 320  # px
FILM = 200  # px
PLAYER = "http://127.0.0.1:8765/"  # where `topple play` serves by default


class Page(NamedTuple):
    """A page of the site."""

    uri: str  # as if it lay in docs/
    text: str  # Markdown


class Pictures:
    """Pictures, drawn once: later builds find them in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, Path] = {}  # by where they stand in the site

    def add(self, uri: str, key: object, draw: Callable[[], Sequence[Frame]]) -> str:
        """Put a picture into the site; ``key`` is all that it depends on."""
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
    """Thumbnails that lead to pages: (page, picture, caption)."""
    cells = [
        f"[![]({picture}){{ loading=lazy }} {caption}]({page})" for page, picture, caption in cards
    ]
    return "\n".join(['<div class="gallery" markdown=1>', *cells, "</div>"])


def enumeration(words: Sequence[str]) -> str:
    """Words with commas and an "and"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def per_cent(share: float) -> str:
    """A share for people, with two digits that count."""
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"
