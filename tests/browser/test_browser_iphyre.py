"""I-PHYRE in the browser: live games against the server's clock."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from support.browser_parts import MakeVisitor, Visitor, topple_play

GAME = "hinder"
# Gray blocks to click, each from this tick on. Any moment in the next two seconds will do.
CLICKS = ((84, (450, 340)), (114, (500, 340)))


def test_gallery_shows_the_games_by_split(visitor: Visitor) -> None:
    visitor.go("#/iphyre")
    expect(visitor.page.locator(".tile")).to_have_count(50)
    for name in ("Basic", "Noisy", "Compositional", "Multi-ball"):
        expect(visitor.page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def test_known_clicks_win_the_game(visitor: Visitor) -> None:
    visitor.choose_science()
    visitor.go(f"#/iphyre/{GAME}")
    visitor.press("Start")
    for tick, place in CLICKS:
        _wait_for(visitor, tick)
        visitor.click_game(*place)
    expect(visitor.verdict).to_contain_text("Solved in", timeout=20_000)
    expect(visitor.page.get_by_text("4 of 5 attempts left")).to_be_visible()
    _same_when_played_again(visitor)
    visitor.press("Replay attempt 1")
    expect(visitor.verdict).to_contain_text("Solved in")
    beside = visitor.page.get_by_role("region", name="Comparison")
    expect(beside).to_contain_text("Human")
    visitor.go("#/iphyre")
    expect(visitor.page.get_by_role("region", name="Your averages")).to_contain_text("Human")


def test_keys_remove_blocks_and_a_restart_counts(visitor: Visitor) -> None:
    visitor.go("#/iphyre/support")
    keyboard = visitor.page.keyboard
    keyboard.press("Space")
    _wait_for(visitor, 6)
    keyboard.press("r")
    expect(visitor.page.get_by_text("Attempt 2 of 5")).to_be_visible()
    _wait_for(visitor, 6)
    keyboard.press("1")
    keyboard.press("2")
    expect(visitor.verdict).to_contain_text("Solved in", timeout=20_000)
    expect(visitor.page.get_by_text("3 of 5 attempts left")).to_be_visible()
    expect(visitor.page.get_by_text("abandoned")).to_be_visible()


def test_an_earlier_play_is_taken_up_live(visitor: Visitor) -> None:
    visitor.go("#/iphyre/support")
    page = visitor.page
    visitor.press("Start")
    _wait_for(visitor, 6)
    page.keyboard.press("1")
    page.get_by_role("button", name="Restart").wait_for()
    page.keyboard.press("2")
    expect(visitor.verdict).to_contain_text("Solved in", timeout=20_000)
    visitor.press("Replay attempt 1")
    page.locator(".playback input[type=range]").fill("4")
    visitor.press("Play on from 0.1 s")
    expect(page.get_by_text("Practice", exact=True)).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="Replay attempt")).to_have_count(2, timeout=20_000)
    expect(page.get_by_text("4 of 5 attempts left")).to_be_visible()


def test_killed_server_costs_one_attempt(make_visitor: MakeVisitor, tmp_path: Path) -> None:
    with topple_play(tmp_path) as (address, kill):
        visitor = make_visitor(at=address)
        visitor.go("#/iphyre/support")
        visitor.press("Start")
        _wait_for(visitor, 12)
        kill()
        expect(visitor.page.locator(".toast")).to_contain_text("The connection was lost")
    with topple_play(tmp_path, port=int(address.rstrip("/").rsplit(":", 1)[1])):
        visitor.press("Reconnect")
        expect(visitor.page.get_by_text("Attempt 2 of 5")).to_be_visible()
        visitor.page.keyboard.press("1")
        visitor.page.keyboard.press("2")
        expect(visitor.verdict).to_contain_text("Solved in", timeout=20_000)
        visitor.page.reload()
        expect(visitor.page.locator("tbody tr")).to_have_count(2)
        expect(visitor.page.get_by_text("abandoned")).to_be_visible()


def _wait_for(visitor: Visitor, tick: int) -> None:
    """Wait until the clock on the page, which is rounded to tenths, is surely past a tick."""
    visitor.page.wait_for_function(
        "seconds => parseFloat(document.querySelector('.hud span + span').textContent) >= seconds",
        arg=tick / 60 + 0.05,
    )


def _same_when_played_again(visitor: Visitor) -> None:
    """The stored plan gives the stored score: ticks decided, not the time it took."""
    page = visitor.page
    key = page.evaluate("localStorage.getItem('topple.player')")
    answer = page.request.get(
        f"{visitor.address}api/iphyre/games/{GAME}", headers={"X-Player": key}
    )
    [attempt] = json.loads(answer.text())["attempts"]
    plan = ",".join(f"{one['tick']}:{one['body']}" for one in attempt["plan"])
    assert all(one["tick"] >= tick for one, (tick, _) in zip(attempt["plan"], CLICKS, strict=True))
    replay = json.loads(
        page.request.get(f"{visitor.address}api/replays/iphyre/{GAME}?plan={plan}").text()
    )
    assert (replay["solved"], replay["reward"]) == (True, attempt["reward"])
