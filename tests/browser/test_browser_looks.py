"""Phones, themes, palettes, playback and replays in the browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from support.browser_parts import FAILING, SOLVING, TASK, MakeVisitor, Visitor

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PLACES = {  # hash: what to see there
    "#/": ".hero",
    "#/phyre/template/00001": ".grid.dense .tile",
    f"#/phyre/{TASK}": ".goal",
    "#/iphyre": "h1:text('I-PHYRE')",
    "#/iphyre/fill": ".hud",
    "#/watch": "h1:text('Watch agents')",
    "#/make": "h1:text('Make puzzles')",
    "#/make/phyre": "h1:text('PHYRE puzzle')",
    "#/make/iphyre": "h1:text('I-PHYRE game')",
    "#/study": "h1:text('Studies')",
}

# The share of pixels in which a scene drawn by the page differs from the server's picture.
COMPARE = """async ([path, size, yUp]) => {
    const { paintScene } = await import("./canvas/phyre_scene.js");
    const { paintGame } = await import("./canvas/iphyre_scene.js");
    const subject = await (await fetch(`api/${path}`)).json();
    const picture = await (await fetch(`api/${path}/thumbnail.png?size=256`)).blob();
    const read = (draw) => {
        const ctx = new OffscreenCanvas(256, 256).getContext("2d");
        draw(ctx);
        return ctx.getImageData(0, 0, 256, 256).data;
    };
    const bitmap = await createImageBitmap(picture);
    const theirs = read((ctx) => ctx.drawImage(bitmap, 0, 0));
    const ours = read((ctx) => {
        const k = 256 / size;
        ctx.setTransform(k, 0, 0, yUp ? -k : k, 0, yUp ? 256 : 0);
        if (yUp) paintScene(ctx, subject.scene.bodies);
        else paintGame(ctx, subject);
    });
    let wrong = 0;
    for (let i = 0; i < ours.length; i += 4) {
        const distance = [0, 1, 2].map((c) => Math.abs(ours[i + c] - theirs[i + c]));
        if (Math.max(...distance) > 96) wrong += 1;
    }
    return wrong / (256 * 256);
}"""


def test_scenes_look_as_the_server_draws_them(visitor: Visitor) -> None:
    visitor.go("#/study")
    for task in (TASK, "00006:003", "00013:020", "00015:014", "00106:000", "00122:006"):
        wrong = visitor.page.evaluate(COMPARE, [f"phyre/tasks/{task}", 256, True])
        assert wrong < 0.004, task
    for game in ("seesaw", "spring", "pendulum", "multi_ball_stack"):
        wrong = visitor.page.evaluate(COMPARE, [f"iphyre/games/{game}", 600, False])
        assert wrong < 0.004, game


def test_phone_fits_and_a_finger_plays(make_visitor: MakeVisitor) -> None:
    visitor = make_visitor(**PHONE)
    visitor.go()
    for place, mark in PLACES.items():
        visitor.page.evaluate("place => (location.hash = place)", place)
        expect(visitor.page.locator(mark).first).to_be_visible()
        assert visitor.overflow() <= 0, place
    visitor.go(f"#/phyre/{TASK}")
    visitor.page.touchscreen.tap(*visitor.spot(*FAILING[:2], 256, y_up=True))
    expect(visitor.page.locator(".status.good")).to_have_text("The ball fits.")
    visitor.page.get_by_role("button", name="Simulate").tap()
    expect(visitor.verdict).to_have_text("Not this time")


def test_two_fingers_resize_a_ball_where_it_is(make_visitor: MakeVisitor) -> None:
    visitor = make_visitor(**PHONE)
    visitor.go(f"#/phyre/{TASK}")
    x, y, _ = FAILING
    visitor.page.touchscreen.tap(*visitor.spot(x, y, 256, y_up=True))
    visitor.type_ball(0, x, y, 10)
    touches = visitor.page.context.new_cdp_session(visitor.page)

    def touch(kind: str, *shifts: float) -> None:
        places = [visitor.spot(x + shift, y, 256, y_up=True) for shift in shifts]
        points = [{"x": left, "y": top, "id": k} for k, (left, top) in enumerate(places)]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", -22)  # beside the ball
    touch("touchStart", -22, 22)
    for spread in (22, 18, 14, 11):
        touch("touchMove", -spread, spread)
    touch("touchEnd")
    fields = visitor.page.locator(".ball-fields").first
    for name, value in (("x", x), ("y", y), ("r", 5)):
        assert abs(float(fields.locator(f"[name={name}]").input_value()) - value) < 0.5, name
    visitor.page.keyboard.press("Control+z")
    expect(fields.locator("[name=r]")).to_have_value("10")


@pytest.mark.parametrize(("scheme", "ground"), [("light", "#ffffff"), ("dark", "#12161b")])
def test_theme_follows_the_system_until_chosen(
    make_visitor: MakeVisitor, scheme: str, ground: str
) -> None:
    visitor = make_visitor(color_scheme=scheme)
    visitor.go(f"#/phyre/{TASK}")
    assert _pixel(visitor, 230, 230) == ground
    visitor.press("Settings")
    visitor.press("Light" if scheme == "dark" else "Dark")
    assert _pixel(visitor, 230, 230) != ground
    chosen = _pixel(visitor, 230, 230)
    visitor.page.reload()
    expect(visitor.canvas).to_be_visible()
    assert _pixel(visitor, 230, 230) == chosen


def test_palette_for_colour_blind_people(visitor: Visitor) -> None:
    visitor.go(f"#/phyre/{TASK}")
    visitor.click_phyre(*FAILING[:2])
    assert _pixel(visitor, *FAILING[:2]) == "#f34f46"  # as in the paper
    visitor.press("Settings")
    visitor.press("Colour-blind")
    assert _pixel(visitor, *FAILING[:2]) == "#e69f00"
    expect(visitor.page.locator(".goal")).to_contain_text("light blue")


def test_playback_is_scrubbed_stepped_and_paused(make_visitor: MakeVisitor) -> None:
    visitor = make_visitor(reduced_motion="no-preference")
    x, y, radius = SOLVING
    action = f"{(x + 0.1) / 255},{(y + 0.1) / 255},{(radius - 2) / 30}"
    visitor.go(f"#/replay/phyre/{TASK}?action={action}")
    time = visitor.page.locator(".playback .time")
    expect(time).to_have_text(re.compile(r"^(0\.[3-9]|[1-6])"))  # it plays by itself
    visitor.press("Pause")
    visitor.page.get_by_label("Position").fill("120")
    expect(time).to_have_text("2.0 s")
    visitor.press("One step forward")
    visitor.press("One step forward")
    visitor.press("One step forward")
    expect(time).to_have_text("2.0 s")
    expect(visitor.page.get_by_label("Position")).to_have_value("123")
    visitor.page.get_by_label("Speed").select_option("4")
    visitor.press("Play")
    expect(visitor.verdict).to_have_text("Solved")
    film = visitor.page.get_by_role("link", name="GIF").get_attribute("href")
    answer = visitor.page.request.get(f"{visitor.address}{film}", timeout=60_000)
    assert answer.body().startswith(b"GIF8")


def test_runs_are_watched_attempt_by_attempt(visitor: Visitor) -> None:
    visitor.go("#/watch")
    page = visitor.page
    expect(page.locator("tbody tr")).to_have_count(4)
    page.get_by_role("link", name="two tries").click()
    page.get_by_role("link", name=TASK).click()
    expect(visitor.verdict).to_have_text("Not solved")
    visitor.press("Next attempt")
    expect(visitor.verdict).to_have_text("Solved")
    visitor.go(page.url[len(visitor.address) :])  # the address names the attempt
    expect(visitor.verdict).to_have_text("Solved")
    visitor.go("#/watch")
    page.get_by_role("link", name="random").click()
    page.get_by_role("link", name="support").click()
    expect(visitor.verdict).to_contain_text("points")


def test_unknown_places_say_so(make_visitor: MakeVisitor) -> None:
    visitor = make_visitor()
    visitor.go("#/nowhere/at/all")
    expect(visitor.page.get_by_role("alert")).to_contain_text("There is no such page")


def _pixel(visitor: Visitor, x: float, y: float) -> str:
    """The colour of a PHYRE scene at a point."""
    visitor.page.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")
    value = visitor.canvas.evaluate(
        """(canvas, [x, y]) => {
            const k = canvas.width / 256;
            const ctx = canvas.getContext("2d");
            const [r, g, b] = ctx.getImageData(x * k, canvas.height - y * k, 1, 1).data;
            return "#" + [r, g, b].map(v => v.toString(16).padStart(2, "0")).join("");
        }""",
        [x, y],
    )
    return str(value)
