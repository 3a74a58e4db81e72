"""The static site: everything is played without a server, and without a network."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import Locator, expect

from support.browser_parts import SOLVING, TASK, MakeVisitor, Visitor, action_of
from support.site_parts import Host, hosted
from topple.phyre.pictures import film
from topple.player.export_records import export_records
from topple.player.models.base import Benchmark
from topple.player.own_puzzles import blank
from topple.player.puzzles import published_task
from topple.player.runs import RunIndex
from topple.player.solutions import find_solution
from topple.runs import RunRecord
from topple.runs.benchmark import find_benchmark

SITE = "some/place/"
TWO_BALLS = "00101:000"

# Calls to both back ends, whose answers must be equal but for ids and times.
ASK = """async (calls) => {
    const { api } = await import("./api.js");
    await api.player();
    const answers = [];
    for (const [method, path, body] of calls) {
        const answer = await api[method](path, body).catch((error) => `error ${error.status}`);
        answers.push(answer);
    }
    return answers;
}"""


@pytest.fixture
def host(site_folder: Path) -> Iterator[Host]:
    """A host of the site, under a path."""
    with hosted(site_folder) as found:
        yield found


def _copied(visitor: Visitor, button: Locator) -> str:
    """The link that a button copies."""
    button.click()
    expect(visitor.page.get_by_text("Link copied.")).to_be_visible()
    return str(visitor.page.evaluate("navigator.clipboard.readText()"))


def _balls(action: list[float]) -> str:
    return ",".join(map(repr, action))


def _solve(visitor: Visitor) -> None:
    """Solve a task with one ball in one attempt."""
    x, y, radius = SOLVING
    visitor.go(f"#/phyre/{TASK}")
    visitor.click_phyre(x, y)
    visitor.type_ball(0, x, y, radius)
    visitor.press("Simulate")
    expect(visitor.verdict).to_contain_text("Solved on attempt 1, in 7.1 s")


def test_the_first_puzzle_is_small_though_the_host_does_not_compress(
    make_visitor: MakeVisitor, host: Host, site_folder: Path
) -> None:
    visitor = make_visitor(host.address + SITE, service_workers="block")  # not the offline copy
    visitor.go(f"#/phyre/{TASK}")
    visitor.click_phyre(*SOLVING[:2])
    visitor.press("Simulate")
    names = {request.partition("?")[0].lstrip("/") for request in host.requests}
    paths = [
        path / "index.html" if path.is_dir() else path for path in map(site_folder.joinpath, names)
    ]
    assert site_folder / SITE / "data" / "topple.wasm.gz" in paths
    assert 200_000 < sum(path.stat().st_size for path in paths) < 280_000


def test_all_is_played_after_the_network_is_cut(
    make_visitor: MakeVisitor, host: Host, tmp_path: Path
) -> None:
    visitor = make_visitor(host.address + SITE, permissions=["clipboard-read", "clipboard-write"])
    page = visitor.page
    visitor.go("#/iphyre")
    expect(page.locator("html[data-offline=ready]")).to_be_attached(timeout=30_000)
    assert all(path.startswith(f"/{SITE}") for path in host.requests)  # under a path prefix
    host.cut()

    # PHYRE with one ball and with two.
    _solve(visitor)
    replay = _copied(visitor, page.get_by_role("button", name="Copy link"))
    solution = find_solution(RunIndex(()), published_task(TWO_BALLS))
    assert solution is not None
    visitor.go(f"#/phyre/{TWO_BALLS}?action={_balls(solution[0])}")
    visitor.press("Simulate")
    expect(visitor.verdict).to_contain_text("Solved on attempt 1")

    # I-PHYRE, live: the clock runs in the worker.
    visitor.go("#/iphyre/support")
    visitor.press("Start")
    expect(page.get_by_role("button", name="Restart")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(visitor.verdict).to_contain_text("Solved", timeout=16_000)

    # A replay that is all in its link.
    visitor.page.goto("about:blank")
    page.goto(replay)
    expect(page.get_by_text("Solved", exact=True).first).to_be_visible()

    # Make a puzzle, and open its link where nobody has it.
    visitor.go("#/make/phyre")
    page.get_by_label("Name").fill("A small step")
    visitor.press("Save")
    visitor.go("#/make")
    link = _copied(visitor, page.get_by_role("button", name="Copy a link to A small step"))
    exported, records = _export(visitor, tmp_path)
    page.evaluate("(async () => (await import('./api.js')).api.delete('me'))()")
    visitor.go("#/make")
    expect(page.get_by_text("There are no puzzles yet")).to_be_visible()
    page.goto("about:blank")
    page.goto(link)
    expect(visitor.canvas).to_be_visible()
    expect(page.get_by_role("heading", name="A small step")).to_be_visible()

    assert exported["engine"] == {
        benchmark.value: find_benchmark(benchmark.value).engine_hash() for benchmark in Benchmark
    }
    played = [(one["benchmark"], one.get("task", one.get("game"))) for one in exported["attempts"]]
    assert played == [("phyre", TASK), ("phyre", TWO_BALLS), ("iphyre", "support")]
    assert [record.protocol["client"]["differing_outcomes"] for record in records] == [0, 0, 0]


def _export(visitor: Visitor, folder: Path) -> tuple[Any, list[RunRecord[Any, Any]]]:
    """The file of attempts that the page writes, and the records that they are scored as."""
    visitor.press("Settings")
    for benchmark in Benchmark:
        told = find_benchmark(benchmark.value).engine_hash()
        expect(visitor.page.locator(".about")).to_contain_text(told)
    with visitor.page.expect_download() as download:
        visitor.press("Export my attempts")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return json.loads(path.read_text()), export_records(path)


def _film(visitor: Visitor, kind: str, folder: Path) -> Path:
    with visitor.page.expect_download(timeout=60_000) as download:
        visitor.press(kind)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_the_browser_makes_films(make_visitor: MakeVisitor, host: Host, tmp_path: Path) -> None:
    visitor = make_visitor(host.address + SITE)
    action = action_of(SOLVING)
    visitor.go(f"#/replay/phyre/{TASK}?action={_balls(action)}")
    # The films that the server draws of the same attempt: 20 frames a second, held for a second.
    theirs = film(published_task(TASK).scene, action, 512, 20).frames

    with Image.open(_film(visitor, "GIF", tmp_path)) as gif:
        assert (gif.size, gif.info["loop"]) == ((512, 512), 0)
        shown, seconds = [], 0.0
        for frame in ImageSequence.Iterator(gif):
            seconds += frame.info["duration"] / 1000
            shown.append(np.asarray(frame.convert("RGB")))
    assert len(shown) > 100
    assert seconds == pytest.approx((len(theirs) - 1) / 20 + 1, abs=0.1)

    with av.open(str(_film(visitor, "MP4", tmp_path))) as file:
        [video] = file.streams.video
        assert video.average_rate == pytest.approx(20, rel=0.2)
        frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video)]
    assert (frames[0].shape, len(frames)) == ((512, 512, 3), len(theirs))
    for ours in (shown, frames):
        for place in (0, -1):
            # The dot of a ball and the smoothing of edges differ.
            apart = np.abs(ours[place].astype(int) - theirs[place]).max(axis=2)
            assert (apart > 60).mean() < 0.01
        assert (np.abs(ours[0].astype(int) - ours[-1]).max(axis=2) > 60).mean() > 0.01

    visitor.go("#/replay/iphyre/support?plan=30:0,40:1")
    with Image.open(_film(visitor, "GIF", tmp_path)) as gif:
        assert gif.size == (600, 600)
        assert getattr(gif, "n_frames", 1) > 20


@pytest.mark.parametrize(
    ("run", "subject", "heading", "imagined"),
    [
        ("IMAGINE", TASK, "Bar on the brink", "imagined 100 actions"),
        ("games in its head", "support", "Support", "imagined 20 plans"),
    ],
)
@pytest.mark.parametrize("static", [False, True])
def test_what_an_agent_imagined_is_seen_as_ghosts(
    make_visitor: MakeVisitor,
    host: Host,
    address: str,
    static: bool,
    run: str,
    subject: str,
    heading: str,
    imagined: str,
) -> None:
    visitor = make_visitor(host.address + SITE if static else address)
    page = visitor.page
    visitor.go("#/watch")
    page.get_by_role("link", name=run).click()
    page.get_by_role("link", name=subject).click()
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.get_by_text("worked in its head")).to_contain_text(imagined)

    def picture() -> str:
        page.wait_for_timeout(100)  # it is drawn before the next frame of the screen
        return str(visitor.canvas.evaluate("(canvas) => canvas.toDataURL()"))

    with_ghosts = picture()
    page.get_by_label("Show what it imagined").uncheck()
    without = picture()
    assert with_ghosts != without
    page.get_by_label("Show what it imagined").check()
    assert picture() == with_ghosts


CLOCKWISE = {"polygon": [[0, 0], [0, 9], [9, 0]]}
BAD_SCENES: list[Any] = [
    {},
    {"bodies": 3},
    {"bodies": [], "gaol": None},
    {"bodies": [{"dynamic": True, "position": [1, 2], "shapes": [{"circle": 1}]}]},
    {
        "bodies": [
            {"dynamic": False, "position": [99, 9], "shapes": [{"circle": 9}]},
            {"dynamic": True, "position": [9, 9], "shapes": [CLOCKWISE]},
        ],
        "goal": {"first": 0, "second": 1},
    },
    {
        "bodies": [
            {"dynamic": False, "position": [99, 9], "shapes": [{"circle": 9}]},
            {"dynamic": True, "position": [9, 9], "shapes": []},
        ],
        "goal": {"first": 0, "second": 1},
    },
]
BALL = {"centre": [300, 300]}
BAD_GAMES: list[Any] = [
    {"name": "no ball", "blocks": [], "balls": []},
    {"name": "none", "blocks": [], "balls": []},
    {"name": "low", "blocks": [], "balls": [{"centre": [1, 900]}]},
    {"name": "dot", "blocks": [{"kind": "gray", "ends": [1, 1, 1, 1]}], "balls": [BALL]},
    {"name": "red", "blocks": [{"kind": "red", "ends": [1, 1, 2, 1]}], "balls": [BALL]},
    {"name": "stuck", "blocks": [], "balls": [BALL], "sticks": [[0, 0]]},
    {
        "name": "two",
        "blocks": [
            {"kind": "gray", "ends": [0, 9, 90, 9]},
            {"kind": "gray", "ends": [0, 9, 90, 9]},
        ],
        "balls": [BALL],
    },
]


def _sent(benchmark: str, data: Any) -> dict[str, Any]:
    return {"name": "Mine", "benchmark": benchmark, "tier": "ball", "data": data}


def _own(benchmark: Benchmark) -> dict[str, Any]:
    return _sent(benchmark.value, blank(benchmark).data)


GOOD = {"action": action_of(SOLVING)}
COVERED = {"action": [0.5, 0.02, 0.5]}
CALLS: list[tuple[Any, ...]] = [
    ("get", "phyre/templates"),
    ("get", f"phyre/tasks/{TASK}"),
    ("post", f"phyre/tasks/{TASK}/validate", GOOD),
    ("post", f"phyre/tasks/{TASK}/validate", COVERED),
    ("post", f"phyre/tasks/{TASK}/attempts", COVERED),
    ("post", f"phyre/tasks/{TASK}/attempts", GOOD),
    ("post", f"phyre/tasks/{TASK}/attempts", {**GOOD, "stride": 7}),
    ("post", f"phyre/tasks/{TASK}/attempts", {"action": [0.5, 2, 0]}),
    ("get", f"phyre/tasks/{TASK}/attempts"),
    ("get", "phyre/templates/00009/tasks"),
    ("get", "phyre/templates/77777/tasks"),
    ("get", "phyre/tasks/00009:999"),
    ("post", f"phyre/tasks/{TWO_BALLS}/hints", {"level": 1}),
    ("post", f"phyre/tasks/{TWO_BALLS}/hints", {"level": 3}),
    ("get", f"phyre/tasks/{TWO_BALLS}"),
    ("get", "iphyre/games/hole"),
    ("get", "iphyre/games/nowhere"),
    ("get", "iphyre/standing"),
    ("post", "iphyre/games/hole/hints", {"level": 2}),
    ("post", "iphyre/games/support/solution", {}),
    ("get", "replays/iphyre/support", {"plan": "30:0,60:1", "hz": 10}),
    ("get", "replays/iphyre/support", {"plan": "30:2"}),
    ("get", "replays/iphyre/support", {"plan": "later"}),
    ("get", f"replays/phyre/{TWO_BALLS}", {"action": "0.1,0.9,0.2,0.3,0.9,0.2"}),
    ("get", "me/progress"),
    ("get", "puzzles/blank", {"benchmark": "phyre"}),
    *(("post", "puzzles/check", _own(benchmark)) for benchmark in Benchmark),
    ("post", "puzzles", _own(Benchmark.PHYRE)),
    ("post", "puzzles", _sent("phyre", BAD_SCENES[-1])),
]


def test_both_back_ends_answer_alike(
    make_visitor: MakeVisitor, host: Host, visitor: Visitor
) -> None:
    visitor.go("#/make")
    local = make_visitor(host.address + SITE)
    local.go("#/make")
    checks = [
        ("post", "puzzles/check", _sent(benchmark, data))
        for benchmark, several in (("phyre", BAD_SCENES), ("iphyre", BAD_GAMES))
        for data in several
    ]
    both = [
        [_comparable(answer) for answer in page.page.evaluate(ASK, [*CALLS, *checks])]
        for page in (visitor, local)
    ]
    refusals = [problem for problem in visitor.problems if "status of 4" in problem]
    assert visitor.problems == refusals  # which some of the calls ask for
    visitor.problems.clear()
    for call, theirs, ours in zip([*CALLS, *checks], *both, strict=True):
        if call in checks:  # the sentences may differ; the verdict and the body at fault may not
            assert not theirs["ok"]
            assert {**theirs, "error": ours["error"]} == ours, call
        else:
            assert ours == theirs, call


def _comparable(answer: Any) -> Any:
    """An answer without ids and what is computed in the background."""
    if isinstance(answer, list):
        return [_comparable(value) for value in answer]
    if not isinstance(answer, dict):
        return answer
    made_here = answer.get("subject", "").startswith("own:")
    left_out = {"id", "subject", "thumbnail"} if made_here else set()
    if isinstance(answer.get("id"), int):
        left_out.add("id")
    return {name: _comparable(value) for name, value in answer.items() if name not in left_out}


@pytest.mark.parametrize(
    "puzzle",
    [
        "AAAA",
        "not base64!",
        "A" * 70_000,
        # Ten megabytes of letters, which are a few thousand bytes in the link.
        base64.urlsafe_b64encode(zlib.compress(b'"' + b"A" * 10_000_000)[2:-4]).decode(),
    ],
)
def test_damaged_links_are_refused(visitor: Visitor, puzzle: str) -> None:
    visitor.go(f"#/phyre/own:aaaaaaaaaaaa?puzzle={puzzle.rstrip('=')}")
    expect(visitor.page.get_by_role("alert")).to_contain_text("This link holds no puzzle.")


def test_opened_as_a_file_it_plays(make_visitor: MakeVisitor, site_folder: Path) -> None:
    visitor = make_visitor((site_folder / SITE / "index.html").as_uri())
    _solve(visitor)
    # The browser says that it loads no modules from files; the page starts without them.
    refused = [text for text in visitor.problems if "CORS" in text or "ERR_FAILED" in text]
    assert visitor.problems == refused
    visitor.problems.clear()
