"""PHYRE in the browser: the gallery, placing balls, attempts, solutions."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

from support.browser_parts import FAILING, SOLVING, TASK, Visitor
from topple.phyre import Simulator

# What the page thinks of balls in a task: their action, and whether they fit.
JUDGE = """async ([task, places]) => {
    const { faults, fromAction, toAction } = await import("./canvas/geometry.js");
    const { scene } = await (await fetch(`api/phyre/tasks/${task}`)).json();
    return places.map((place) => {
        const balls = place.map(([x, y, r]) => ({ x, y, r }));
        const action = toAction(balls);
        const back = JSON.stringify(fromAction(action)) === JSON.stringify(balls);
        return [action, back, faults(balls, scene.bodies).every((fault) => !fault)];
    });
}"""


def test_gallery_shows_all_templates(visitor: Visitor) -> None:
    visitor.go("#/phyre")
    tiles = visitor.page.locator(".tile")
    expect(tiles).to_have_count(50)
    visitor.press("Two balls")
    expect(tiles).to_have_count(25)
    visitor.press("All")
    visitor.page.get_by_role("searchbox").fill("funnel")
    expect(visitor.page.get_by_role("status").filter(has_text="template")).to_be_visible()
    assert 0 < tiles.count() < 10
    tiles.first.click()
    expect(tiles).to_have_count(100)
    assert _painted(visitor, ".tile canvas")
    tiles.first.click()
    expect(visitor.canvas).to_be_visible()


def test_known_solution_solves(visitor: Visitor) -> None:
    x, y, radius = SOLVING
    visitor.choose_science()
    visitor.go(f"#/phyre/{TASK}")
    simulate = visitor.page.get_by_role("button", name="Simulate")
    expect(simulate).to_be_disabled()
    visitor.click_phyre(x, y)
    visitor.type_ball(0, x, y, radius)
    expect(visitor.page.locator(".status.good")).to_have_text("The ball fits.")
    simulate.click()
    expect(visitor.verdict).to_have_text("Solved on attempt 1, in 7.1 s")
    standing = visitor.page.get_by_role("region", name="Your results")
    expect(standing.locator(".figures")).to_contain_text("100.0")
    expect(standing).to_contain_text("RAND")
    expect(standing).to_contain_text("DQN")
    visitor.go("#/phyre/template/00009")
    visitor.press("Solved")
    expect(visitor.page.locator(".tile")).to_have_count(1)


def test_attempts_that_fail_are_counted(visitor: Visitor) -> None:
    visitor.go(f"#/phyre/{TASK}")
    visitor.click_phyre(*FAILING[:2])
    for number in (1, 2):
        visitor.press("Simulate")
        expect(visitor.verdict).to_have_text("Not this time")
        expect(visitor.page.locator(".chip")).to_have_text(re.compile(rf"^{number} attempts?$"))
        visitor.press("Try again")
    visitor.go(f"#/phyre/{TASK}")  # nothing is lost
    expect(visitor.page.locator(".dots .miss")).to_have_count(2)
    visitor.press("Watch attempt 1, not solved")
    expect(visitor.verdict).to_have_text("Attempt 1: not solved")
    visitor.press("Start from attempt 2")
    expect(visitor.verdict).to_have_count(0)
    expect(visitor.page.locator("[name=x]")).to_have_value(str(FAILING[0]))


def test_balls_that_do_not_fit_are_refused_while_dragging(visitor: Visitor) -> None:
    visitor.go("#/phyre/00101:000")
    status = visitor.page.locator(".status")
    expect(status).to_have_text("Tap the scene to place two balls.")
    visitor.click_phyre(60, 220)
    expect(status).to_have_text("Now place the second ball.")
    visitor.click_phyre(100, 220)
    expect(status).to_have_text("Both balls fit.")
    mouse = visitor.page.mouse
    mouse.move(*visitor.spot(100, 220, 256, y_up=True))
    mouse.down()
    mouse.move(*visitor.spot(80, 220, 256, y_up=True))
    expect(status).to_have_text("Ball 1 overlaps the other ball.")
    mouse.move(*visitor.spot(4, 220, 256, y_up=True), steps=3)
    mouse.up()
    expect(status).to_contain_text("reaches outside the scene")
    expect(visitor.page.get_by_role("button", name="Simulate")).to_be_disabled()
    visitor.type_ball(1, 103, 90, 14)  # on the green ball
    expect(status).to_have_text("Ball 2 covers a body of the scene.")


def test_rule_while_dragging_is_that_of_the_engine(visitor: Visitor) -> None:
    visitor.go("#/study")
    for task in (TASK, "00006:003", "00012:004", "00101:000", "00122:006"):
        simulator = Simulator(task)
        shape = (800, simulator.tier.balls, 3)
        rng = np.random.default_rng(0)
        places = rng.integers([[0, 0, 2]], [[256, 256, 33]], size=shape)
        answer = visitor.page.evaluate(JUDGE, [task, places.tolist()])
        actions, back, fits = zip(*answer, strict=True)
        assert all(back)  # whole pixels survive the way to an action and back
        valid = simulator.valid(task, np.array(actions))
        assert 50 < valid.sum() < len(valid)
        np.testing.assert_array_equal(fits, valid)


def test_drag_of_the_rim_and_the_wheel_change_the_radius(visitor: Visitor) -> None:
    visitor.go(f"#/phyre/{TASK}")
    visitor.click_phyre(60, 200)
    radius = visitor.page.locator("[name=r]")
    expect(radius).to_have_value("14")
    corner = 15 * 0.7071  # the handle sits on the rim, up to the right
    mouse = visitor.page.mouse
    mouse.move(*visitor.spot(60 + corner, 200 + corner, 256, y_up=True))
    mouse.down()
    mouse.move(*visitor.spot(60 + 25 * 0.7071, 200 + 25 * 0.7071, 256, y_up=True), steps=4)
    mouse.up()
    expect(radius).to_have_value("24")
    mouse.wheel(0, 100)
    expect(radius).to_have_value("23")
    visitor.press("Undo")
    expect(radius).to_have_value("24")
    visitor.canvas.press("Control+z")
    expect(radius).to_have_value("14")
    visitor.press("Undo")
    expect(radius).to_have_count(0)


def test_keyboard_alone_solves(visitor: Visitor) -> None:
    x, y, radius = SOLVING
    visitor.go(f"#/phyre/{TASK}")
    keyboard = visitor.page.keyboard
    for _ in range(20):
        keyboard.press("Tab")
        if visitor.canvas.evaluate("canvas => canvas === document.activeElement"):
            break
    keyboard.press("ArrowUp")  # the first arrow brings the ball: 128, 205 and one up
    fields = visitor.page.locator(".ball-fields")
    start = [int(fields.locator(f"[name={name}]").input_value()) for name in "xyr"]
    for distance, more, less in (
        (x - start[0], "ArrowRight", "ArrowLeft"),
        (y - start[1], "ArrowUp", "ArrowDown"),
    ):
        key = more if distance > 0 else less
        for _ in range(abs(distance) // 8):
            keyboard.press(f"Shift+{key}")
        for _ in range(abs(distance) % 8):
            keyboard.press(key)
    for _ in range(radius - start[2]):
        keyboard.press("+")
    expect(fields.locator("[name=x]")).to_have_value(str(x))
    expect(fields.locator("[name=y]")).to_have_value(str(y))
    keyboard.press("Enter")
    expect(visitor.verdict).to_have_text("Solved on attempt 1, in 7.1 s")
    keyboard.press("Enter")
    expect(visitor.verdict).to_have_count(0)


def test_shown_solution_is_flagged(visitor: Visitor) -> None:
    visitor.go(f"#/phyre/{TASK}")
    expect(visitor.page.get_by_role("button", name="Show a solution")).to_be_hidden()
    visitor.press("Hint")
    visitor.press("Take it")
    expect(visitor.page.locator(".hints li")).to_have_count(1)
    expect(visitor.page.get_by_text("attempts no longer count")).to_be_visible()
    visitor.press("What matters")
    visitor.press("A closer hint")
    expect(visitor.page.locator(".hints li")).to_have_count(3)
    visitor.press("Show a solution")
    expect(visitor.verdict).to_contain_text("A solution (solved by two tries)")
    visitor.press("Try again")
    visitor.press("Simulate")
    expect(visitor.verdict).to_contain_text("Solved as practice")


def _painted(visitor: Visitor, selector: str) -> bool:
    """Whether a picture has more than one colour."""
    colours = visitor.page.locator(selector).first.evaluate(
        """canvas => new Set(new Uint32Array(
            canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer
        )).size"""
    )
    return bool(colours > 1)
