"""The site builds without a warning, and everything in it leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from nav import site_nav

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SLOW = 30_000  # ms a busy machine may take to search

# What a page needs to be shown, as opposed to where one can go from it.
LOADED = {
    "audio": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "script": "src",
    "source": "src",
    "video": "src",
}


class Html(HTMLParser):
    """The anchors of a page and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors = {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif LOADED.get(tag) == name:
                self.loaded.append(value)


def build(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Html]:
    return {path: Html(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_link_and_anchor_leads_somewhere(pages: dict[Path, Html]) -> None:
    checked, broken = 0, []
    for path, page in pages.items():
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (
                path
                if not parts.path
                else Path(os.path.normpath(path.parent / unquote(parts.path)))
            )
            if path.name == "404.html" and parts.path.startswith("/"):
                target = path.parent / parts.path[1:]
            if target.is_dir():
                target /= "index.html"
            checked += 1
            if not target.is_file():
                broken.append(f"{path.name}: {link}")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{path.name}: {link}, no such anchor")
    assert not broken
    assert checked > 5_000


def test_no_page_loads_anything_from_another_host(site: Path, pages: dict[Path, Html]) -> None:
    for path, page in pages.items():
        for address in page.loaded:
            parts = urlsplit(address)
            assert not parts.netloc, f"{path.name} loads {address}"
            assert parts.scheme in ("", "data"), f"{path.name} loads {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", sheet.read_text("utf-8"))


def listed(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list):
        for entry in nav:
            yield from listed(entry)
    elif isinstance(nav, dict):
        for entry in nav.values():
            yield from listed(entry)


def test_every_file_of_docs_is_in_the_nav(site: Path) -> None:
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    indexes = ("environments", "puzzles/templates", "puzzles/games", "reference")
    made = {f"{folder}/index.md" for folder in indexes}
    in_nav = set(listed(site_nav(DOCS, [], [], [])))
    assert written - made == in_nav
    for name in written:
        assert (site / name).with_suffix(".html").is_file()


def test_every_puzzle_has_a_page_with_its_pictures(pages: dict[Path, Html], site: Path) -> None:
    folders = {"templates": 50, "games": 50}
    for folder, count in folders.items():
        index = pages[site / "puzzles" / folder / "index.html"]
        own = [link for link in index.links if re.fullmatch(r"\w+\.html", link)]
        own = [link for link in own if link != "index.html"]
        assert len(set(own)) == count
        for link in own:
            page = pages[site / "puzzles" / folder / link]
            shown = {address for address in page.loaded if "/" not in address}
            stem = link.removesuffix(".html")
            assert {f"{stem}.png", f"{stem}.gif"} <= shown


def test_links_in_docs_work_on_github() -> None:
    for path in DOCS.rglob("*.md"):
        text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if not urlsplit(link).scheme and not link.startswith("#"):
                assert (path.parent / link.partition("#")[0]).exists(), f"{path.name}: {link}"


def test_search_works_in_the_folder_and_asks_no_other_host(site: Path, browser: Browser) -> None:
    asked: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.locator(".md-search__input").click()
    ready = page.locator(".md-search-result__meta")
    expect(ready).to_have_text("Type to start searching", timeout=SLOW)
    field, found = page.locator(".md-search__input"), page.locator(".md-search-result__item")
    for words, title in (
        ("AUCCESS", "AUCCESS"),
        ("vectorized environment", "Environments"),
        ("gym", "Gymnasium"),
        ("install", "Install"),
    ):
        field.fill("")
        field.press_sequentially(words)
        expect(found.filter(has_text=title).first).to_be_visible(timeout=SLOW)
    page.close()
    assert asked
    assert all(urlsplit(url).scheme in ("file", "data", "about") for url in asked)
