"""The evaluation commands, on a few tasks."""

from __future__ import annotations

from pathlib import Path

from support.command_line import topple, topple_json, topple_mistake

TEMPLATE = """
from topple.phyre import SceneBuilder, Tier, W, lin, template


@template("mine", Tier.BALL, x=lin(0.3, 0.7, 3))
def build(s: SceneBuilder, x: float) -> None:
    "A ball falls beside a bar."
    bar = s.static.bar(0.2, center_x=W / 2, bottom=0)
    ball = s.dynamic.ball(0.1, center_x=x * W, bottom=100)
    s.goal(ball, bar)
"""


def test_analyses_leave_a_figure_and_its_data(tmp_path: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "figures"
    common = ("00004", "--actions", "20", "--cache", cache)
    for command, names in (
        ("difficulty", ("figure2a", "figure2b")),
        ("diversity", ("diversity_ball",)),
    ):
        told = topple_json("analyse", command, *common, "--out", out)
        (table,) = told["tables"]
        assert [row["template"] for row in table["rows"]] == ["00004"]
        assert told["files"] == [str(out / f"{n}.{end}") for n in names for end in ("svg", "csv")]
        for name in names:
            assert (out / f"{name}.svg").read_text().startswith("<svg")
            assert (out / f"{name}.csv").read_text().count("\n") > 1


def test_own_templates_are_analysed_like_published_ones(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TEMPLATE)
    out = tmp_path / "figures"
    cache = tmp_path / "cache"
    topple("analyse", "diversity", file, "--actions", "30", "--cache", cache, "--out", out)
    assert "mine,3," in (out / "diversity_ball.csv").read_text()


def test_solvability_resumes(tmp_path: Path) -> None:
    options = ("--min-valid", "100", "--max-actions", "200", "--out", tmp_path)
    told = topple("analyse", "solvability", "00002", *options).stdout
    [row] = [line.split("|")[1:-1] for line in told.splitlines() if line.startswith("| 00002")]
    template, tasks, solvable, unsolvable, undecided, share = (cell.strip() for cell in row)
    assert (template, tasks) == ("00002", "100")
    assert int(solvable) + int(unsolvable) + int(undecided) == 100
    assert int(solvable) > 50
    assert 0 < float(share) < 1
    first = (tmp_path / "solvability_ball.csv").read_text()
    assert "00002:007,solvable,200" in first
    topple("analyse", "solvability", "00002", *options)
    assert (tmp_path / "solvability_ball.csv").read_text() == first


def test_mistakes_are_explained(tmp_path: Path) -> None:
    table2 = ("reproduce", "table2")
    assert "no row 'men'" in topple_mistake(*table2, "--agents", "men")
    assert "unknown setup 'b'" in topple_mistake(*table2, "--setups", "b")
    assert "is not a list of folds" in topple_mistake(*table2, "--folds", "a")
    assert "no run records" in topple_mistake("report", tmp_path)
    assert "no template file" in topple_mistake("analyse", "difficulty", tmp_path / "none.py")


def test_failures_are_those_of_the_matching_records(tmp_path: Path) -> None:
    runs, out = tmp_path / "runs", tmp_path / "figures"
    for agent in ("rand", "optimal"):
        words = ("evaluate", "--agent", agent, "--setup", "ball_within", "--attempts", "2")
        cache = ("--cache", tmp_path / "cache")
        topple(*words, "--tasks", "6", "--label", agent.upper(), *cache, "--runs", runs)
    told = topple_json("analyse", "failures", runs, "--named", "rand", "--out", out)
    [table] = told["tables"]
    assert table["title"] == "Failures of RAND"
    assert sum(int(row["tasks"]) for row in table["rows"]) == 6
    worst = [float(row["AUCCESS"]) for row in table["rows"]]
    assert worst == sorted(worst)
    assert told["files"] == [str(out / "never_solved.png")]
    assert (out / "never_solved.png").stat().st_size > 1000

    # What one of them solves is not unsolved any more.
    both = topple_json("analyse", "failures", runs, "--setup", "ball_within", "--out", out)
    never = [sum(int(row["never solved"]) for row in t["rows"]) for t in (table, both["tables"][0])]
    assert never[0] > never[1]
    mistake = topple_mistake("analyse", "failures", runs, "--named", "nobody")
    assert "matches --named and --setup" in mistake
