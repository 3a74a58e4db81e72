from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from support.command_line import topple, topple_json, topple_mistake
from topple.phyre import load_task
from topple.phyre.cache import grid
from topple.phyre.cache.table import load_table
from topple.phyre.engine.native import simulate_batch
from topple.phyre.puzzle_file import read_puzzles
from topple.phyre.scene.codec import scene_to_json

TEMPLATE = """
from topple.phyre import SceneBuilder, Tier, template

@template("drop", Tier.BALL, x=(60, 120))
def build(s, x):
    s.goal(s.dynamic.ball(0.1, left=x, bottom=50), s.static.bar(1.0, left=0, bottom=0))
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def image_size(path: str) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def test_scrambled_puzzles_are_written_for_other_commands() -> None:
    options = ("--setup", "ball_cross", "--count", "3", "--actions", "8", "--picture")
    facts = topple_json("tasks", "scramble", *options, "--out", "made")
    assert (facts["puzzles"], facts["tier"], facts["kind"]) == (3, "ball", "scrambled")
    assert facts["attempts_simulated"] <= facts["scenes_drawn"] * 8
    assert facts["files"] == ["made/puzzles.json", "made/puzzles.png"]
    assert image_size("made/puzzles.png")[0] > 3 * 192
    alone, among = (
        topple_json("show", *words, "--out", "x.png")
        for words in (["made/0002.json"], ["made/puzzles.json", "--number", "2"])
    )
    assert alone == among
    assert alone["puzzle"] == "scrambled-0:002"
    scored = ("--agent", "rand", "--puzzles", "made/puzzles.json", "--attempts", "5")
    [record] = topple_json("evaluate", *scored)
    assert record["tasks"] == 3
    # A finished run is read again, unless the file has other puzzles by now.
    [again] = topple_json("evaluate", *scored)
    assert again == record
    facts = topple_json("tasks", "scramble", *options, "--seed", "1", "--out", "made")
    assert facts["seed"] == 1
    [other] = topple_json("evaluate", *scored)
    assert other != record


def test_blended_puzzles_are_made_of_the_tasks_of_a_template() -> None:
    options = ("--kind", "blended", "--tasks", "00005", "--count", "2", "--actions", "64")
    facts = topple_json("tasks", "scramble", *options, "--out", "made")
    assert (facts["puzzles"], facts["tier"], facts["kind"]) == (2, "ball", "blended")
    shown = topple_json("show", "made/0001.json", "--out", "x.png")
    assert shown["puzzle"] == "blended-0:001"
    task = load_task("00005:178")
    for puzzle in read_puzzles(Path("made/puzzles.json")):
        assert [body.kind for body in puzzle.scene.bodies] == [
            body.kind for body in task.scene.bodies
        ]


def test_scramble_refuses_held_out_tasks_and_contradictions() -> None:
    fold = ("tasks", "scramble", "--out", "x", "--setup", "ball_cross", "--fold", "0")
    held_out = topple_json("tasks", "--setup", "ball_cross", "--part", "test", "--ids")[0]
    for arguments, message in (
        ((*fold, "--tasks", held_out), f"task '{held_out}' is a test task of fold 0"),
        (("tasks", "scramble", "--out", "x", "--fold", "1"), "--fold needs a --setup"),
        ((*fold, "--kind", "free"), "free puzzles are made of no tasks"),
        ((*fold, "--kind", "blended", "--tasks", held_out), "is a test task of fold 0"),
        (
            ("tasks", "scramble", "--out", "x", "--kind", "blended", "--tasks", "00001:012"),
            "no two of the tasks are made of the same bodies",
        ),
        (("tasks", "scramble", "--out", "x"), "give a --tier, tasks, or a --setup"),
        (("evaluate", "--agent", "rand", "--puzzles", "none.json"), "none.json"),
    ):
        assert message in topple_mistake(*arguments)
    assert not Path("x").exists()


def test_tasks_lists_templates_tasks_and_folds() -> None:
    assert len(topple_json("tasks")) == 50
    assert {row["tier"] for row in topple_json("tasks", "--tier", "two_balls")} == {"two_balls"}
    of_fold = ("tasks", "--setup", "ball_within", "--fold", "3", "--part", "dev")
    rows = topple_json("tasks", "--templates", "00001")
    assert len(rows) == 100
    assert rows[0]["task"] == "00001:000"
    assert "green ball" in rows[0]["description"]
    assert len(topple_json(*of_fold, "--ids")) == 400
    assert len(topple("tasks", "--ids").stdout.splitlines()) == 5000
    assert "00024" in topple("tasks", "--tier", "ball").stdout


def test_show_describes_and_draws() -> None:
    assert "description: Make sure" in topple("show", "00001:000").stdout
    facts = topple_json("show", "00001:000", "--action", "0.6,0.8,0.2", "--out", "a.png")
    assert facts["outcome"] == "not_solved"
    assert facts["action"] == [0.6, 0.8, 0.2]
    assert image_size("a.png") == (512, 512)
    topple("show", "00001:000", "--action", "0.6,0.8,0.2", "--out", "a.gif", "--size", "64")
    with Image.open("a.gif") as gif:
        assert gif.size == (64, 64)
        assert getattr(gif, "n_frames", 1) > 50


def test_show_takes_two_balls_and_finds_solutions() -> None:
    action = ("--action", "0.1,0.8,0.1", "--action", "0.9,0.9,0.1")
    assert len(topple_json("show", "00104:000", *action)["action"]) == 6
    facts = topple_json("show", "00002:007", "--solve", "--out", "a.mp4", "--size", "64")
    assert facts["outcome"] == "solved"
    assert Path("a.mp4").stat().st_size


def test_show_takes_files_of_ones_own() -> None:
    Path("drop.py").write_text(TEMPLATE)
    facts = topple_json("show", "drop.py", "--number", "1", "--out", "drop.gif", "--size", "32")
    assert facts["puzzle"] == "drop:001"
    assert facts["outcome"] == "solved"
    Path("mine.json").write_text(scene_to_json(load_task("00002:007").scene))
    facts = topple_json("show", "mine.json", "--action", "0.8,0.5,0.2", "--out", "mine.png")
    assert facts["outcome"] == "not_solved"


def test_sheet_draws_a_tier() -> None:
    facts = topple_json("sheet", "--tier", "ball", "--out", "s.png", "--size", "32")
    assert image_size("s.png") == (facts["width"], facts["height"])
    several = ("--tasks-per-template", "5", "--out", "s.png", "--size", "32")
    assert "pixels" in topple("sheet", "--tier", "ball", *several).stdout


def test_simulate_makes_a_table() -> None:
    np.save("actions.npy", np.random.default_rng(0).uniform(size=(20, 3)))
    arguments = ("simulate", "--tasks", "00001:000,00002:007", "--actions", "actions.npy")
    facts = topple_json(*arguments, "--out", "t.npz", "--threads", "1")
    assert facts["attempts"] == 40
    assert facts["not_solved"] + facts["invalid"] + facts["solved"] == 40
    assert load_table(Path("t.npz")).tasks == ("00001:000", "00002:007")
    again = topple(*arguments, "--out", "t.npz", "--stable", "--overwrite")
    assert "2 tasks x 20 actions" in again.stdout


def test_simulate_takes_up_a_stopped_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "UNIT_ACTIONS", 10)
    calls: list[int] = []

    def stop_at_third(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return simulate_batch(*args, **options)

    monkeypatch.setattr(grid, "simulate_batch", stop_at_third)
    arguments = ("simulate", "--tasks", "00001:000", "--actions", "35", "--out", "t.npz")
    assert "run the same command again to resume" in topple(*arguments, code=130).stderr
    assert not Path("t.npz").exists()
    assert topple_json(*arguments)["resumed"] == 20
    assert len(calls) == 5
    assert [path.name for path in Path().iterdir()] == ["t.npz"]


def test_demo_writes_a_report_and_takes_it_up() -> None:
    arguments = ("demo", "--actions", "20", "--clips", "1", "--out", "demo")
    facts = topple_json(*arguments)
    page = Path("demo/index.html").read_text()
    assert facts["report"] == "demo/index.html"
    assert page.count("data:image/gif") == 2
    assert page.count("data:image/png") == 2
    assert 'src="http' not in page
    before = Path("demo/ball.npz").stat().st_mtime_ns
    assert "open " in topple(*arguments).stdout
    assert Path("demo/ball.npz").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("tasks --tier balls", "unknown tier 'balls'"),
        ("tasks --templates 00099", "no published template '00099'"),
        ("tasks --tier ball --templates 00100", "does not belong to tier 'ball'"),
        ("tasks --fold 0", "--fold and --part need a --setup"),
        ("tasks --part dev", "--fold and --part need a --setup"),
        ("tasks --setup ball", "unknown setup 'ball'"),
        ("tasks --setup ball_cross --fold 10", "invalid value '10' for '--fold'"),
        ("tasks --setup ball_cross --part val", "'val' is not one of 'train', 'dev', 'test'"),
        ("tasks --templates 00001 --setup ball_cross", "not both"),
        ("show 1", "'1' is no task id"),
        ("show 00001:9999", "unknown task '00001:9999'"),
        ("show none.json", "none.json: No such file"),
        ("show none.py", "no template file at none.py"),
        ("show broken.py", "broken.py: ZeroDivisionError"),
        ("show broken.json", "this is no JSON"),
        ("show latin.json", "'utf-8' codec can't decode"),
        ("show drop.py --number 9", "template drop has no task number 9"),
        ("show 00001:000 --out a.txt", "a.txt must end in .png"),
        ("show 00001:000 --action 1,2,x", "'x' in an action is not a number"),
        ("show 00001:000 --action 1,2,3", "between 0 and 1"),
        ("show 00001:000 --action 0.5,0.5", "takes 3 numbers"),
        ("show 00001:000 --action 0.5,0,1", "does not fit 00001:000"),
        ("show 00001:000 --action 0.5,0.5,0.1 --solve", "not both"),
        ("show 00001:000 --size 0 --out a.png", "invalid value '0' for '--size'"),
        ("show 00001:000 --fps 7 --out a.gif", "7 frames a second"),
        ("sheet --tier ball --out a.gif", "must end in .png"),
        ("simulate --actions 5 --out t.npz", "give a --tier, tasks, or a --setup"),
        ("simulate --tier ball --actions none.npy --out t.npz", "none.npy: No such file"),
        ("simulate --tier ball --actions broken.py --out t.npz", "is not a .npy file"),
        ("simulate --tier two_balls --actions 3.npy --out t.npz", "take [actions, 6]"),
        ("simulate --tier ball --actions text.npy --out t.npz", "is not a .npy file"),
        ("simulate --tier ball --actions 5 --out t.txt", "must end in .npz"),
        ("simulate --tier ball --actions 5 --out other.npz", "holds something else"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: str, message: str) -> None:
    Path("drop.py").write_text(TEMPLATE)
    Path("broken.py").write_text("1 / 0")
    Path("broken.json").write_text("{")
    Path("latin.json").write_bytes(b"\xe9")
    Path("other.npz").write_text("other")
    np.save("3.npy", np.zeros((2, 3)))
    np.save("text.npy", np.array(["a"]))
    before = sorted(path.name for path in Path().iterdir())
    assert message in topple_mistake(*arguments.split())
    assert sorted(path.name for path in Path().iterdir() if path.name != "__pycache__") == before
