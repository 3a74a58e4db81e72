"""Studies in the browser: made by a researcher, taken by people who reload and come back."""

from __future__ import annotations

import csv
import io
import json

from playwright.sync_api import expect

from support.browser_parts import FAILING, SOLVING, TASK, MakeVisitor, Visitor

SECOND = "00001:007"


def test_study_survives_reloads_and_is_exported(make_visitor: MakeVisitor) -> None:
    researcher = make_visitor()
    invitation = _make_study(researcher)

    person = make_visitor()
    person.go(invitation)
    expect(person.page.get_by_role("region", name="Consent text")).to_have_text("Be kind.")
    person.page.get_by_label("Name or code").fill("P07")
    person.press("Begin")  # without consent nothing happens
    expect(person.canvas).to_have_count(0)
    person.page.get_by_label("I have read this").check()
    person.press("Begin")
    expect(person.page.get_by_text("1 of 2", exact=True)).to_be_visible()
    expect(person.page.get_by_role("button", name="Show a solution")).to_have_count(0)
    person.click_phyre(*FAILING[:2])
    person.press("Simulate")
    expect(person.verdict).to_have_text("Not this time")
    expect(person.page.get_by_text("1 of 3 attempts")).to_be_visible()

    person.page.reload()
    expect(person.page.get_by_text("1 of 3 attempts")).to_be_visible()
    expect(person.page.get_by_text("1 of 2", exact=True)).to_be_visible()

    elsewhere = make_visitor()  # another browser: the name leads back to the same place
    elsewhere.go(invitation)
    elsewhere.page.get_by_label("Name or code").fill("P07")
    elsewhere.page.get_by_label("I have read this").check()
    elsewhere.press("Begin")
    expect(elsewhere.page.get_by_text("1 of 3 attempts")).to_be_visible()
    x, y, radius = SOLVING
    elsewhere.type_ball(0, x, y, radius)
    elsewhere.press("Simulate")
    expect(elsewhere.verdict).to_contain_text("Solved on attempt 2")
    elsewhere.press("Next")
    expect(elsewhere.page.get_by_text("2 of 2", exact=True)).to_be_visible()
    elsewhere.press("Give up")
    elsewhere.page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    expect(elsewhere.page.get_by_role("heading", name="Thank you")).to_be_visible()

    researcher.page.reload()
    row = researcher.page.get_by_role("row").filter(has_text="P07")
    expect(row).to_contain_text("2 of 2")
    researcher.page.set_viewport_size({"width": 390, "height": 844})  # a phone
    assert researcher.overflow() <= 0
    again = make_visitor()  # the link of a participant leads back, and does not stay readable
    again.go(_link_back(researcher, invitation))
    expect(again.page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert "key=" not in again.page.url
    rows = _export(researcher)
    assert [row["subject"] for row in rows] == [TASK, TASK]
    assert "P07" not in json.dumps([row["participant"] for row in rows])


def _make_study(researcher: Visitor) -> str:
    """Make a study of two tasks; tells the hash of its invitation."""
    researcher.go("#/study")
    page = researcher.page
    form = page.locator("form")
    if not form.is_visible():
        page.get_by_text("New study").click()
    form.get_by_label("Name", exact=True).fill("Two tasks")
    form.get_by_label("Attempts per puzzle").fill("3")
    form.get_by_label("Or exactly these").fill(f"{TASK}, {SECOND}")
    form.get_by_label("Random seed").fill("1")
    form.get_by_label("Consent text").fill("Be kind.")
    page.get_by_label("A used name is enough").check()
    researcher.press("Create study")
    page.get_by_text("Puzzles in order").click()
    expect(page.locator("details p.mono")).to_have_text(f"{TASK} {SECOND}")
    link = page.locator("a.mono")
    expect(link).to_be_visible()
    href = link.get_attribute("href")
    assert href is not None
    return href


def _link_back(researcher: Visitor, invitation: str) -> str:
    """The hash that takes the only participant back."""
    study = invitation.rsplit("/", 1)[1]
    answer = researcher.page.request.get(f"{researcher.address}api/studies/{study}/detail")
    [participant] = json.loads(answer.text())["participants"]
    link = participant["link"]
    assert isinstance(link, str)
    return link[link.index("#") :]


def _export(researcher: Visitor) -> list[dict[str, str]]:
    """What the researcher downloads."""
    with researcher.page.expect_download() as saved:
        researcher.page.get_by_role("link", name="CSV").click()
    return list(csv.DictReader(io.StringIO(saved.value.path().read_text())))


def test_study_of_games_gives_no_hints(make_visitor: MakeVisitor) -> None:
    person = make_visitor()
    person.go()
    answer = person.page.request.post(
        f"{person.address}api/studies",
        data={"name": "One game", "benchmark": "iphyre", "subjects": ["support"]},
    )
    person.go(f"#/study/{json.loads(answer.text())['id']}")
    person.page.get_by_label("I want to take part").check()
    person.press("Begin")
    expect(person.page.get_by_text("5 of 5 attempts left")).to_be_visible()
    expect(person.page.get_by_text("A hint")).to_have_count(0)
    expect(person.page.get_by_role("region", name="Comparison")).to_have_count(0)
    person.press("Start")
    expect(person.page.get_by_text("Attempt 1 of 5")).to_be_visible()
    person.page.keyboard.press("1")
    person.page.keyboard.press("2")
    person.page.get_by_role("button", name="Finish").click(timeout=20_000)
    expect(person.page.get_by_role("heading", name="Thank you")).to_be_visible()
