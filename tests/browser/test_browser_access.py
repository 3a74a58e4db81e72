"""Accessibility: axe finds no violation on any page, in both views and both themes."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from support.browser_parts import FAILING, TASK, MakeVisitor, Visitor

sync_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")

PLACES = {  # hash: what to see there
    "#/": ".tile, .hero",
    "#/glossary": ".glossary",
    "#/phyre": ".tile",
    "#/phyre/template/00001": ".grid.dense .tile",
    f"#/phyre/{TASK}": ".goal",
    "#/iphyre": ".tile",
    "#/iphyre/fill": ".hud",
    "#/replay/phyre/00009:119?action=0.7334,0.6375,0.6453": ".playback",
    "#/replay/iphyre/support?plan=30:0": ".playback",
    "#/watch": "h1",
    "#/make": "h1",
    "#/make/phyre": ".tools",
    "#/make/iphyre": ".tools",
    "#/study": "h1",
    "#/nowhere": "h1",
}


# Those that look different in the scientific view.
DIFFERENT = {"#/", "#/phyre/template/00001", f"#/phyre/{TASK}", "#/iphyre/fill", "#/make/phyre"}


@pytest.fixture(scope="module")
def axe() -> Any:
    """The checker."""
    return sync_playwright.Axe()


def _check(axe: Any, visitor: Visitor, place: str) -> None:
    visitor.page.wait_for_timeout(50)
    found = axe.run(visitor.page)
    assert found.violations_count == 0, f"{place}: {found.generate_report()}"


@pytest.mark.parametrize(("view", "scheme"), [("game", "light"), ("science", "dark")])
def test_no_page_has_a_violation(
    make_visitor: MakeVisitor, axe: Any, view: str, scheme: str
) -> None:
    visitor = make_visitor(color_scheme=scheme)
    if view == "science":
        visitor.choose_science()
    visitor.go()
    for place, mark in PLACES.items():
        if view == "science" and place not in DIFFERENT:
            continue
        visitor.page.evaluate("place => (location.hash = place)", place)
        expect(visitor.page.locator(mark).first).to_be_visible()
        _check(axe, visitor, place)
    visitor.page.evaluate("place => (location.hash = place)", f"#/phyre/{TASK}")
    expect(visitor.page.get_by_role("button", name="Simulate")).to_be_visible()
    visitor.click_phyre(*FAILING[:2])
    visitor.press("Simulate")
    expect(visitor.verdict).to_be_visible()
    _check(axe, visitor, "an attempt that failed")
    visitor.press("Settings")
    _check(axe, visitor, "the settings")
