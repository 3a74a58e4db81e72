"""Take the pictures of the player for the guide: `make_screenshots.py FOLDER`.

Starts `topple play` with an empty folder of its own, plays a little, and writes ``player_*.png``,
each below 200 kB, and ``steps_*.png``: the first three puzzles, as somebody meets them who has
never heard of them.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from support.browser_parts import FLAGS, Visitor, topple_play
from support.path_parts import path, play_game, solving_action, solving_ball

CHROMIUM = "/usr/bin/chromium"
STEP = ViewportSize(width=1120, height=760)
RING_FILLS = """() => parseFloat(document.querySelector(".playback .time").textContent) > 6"""
DESKTOP = ViewportSize(width=1280, height=860)
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
ONE_BALL = 3  # numbers of an action
RECORDS = Path(__file__).resolve().parents[2] / "results"
IMAGINING = (
    "phyre/imagine-coarse_ball_within_template_test_0_0_*.run.json",
    "iphyre/imagine-8-px_60hz_0_*.run.json",
)
COLORS = 256  # of a picture's palette; the pages have few
# Actions tried before the picture, so that there is a curve to show: task, x, y, radius.
TRIED = (
    ("00001:000", (0.6376, 0.8872, 0.4722)),
    ("00002:007", (0.2, 0.9, 0.3)),
    ("00002:007", (0.8172, 0.5552, 0.5297)),
    ("00004:063", (0.9, 0.9, 0.2)),
    ("00004:063", (0.6, 0.9, 0.4)),
    ("00004:063", (0.2493, 0.4104, 0.7556)),
    ("00012:009", (0.1, 0.95, 0.1)),
)
ATTEMPT = """async (tried) => {
    const { api } = await import("./api.js");
    await api.player();
    for (const [task, action] of tried) {
        await api.post(`phyre/tasks/${task}/attempts`, { action, stride: 60 });
    }
}"""


def main(folder: Path) -> None:
    """Take all pictures."""
    with (
        tempfile.TemporaryDirectory() as data,
        sync_playwright() as playwright,
        topple_play(Path(data), "--runs", str(runs_of(Path(data)))) as (address, _),
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        steps = first_steps(Visitor(browser.new_page(viewport=STEP, color_scheme="light"), address))
        for number, picture in enumerate(steps, start=1):
            small = picture.convert("RGB").resize((STEP["width"] * 3 // 5, STEP["height"] * 3 // 5))
            small.quantize(COLORS // 2, dither=Image.Dither.NONE).save(
                folder / f"steps_{number}.png", optimize=True
            )
        for name, picture in pictures(browser, address).items():
            picture.save(folder / f"player_{name}.png", optimize=True)


def runs_of(folder: Path) -> Path:
    """A folder with a run of each benchmark to watch."""
    runs = folder / "runs"
    runs.mkdir()
    for pattern in IMAGINING:
        for record in RECORDS.glob(pattern):
            shutil.copy(record, runs)
    return runs


def first_steps(visitor: Visitor) -> list[Image.Image]:
    """The way of a new player through three puzzles, without a word of documentation."""
    page = visitor.page
    first, second, third = path()[:3]
    taken = []

    def take(wait: int = 300) -> None:
        page.wait_for_timeout(wait)
        taken.append(shot(page))

    visitor.go()
    take(3000)
    page.get_by_role("link", name="Play", exact=True).last.click()
    expect(page.get_by_role("heading", name=first["name"], level=1)).to_be_visible()
    take()
    x, y, radius = solving_ball(first["id"])
    visitor.click_phyre(x, y)
    for _ in range(abs(radius - 14)):
        page.mouse.wheel(0, -100 if radius > 14 else 100)
    take()
    visitor.press("Simulate")
    page.wait_for_function(RING_FILLS, timeout=20_000)
    take(900)
    expect(visitor.verdict).to_contain_text("Solved", timeout=20_000)
    take(1600)
    page.locator(".panel").get_by_role("link", name="Next: ").click()
    expect(page.get_by_role("heading", name=second["name"], level=1)).to_be_visible()
    take()
    play_game(visitor, second["id"], lambda: take(200))
    expect(visitor.verdict).to_contain_text("Solved", timeout=20_000)
    take(1600)
    page.locator(".panel").get_by_role("link", name="Next: ").click()
    expect(page.get_by_role("heading", name=third["name"], level=1)).to_be_visible()
    x, y, radius = solving_ball(third["id"])
    visitor.click_phyre(x, y)
    visitor.type_ball(0, x, y, radius)
    take()
    visitor.press("Simulate")
    expect(visitor.verdict).to_contain_text("Solved", timeout=20_000)
    return taken


def pictures(browser: Browser, address: str) -> dict[str, Image.Image]:
    """Every picture by its name."""
    light = Visitor(browser.new_page(viewport=DESKTOP, color_scheme="light"), address)
    dark = Visitor(browser.new_page(viewport=DESKTOP, color_scheme="dark"), address)
    participant = Visitor(browser.new_page(viewport=DESKTOP, color_scheme="light"), address)
    return {
        "gallery": gallery(light),
        "phyre": phyre(light),
        "iphyre": iphyre(light),
        "study": study(participant),
        "editor": editor(light),
        "imagined": imagined(light),
        "imagined_game": imagined_game(light),
        "dark": two_balls(dark),
        "phone": phones(browser, address),
    }


def shot(page: Page) -> Image.Image:
    """What is on the screen, in few colours."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    return picture.quantize(COLORS, dither=Image.Dither.NONE)


def gallery(visitor: Visitor) -> Image.Image:
    """The first page, while the puzzle in its corner is being solved."""
    visitor.page.set_viewport_size({"width": 1280, "height": 1080})
    visitor.go()
    solved = [(stop["id"], solving_action(stop["id"])) for stop in path()[:10:2]]
    visitor.page.evaluate(ATTEMPT, [one for one in solved if len(one[1]) == ONE_BALL])
    visitor.go()
    expect(visitor.page.locator(".tile")).to_have_count(100)
    visitor.page.wait_for_timeout(4000)
    picture = shot(visitor.page)
    visitor.page.set_viewport_size(DESKTOP)
    return picture


def phyre(visitor: Visitor) -> Image.Image:
    """A task that was just solved."""
    visitor.page.evaluate(ATTEMPT, TRIED)
    visitor.page.set_viewport_size({"width": 1280, "height": 1000})
    visitor.choose_science()
    visitor.go("#/phyre/00013:020?action=0.3254,0.7465,0.6496")
    visitor.page.get_by_label("Speed").evaluate("select => (select.value = '4')")
    visitor.page.get_by_label("Speed").dispatch_event("change")
    visitor.press("Simulate")
    expect(visitor.verdict).to_be_visible(timeout=20_000)
    visitor.page.wait_for_timeout(500)
    picture = shot(visitor.page)
    visitor.page.set_viewport_size(DESKTOP)
    return picture


def iphyre(visitor: Visitor) -> Image.Image:
    """A live game after one attempt."""
    visitor.go("#/iphyre/fill")
    visitor.press("Start")
    visitor.page.wait_for_timeout(100)
    visitor.page.keyboard.press("3")
    visitor.page.wait_for_timeout(1700)
    visitor.page.keyboard.press("1")
    expect(visitor.verdict).to_be_visible(timeout=20_000)
    visitor.page.wait_for_timeout(2000)
    visitor.press("Play again")
    visitor.page.wait_for_timeout(500)
    visitor.click_game(150, 125)
    visitor.page.wait_for_timeout(1200)
    return shot(visitor.page)


def study(visitor: Visitor) -> Image.Image:
    """A participant at their second puzzle."""
    answer = visitor.page.request.post(
        f"{visitor.address}api/studies",
        data={
            "name": "Pilot",
            "benchmark": "phyre",
            "puzzles": ["00009:119", "00007:039", "00011:020", "00015:016", "00020:000"],
            "shuffle": False,
            "attempt_limit": 10,
        },
    )
    visitor.go(f"#/study/{answer.json()['id']}")
    visitor.page.get_by_label("I want to take part").check()
    visitor.press("Begin")
    visitor.click_phyre(187, 162)
    visitor.type_ball(0, 187, 162, 21)
    visitor.press("Simulate")
    visitor.page.get_by_role("button", name="Next").click(timeout=20_000)
    expect(visitor.page.get_by_text("2 of 5", exact=True)).to_be_visible()
    visitor.click_phyre(200, 225)
    visitor.press("Simulate")
    expect(visitor.verdict).to_be_visible(timeout=20_000)
    visitor.press("Try again")
    visitor.click_phyre(128, 230)
    visitor.page.wait_for_timeout(400)
    return shot(visitor.page)


def editor(visitor: Visitor) -> Image.Image:
    """A puzzle in the making."""
    visitor.go("#/make/phyre")
    page = visitor.page
    chosen = page.get_by_role("region", name="Selected body")
    for tool, loose, fields in (
        ("wedge", False, {"x": 196, "y": 20, "Size": 60}),
        ("standing sticks", True, {"x": 60, "y": 40, "Length": 90}),
        ("jar", True, {"x": 190, "y": 150, "Height": 60, "Angle": -25}),
    ):
        visitor.press(f"Add {tool.replace('standing ', '')}")
        for label, value in fields.items():
            chosen.get_by_label(label, exact=True).fill(str(value))
            chosen.get_by_label(label, exact=True).press("Enter")
        if loose:
            chosen.get_by_role("button", name="Movable").click()
    page.get_by_label("Name of the puzzle").fill("Mind the jar")
    page.get_by_label("Name of the puzzle").blur()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(900)
    return shot(page)


def imagined(visitor: Visitor) -> Image.Image:
    """An attempt of the agent that imagines, with what it had in its head."""
    visitor.go("#/watch")
    page = visitor.page
    page.get_by_role("link", name="IMAGINE (coarse)").click()
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("link", name="00012:132").click()
    return with_ghosts(page)


def imagined_game(visitor: Visitor) -> Image.Image:
    """A play of the agent that imagines, with what it had in its head."""
    visitor.go("#/watch")
    visitor.page.get_by_role("link", name="imagine, 8 px").click()
    visitor.page.get_by_role("link", name="fill", exact=True).click()
    return with_ghosts(visitor.page)


def with_ghosts(page: Page) -> Image.Image:
    """An attempt 90 steps after its start, once the agent has thought again."""
    expect(page.get_by_text("worked in its head")).to_be_visible(timeout=60_000)
    page.get_by_label("Position").fill("90")
    page.wait_for_timeout(500)
    return shot(page)


def two_balls(visitor: Visitor) -> Image.Image:
    """Two balls being placed, on a dark page."""
    visitor.go("#/phyre/00106:000?action=0.814,0.6152,0.3063,0.6239,0.527,0.4261")
    visitor.page.wait_for_timeout(600)
    return shot(visitor.page)


def phones(browser: Browser, address: str) -> Image.Image:
    """Three pages side by side as a phone shows them."""
    places = ("", "#/phyre/00013:020?action=0.3254,0.7465,0.6496", "#/iphyre/multi_ball_stack")
    schemes = ("light", "light", "dark")
    sheet = Image.new("RGB", (390 * 3 + 2 * 30, 780), (255, 255, 255))
    for i, (place, scheme) in enumerate(zip(places, schemes, strict=True)):
        options = {**PHONE, "color_scheme": scheme}
        visitor = Visitor(browser.new_page(**options), address)  # type: ignore[arg-type]
        visitor.go(place)
        visitor.page.wait_for_timeout(2500)
        sheet.paste(shot(visitor.page).convert("RGB"), (i * 420, 0))
    return sheet.quantize(COLORS, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
