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
    assert [(row["puzzle"], row["outcome"]) for row in rows] == [
        (TASK, "not_solved"),
        (TASK, "solved"),
        (SECOND, "given_up"),
    ]
    assert "P07" not in json.dumps([row["participant"] for row in rows])


def _make_study(researcher: Visitor) -> str:
    """Make a study of two tasks; tells the hash of its invitation."""
    researcher.go("#/study")
    page = researcher.page
    form = page.locator("form").first
    if not form.is_visible():
        page.get_by_text("New study", exact=True).click()
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
        data={"name": "One game", "benchmark": "iphyre", "puzzles": ["support"]},
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


DESIGN = f"""
name = "With everything"
benchmark = "phyre"
order = "random"
seed = 4
attempt_limit = 3
practice = ["00000:032"]
completion_code = "DONE-{{participant}}"
consent = "We keep your attempts under a random id."

[[blocks]]
puzzles = ["{TASK}", "{SECOND}"]
shuffle = false
break_text = "Look out of the window."

[[blocks]]
puzzles = ["00002:007"]

[[before]]
id = "played"
kind = "choice"
text = "Have you played physics puzzles before?"
options = ["yes", "no"]

[[checks]]
id = "awake"
text = "Choose blue."
options = ["red", "blue"]
answer = "blue"
after = 1

[[after]]
id = "hard"
kind = "scale"
text = "How hard was it?"
low_label = "easy"
high_label = "hard"
"""


def _answer(person: Visitor, option: str) -> None:
    person.page.get_by_role("radio", name=option, exact=True).check()
    person.press("Continue")


def _give_up(person: Visitor) -> None:
    person.press("Give up")
    person.page.get_by_role("dialog").get_by_role("button", name="Give up").click()


def _refused(person: Visitor) -> None:
    """Try every page that could show a solution, in the browser of a participant."""
    for page in (f"#/phyre/{TASK}", "#/phyre", "#/watch", "#/study", "#/iphyre/support", "#/"):
        person.page.goto(f"{person.address}{page}")
        person.page.reload()
        expect(person.page.get_by_role("link", name="Back to the study")).to_be_visible()
        expect(person.canvas).to_have_count(0)
    asked = person.page.evaluate(
        f"fetch('api/phyre/tasks/{TASK}/solution', {{method: 'POST'}}).then((a) => a.status)"
    )
    assert asked == 403
    person.page.get_by_role("link", name="Back to the study").click()
    # The browser reports the answers as errors, which they are meant to be.
    person.problems[:] = [text for text in person.problems if "403" not in text]


def test_two_participants_of_a_study_with_everything(make_visitor: MakeVisitor) -> None:
    researcher = make_visitor()
    researcher.go()
    answer = researcher.page.request.post(
        f"{researcher.address}api/studies/toml", data={"toml": DESIGN}
    )
    study = json.loads(answer.text())
    codes, orders = [], []
    for number in range(2):
        person = make_visitor()
        person.go(f"#/study/{study['id']}")
        expect(person.page.get_by_text("You are not asked for your name.")).to_be_visible()
        expect(person.page.get_by_label("Name or code")).to_have_count(0)
        person.page.get_by_label("I have read this").check()
        person.press("Begin")
        _answer(person, "no")
        expect(person.page.get_by_text("Practice 1 of 1", exact=True)).to_be_visible()
        if number == 0:
            _refused(person)
            expect(person.page.get_by_text("Practice 1 of 1", exact=True)).to_be_visible()
        _give_up(person)
        expect(person.page.get_by_text("1 of 3", exact=True)).to_be_visible()
        person.click_phyre(*FAILING[:2])
        person.press("Simulate")
        expect(person.page.get_by_text("1 of 3 attempts")).to_be_visible()
        person.page.reload()  # and the same place again
        expect(person.page.get_by_text("1 of 3", exact=True)).to_be_visible()
        expect(person.page.get_by_text("1 of 3 attempts")).to_be_visible()
        _give_up(person)
        _answer(person, "red" if number else "blue")
        expect(person.page.get_by_text("2 of 3", exact=True)).to_be_visible()
        _give_up(person)
        expect(person.page.get_by_text("Look out of the window.")).to_be_visible()
        person.press("Continue")
        expect(person.page.get_by_text("3 of 3", exact=True)).to_be_visible()
        _give_up(person)
        _answer(person, "6")
        expect(person.page.get_by_role("heading", name="Thank you")).to_be_visible()
        codes.append(person.page.locator(".study-code b").inner_text())
        person.page.goto("about:blank")  # which sends the last events
        person.go("#/phyre")  # the study is finished
        expect(person.page.locator(".tile").first).to_be_visible()
    data = researcher.page.request.get(
        f"{researcher.address}api/studies/{study['id']}/export.json"
    ).json()
    people = [person["participant"] for person in data["participants"]]
    assert codes == [f"DONE-{person}" for person in people]
    assert [person["checks_failed"] for person in data["participants"]] == [0, 1]
    for person in people:
        rows = [row for row in data["puzzles"] if row["participant"] == person]
        assert [row["outcome"] for row in rows] == ["given_up"] * 4
        assert [row["counted"] for row in rows] == [False, True, True, True]
        orders.append([row["puzzle"] for row in rows])
        noted = [row["event"] for row in data["events"] if row["participant"] == person]
        assert {"shown", "first_placement", "submit", "motion_started", "motion_ended"} <= set(
            noted
        )
        assert noted.count("page_opened") >= 2
        assert "reconnected" in noted
        assert noted.count("given_up") == 4
        answers = {
            r["question"]: r["answer"] for r in data["answers"] if r["participant"] == person
        }
        assert answers["played"] == "no"
        assert answers["hard"] == 6
    assert orders[0][0] == orders[1][0] == "00000:032"
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_leaving_a_study_deletes_what_was_stored(make_visitor: MakeVisitor) -> None:
    person = make_visitor()
    person.go()
    made = person.page.request.post(
        f"{person.address}api/studies",
        data={"name": "Short", "benchmark": "phyre", "puzzles": [TASK], "time_limit": 1},
    )
    study = json.loads(made.text())["id"]
    person.go(f"#/study/{study}")
    person.page.get_by_label("I want to take part").check()
    person.press("Begin")
    expect(person.page.get_by_text("The time is up")).to_be_visible()
    person.press("Leave the study")
    person.press("Leave and delete my data")
    expect(person.page.get_by_role("heading", name="You have left this study.")).to_be_visible()
    export = person.page.request.get(f"{person.address}api/studies/{study}/export.json")
    assert json.loads(export.text())["participants"] == []
