"""The element <topple-puzzle> in a page of somebody else, from one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from support.bit_checks import served
from support.browser_parts import FAILING, SOLVING, TASK
from topple.iphyre.episode import play
from topple.iphyre.games import game_named
from topple.iphyre.plan import Elimination, Plan
from topple.phyre import Simulator
from topple.player.data_files import write_data
from topple.player.embed import ELEMENT, bundle, write_element

ROOT = Path(__file__).resolve().parents[2]
OWN_GAME = """{"name": "Mine", "benchmark": "iphyre", "data": {"name": "mine",
 "blocks": [{"kind": "gray", "ends": [200, 400, 300, 400]}], "balls": [{"centre": [250, 340]}]}}"""
OWN_SCENE = """{"name": "Let them touch", "benchmark": "phyre", "tier": "ball", "data": {"bodies": [
 {"dynamic": false, "position": [128, 10], "color": "purple",
  "shapes": [{"polygon": [[100, 8], [-100, 8], [-100, -8], [100, -8]]}]},
 {"dynamic": true, "position": [128, 120], "color": "green", "kind": "ball", "diameter": 20,
  "shapes": [{"circle": 10}]}], "goal": {"first": 1, "second": 0, "hold_steps": 60}}}"""
PAGE = f"""<!doctype html><html lang="en"><title>A lecture</title>
<script>
  const attempts = [];
  addEventListener("attempt", ({{ detail }}) => attempts.push(detail));
</script>
<script type="module" src="{ELEMENT}"></script>
<topple-puzzle id="task" task="{TASK}"></topple-puzzle>
<topple-puzzle id="game" game="support"></topple-puzzle>
<topple-puzzle id="mine"><script type="application/json">{OWN_GAME}</script></topple-puzzle>
<topple-puzzle id="scene"><script type="application/json">{OWN_SCENE}</script></topple-puzzle>
<topple-puzzle id="wrong" task="00009:999"></topple-puzzle></html>"""


@pytest.fixture(scope="module")
def folder(wasm_module: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the file of the element and the tasks of one template beside it."""
    folder = tmp_path_factory.mktemp("lecture")
    write_data(folder / "data", (TASK.split(":")[0],))
    write_element(folder, wasm_module)
    (folder / "index.html").write_text(PAGE)
    return folder


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    """The page, which must not log an error."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    with served(folder) as server:
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield page
    context.close()
    assert problems == []


def attempts(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate("attempts")
    return found


def put_ball(page: Page, name: str, x: float, y: float) -> None:
    """Click where a ball of a PHYRE scene is to be."""
    canvas = page.locator(f"#{name} canvas")
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": x / 256 * box["width"], "y": (1 - y / 256) * box["height"]})


def test_a_task_is_played(page: Page) -> None:
    task = page.locator("#task")
    simulate = task.get_by_role("button", name="Simulate")
    expect(simulate).to_be_disabled()
    for (x, y, radius), verdict in ((FAILING, "Not solved yet."), (SOLVING, "Solved!")):
        put_ball(page, "task", x, y)
        for _ in range(abs(radius - 14)):
            task.locator("canvas").press("+")
        simulate.click()
        expect(task.get_by_role("status")).to_have_text(verdict)
        task.get_by_role("button", name="Try again").click()
    failed, solved = attempts(page)
    assert (failed["task"], failed["outcome"], solved["outcome"]) == (TASK, "not_solved", "solved")
    assert solved["steps"] == Simulator(TASK).attempt(TASK, solved["action"]).steps


def test_a_game_is_played_live(page: Page) -> None:
    for name in ("game", "mine"):
        puzzle = page.locator(f"#{name}")
        puzzle.get_by_role("button", name="Start").click()
        expect(puzzle.get_by_role("status")).to_contain_text(" s")
        for key in "12":
            puzzle.locator("canvas").press(key)
        expect(puzzle.get_by_role("status")).to_contain_text("reward", timeout=60_000)
    published, mine = attempts(page)
    assert mine["solved"] is True
    assert published["game"] == "support"
    plan = Plan(tuple(Elimination(**removal) for removal in published["plan"]))
    score = play(game_named("support"), plan)
    assert (published["solved"], published["ticks"]) == (score.solved, score.ticks)
    assert published["reward"] == score.reward


def test_a_scene_of_ones_own_and_a_wrong_name(page: Page) -> None:
    put_ball(page, "scene", 40, 200)
    page.locator("#scene").get_by_role("button", name="Simulate").click()
    expect(page.locator("#scene").get_by_role("status")).to_have_text("Solved!")
    alert = page.locator("#wrong").get_by_role("alert")
    expect(alert).to_have_text("The puzzle cannot be shown. There is no task 00009:999.")
    page.evaluate(f"document.querySelector('#wrong').setAttribute('task', '{TASK}')")
    expect(page.locator("#wrong canvas")).to_be_visible()


def test_the_page_around_it_is_left_alone(page: Page) -> None:
    expect(page.locator("#task canvas")).to_be_visible()
    assert page.evaluate("Object.keys(document.documentElement.dataset)") == []
    assert page.evaluate("localStorage.length") == 0


def test_the_examples_of_the_guide_work(page: Page, folder: Path) -> None:
    guide = (ROOT / "docs" / "guides" / "browser_engine.md").read_text("utf-8")
    two_lines, own, listener = re.findall(r"```html\n(.*?)```", guide, re.DOTALL)
    (folder / "lecture.html").write_text(
        f"<!doctype html><title>A</title>{two_lines}{own}{listener}"
    )
    page.goto(page.url + "lecture.html")
    expect(page.locator("topple-puzzle canvas")).to_have_count(3)


@pytest.mark.parametrize(
    "line",
    ['import * as all from "./b.js";', "export default 1;", 'import { a as b } from "./b.js";'],
)
def test_what_cannot_be_bundled_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "b.js").write_text("export const a = 1;\n")
    (tmp_path / "a.js").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"a\.js"):
        bundle(tmp_path / "a.js", {})
