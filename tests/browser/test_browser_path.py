"""The game in the browser: from a first visit to the tenth star."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from support.browser_parts import MakeVisitor, Visitor
from support.path_parts import path, play_game, solving_ball
from topple.phyre.action import discrete_actions
from topple.phyre.engine.request import MAX_STEPS
from topple.player.puzzles import published_task

HOLD = 180  # steps

# The moment at which the page calls an attempt lost, and what it sees until the end.
CERTAIN = """async ([task, actions]) => {
    const { certainMoment } = await import("./play/certainty.js");
    const { Replay } = await import("./play/replay.js");
    const found = [];
    for (const action of actions) {
        const answer = await fetch(`api/replays/phyre/${task}?action=${action.join()}`);
        const { outcome, trajectory } = await answer.json();
        const replay = new Replay(trajectory);
        const solved = outcome === "solved";
        found.push([solved, certainMoment(replay, solved), replay.last, trajectory.touching]);
    }
    return found;
}"""


def test_a_first_visit_leads_to_the_tenth_star(visitor: Visitor) -> None:
    visitor.go()
    page = visitor.page
    expect(page.get_by_role("heading", name="Think before it falls.")).to_be_visible()
    page.get_by_role("link", name="Play", exact=True).last.click()
    earned = 0
    for number, stop in enumerate(path()[:4]):
        expect(page.get_by_role("heading", name=stop["name"], level=1)).to_be_visible()
        if stop["benchmark"] == "phyre":
            if number == 0:
                _take_the_lesson(visitor)
            x, y, radius = solving_ball(stop["id"])
            visitor.click_phyre(x, y)
            visitor.type_ball(0, x, y, radius)
            visitor.press("Simulate")
        else:
            play_game(visitor, stop["id"])
        expect(visitor.verdict).to_contain_text("Solved", timeout=30_000)
        shown = page.locator(".star-row .stars")
        expect(shown).to_have_attribute("aria-label", f"{2 if number == 0 else 3} of 3 stars")
        earned += 2 if number == 0 else 3
        page.locator(".panel").get_by_role("link", name="Next: ").click()
    assert earned >= 10
    expect(page.get_by_role("heading", name=path()[4]["name"], level=1)).to_be_visible()
    visitor.go()  # the progress is kept
    expect(page.get_by_text(f"You have {earned} of 300 stars.")).to_be_visible()
    expect(page.get_by_role("link", name=f"Continue: {path()[4]['name']}")).to_be_visible()


def _take_the_lesson(visitor: Visitor) -> None:
    """The first puzzle says what to do, one thing after the other, also after a miss."""
    coach = visitor.page.locator(".coach")
    expect(coach).to_contain_text("place your ball")
    visitor.click_phyre(30, 40)
    expect(coach).to_contain_text("change its size")
    visitor.page.mouse.wheel(0, -100)
    expect(coach).to_contain_text("Press Simulate")
    visitor.press("Simulate")
    expect(visitor.verdict).to_have_text("Not this time")
    expect(coach).to_contain_text("ghost")
    visitor.press("Try again")


def test_the_verdict_comes_early_and_is_never_wrong(visitor: Visitor) -> None:
    visitor.go("#/glossary")
    early = 0
    for name in ("00000:032", "00004:777", "00012:198"):
        task = published_task(name)
        actions = discrete_actions(task.tier, 400)
        outcomes = task.simulator.outcomes(actions)[0]
        chosen = actions[np.r_[np.flatnonzero(outcomes < 0)[:12], np.flatnonzero(outcomes > 0)[:3]]]
        found = visitor.page.evaluate(CERTAIN, [name, chosen.tolist()])
        for action, (solved, moment, last, touching) in zip(chosen, found, strict=True):
            result = task.attempt(action.tolist())
            assert solved == result.outcome.is_solved
            if solved:
                assert moment == last == result.steps + 1
                continue
            early += moment < last
            # Frame k + 1 shows the world after step k. Either nothing moves after the moment ...
            assert result.states is not None
            after = result.states[max(moment - 1, 0) :, :, :2]
            rests = np.abs(after - after[-1]).max() <= 0.25
            # ... or no touch that lasts, or begins, after it can be long enough.
            begun = [first for first, end in touching if end >= moment - 1]
            late = MAX_STEPS - HOLD
            assert rests or (moment - 1 >= late and all(first > late for first in begun))
    assert early > 25  # of 36 that are lost


def test_removals_are_moved_in_time(visitor: Visitor) -> None:
    visitor.go("#/iphyre/support")
    page = visitor.page
    visitor.press("Start")
    page.wait_for_timeout(300)
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(visitor.verdict).to_contain_text("Solved in", timeout=30_000)
    expect(page.locator(".sum")).to_contain_text("1000 for success")
    expect(page.locator(".sum")).to_contain_text("2 for removed blocks")
    timeline = page.get_by_role("region", name="Timeline")
    expect(timeline.get_by_role("slider")).to_have_count(2)
    timeline.get_by_role("slider", name="Block 2 is removed after").fill("899")
    result = timeline.get_by_role("status")
    expect(result).to_contain_text("This is not an attempt.")
    expect(page.get_by_role("button", name="Replay attempt")).to_have_count(1)
    visitor.press("Back to the play")
    expect(visitor.verdict).to_contain_text("Solved in")


def test_phones_cover_no_button(make_visitor: MakeVisitor) -> None:
    phone = make_visitor(viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    phone.go("#/phyre/00009:119")
    phone.page.touchscreen.tap(*phone.spot(230, 230, 256, y_up=True))
    for name in ("Simulate", "Try again"):
        button = phone.page.get_by_role("button", name=name, exact=True)
        expect(button).to_be_enabled()
        assert button.evaluate(
            """button => {
                button.scrollIntoView({ block: "end" });
                const { left, top, width, height } = button.getBoundingClientRect();
                const on = document.elementFromPoint(left + width / 2, top + height - 4);
                return top >= 0 && button.contains(on);
            }"""
        ), name
        button.tap()
