"""Making puzzles in the browser, then playing them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from support.browser_parts import Visitor
from topple.iphyre.game_file import load_games
from topple.phyre.scene.codec import scene_from_json

TRIANGLE = [[30, 0], [0, 20], [0, 0]]  # px, counter-clockwise


def test_phyre_puzzle_is_made_saved_and_played(visitor: Visitor, tmp_path: Path) -> None:
    visitor.go("#/make/phyre")
    page = visitor.page
    verdict = page.locator(".check")
    expect(verdict).to_have_class("check good")
    page.get_by_label("Name of the puzzle").fill("Over the jar")
    bodies = page.get_by_role("region", name="Bodies").get_by_role("button")
    before = bodies.count()
    visitor.press("Add jar")
    expect(bodies).to_have_count(before + 1)
    chosen = page.get_by_role("region", name="Selected body")
    _fill(visitor, {"x": 60, "y": 40, "Height": 64, "Angle": 15})
    chosen.get_by_role("button", name="Movable").click()
    expect(chosen.get_by_role("heading")).to_contain_text("gray jar")
    x, y = visitor.spot(60, 40, 256, y_up=True)  # on its floor
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*visitor.spot(100, 60, 256, y_up=True), steps=4)
    page.mouse.up()
    expect(chosen.get_by_label("x", exact=True)).to_have_value("100")
    visitor.press("Undo")
    visitor.press("Redo")
    visitor.press("Save")
    expect(page.locator(".toast")).to_have_text("Saved.")

    with page.expect_download() as saved:
        visitor.press("Download")
    scene = scene_from_json(saved.value.path().read_text())
    assert scene.name == "Over the jar"
    assert scene.bodies[-1].position == (100.0, 60.0)
    assert scene.bodies[-1].kind.name == "JAR"

    page.reload()  # the address is that of the saved puzzle now
    expect(bodies).to_have_count(before + 1)
    visitor.press("Solvable?")
    expect(verdict).to_have_class("check good", timeout=20_000)
    visitor.press("Test")
    expect(page.get_by_role("button", name="Simulate")).to_be_visible()
    expect(page.locator(".play .goal")).to_contain_text("is touching the purple bar.")
    visitor.click_phyre(30, 220)
    visitor.press("Simulate")
    expect(visitor.verdict).to_be_visible()
    visitor.press("Back to editing")
    expect(bodies).to_have_count(before + 1)
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    visitor.press("Add ball")
    visitor.press("Test")
    visitor.press("Back to editing")
    visitor.press("Undo")  # the history outlives a test
    expect(bodies).to_have_count(before + 1)
    told = page.get_by_text(re.compile("^Solvable and .* random tries solves it"))
    expect(told).to_be_visible(timeout=20_000)
    visitor.go("#/make")
    expect(page.get_by_role("heading", name="Over the jar")).to_be_visible()


def test_goal_is_marked_and_faults_are_named(visitor: Visitor) -> None:
    visitor.go("#/make/phyre")
    page = visitor.page
    verdict = page.locator(".check")
    expect(verdict).to_have_class("check good")
    visitor.press("Add box")
    page.get_by_role("region", name="Selected body").get_by_role("button", name="Second").click()
    expect(page.get_by_role("heading", name="purple box")).to_be_visible()
    expect(page.locator(".goal")).to_have_text(
        "Make sure the green ball is touching the purple box."
    )
    expect(verdict).to_have_class("check good")
    page.get_by_role("region", name="Selected body").get_by_role("button", name="No").click()
    expect(verdict).to_have_class("check bad")  # a goal needs two bodies
    expect(verdict).not_to_be_empty()


def test_game_is_made_by_keys_and_played(visitor: Visitor, tmp_path: Path) -> None:
    visitor.go("#/make/iphyre")
    page = visitor.page
    page.get_by_label("Name of the puzzle").fill("Two shelves")
    strokes = page.locator(".tools [class^=stroke]")
    assert "none" not in strokes.evaluate_all("all => all.map(one => getComputedStyle(one).stroke)")
    visitor.press("Add gray")
    visitor.canvas.focus()
    start = _field(visitor, "y1")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    assert _field(visitor, "y1") == start + 24
    page.keyboard.press("q")
    assert _field(visitor, "y1") != _field(visitor, "y2")
    visitor.press("Add stick")
    visitor.click_game(300, 300)  # the ball of the blank game
    page.keyboard.press("Escape")
    with page.expect_download() as saved:
        visitor.press("Download")
    path = tmp_path / "game.json"
    path.write_text(saved.value.path().read_text())
    [game] = load_games(path)
    assert game.name == "two_shelves"
    assert len(game.eliminable) == len(json.loads(path.read_text())["blocks"]) == 2
    visitor.press("Test")
    expect(page.get_by_role("heading", name="Two shelves")).to_be_visible()
    visitor.press("Start")
    expect(page.get_by_text("Attempt 1 of 5")).to_be_visible()


def test_draft_outlives_a_reload_and_files_are_opened(visitor: Visitor, tmp_path: Path) -> None:
    visitor.go("#/make/phyre")
    page = visitor.page
    bodies = page.get_by_role("region", name="Bodies").get_by_role("button")
    before = bodies.count()
    visitor.press("Add ball")
    expect(bodies).to_have_count(before + 1)
    page.reload()
    expect(bodies).to_have_count(before + 1)
    path = tmp_path / "other.json"
    ball = {"dynamic": True, "position": [90, 90], "kind": "ball", "shapes": [{"circle": 9.5}]}
    triangle = {"dynamic": False, "position": [60, 60], "shapes": [{"polygon": TRIANGLE}]}
    path.write_text(json.dumps({"name": "Opened", "bodies": [ball, triangle]}))
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_label("Name of the puzzle")).to_have_value("Opened")
    expect(bodies).to_have_count(2)
    bodies.last.click()
    page.keyboard.press("+")
    assert _field(visitor, "Size") == 31
    path.write_text('{"bodies": 7}')
    page.locator("input[type=file]").set_input_files(path)
    expect(page.locator(".toast.error")).to_have_text("other.json does not hold a scene in JSON.")
    expect(bodies).to_have_count(2)


def _fill(visitor: Visitor, values: dict[str, float]) -> None:
    for label, value in values.items():
        field = visitor.page.get_by_role("region", name="Selected body").get_by_label(
            label, exact=True
        )
        field.fill(str(value))
        field.press("Enter")


def _field(visitor: Visitor, label: str) -> float:
    region = visitor.page.get_by_role("region", name="Selected body")
    return float(region.get_by_label(label, exact=True).input_value())
