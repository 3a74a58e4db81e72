from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from topple.cli.main import app

ORACLE = Path(__file__).resolve().parents[2] / "results" / "iphyre" / "oracle.json"


def run(*words: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    if code:
        assert "Traceback" not in result.output
        return result.stderr
    return result.stdout


def test_table_a4() -> None:
    text = run("reproduce", "tableA4", "--agents", "random")
    assert "40 of 40 games equal" in text
    assert "360.33" in text
    assert "360.17" in text
    data = json.loads(run("reproduce", "tableA4", "--agents", "random", "--json"))
    assert (data["equal"], data["of"]) == (40, 40)
    assert [row["equal"] for row in data["averages"][:3]] == [True] * 3
    assert "no agent 'ppo'" in run("reproduce", "tableA4", "--agents", "ppo", code=2)


def test_games() -> None:
    assert len(json.loads(run("iphyre", "games", "--json"))) == 40
    assert len(json.loads(run("iphyre", "games", "--games", "all", "--json"))) == 50
    assert "noisy_hole" in run("iphyre", "games", "--games", "noisy,support")
    assert "no game is named 'nix'" in run("iphyre", "games", "--games", "nix", code=2)


def test_play(tmp_path: Path) -> None:
    text = run("iphyre", "play", "seesaw", "--times", "-,4.821")
    assert text == "seesaw: solved at 9.00 s, 1 removed, reward 981.00\n"
    args = ("iphyre", "play", "support", "--hz", "10", "--times", ".7,1", "--json")
    assert json.loads(run(*args))["solved"] is True
    run("iphyre", "play", "hole", "--out", tmp_path / "hole.gif", "--size", "60")
    assert (tmp_path / "hole.gif").exists()


def test_play_on_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pymunk")
    args = ("iphyre", "play", "seesaw", "--times", "-,4.821", "--engine")
    assert run(*args, "pymunk") == run(*args, "native")
    monkeypatch.setitem(sys.modules, "pymunk", None)
    monkeypatch.setitem(sys.modules, "pymunk._chipmunk_cffi", None)
    monkeypatch.delitem(sys.modules, "topple.iphyre.engine.pymunk_engine", raising=False)
    monkeypatch.delitem(sys.modules, "topple.pymunk_memory", raising=False)
    assert "run: pip install 'topple[pymunk]'" in run(*args, "pymunk", code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("play", "hole", "--times", "1,x"), "'x' is not a time"),
        (("play", "hole", "--times", "-1"), "time -1.0 s"),
        (("play", "hole", "--times", "99999"), "times are from 0 to 15 s"),
        (("play", "hole", "--times", "1"), "has 4 gray blocks, but --times has 1; give a time"),
        (("play", "hole", "--times", "1"), "such as --times=1,-,-,-"),
        (("play", "hole", "--hz", "30"), "--hz is "),
        (("play", "hole", "--out", "hole.avi"), "must end in"),
        (("play", "mine", "--file", "none.json"), "there is no such file"),
        (("timing", "--out", "x", "--oracle", "none", "--games", "hole"), "no such file"),
    ],
)
def test_mistakes_are_explained(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in run("iphyre", *words, code=2)


def test_own_games(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(
        '{"name": "mine", "blocks": [{"kind": "gray", "ends": [200, 400, 300, 400]}],'
        ' "balls": [{"centre": [250, 340]}]}'
    )
    assert run("iphyre", "check", path) == "mine: 2 bodies, 1 gray blocks, valid\n"
    assert "solved" in run("iphyre", "play", "mine", "--file", path, "--times", "0.5")
    assert "has no game 'hers'; it has mine" in run(
        "iphyre", "play", "hers", "--file", path, code=2
    )
    run("iphyre", "picture", "mine", "--out", tmp_path / "mine.png", "--file", path)
    assert (tmp_path / "mine.png").exists()


def test_sheets(tmp_path: Path) -> None:
    run("iphyre", "sheets", "--out", tmp_path, "--size", "40")
    assert len(list(tmp_path.glob("*.png"))) == 5


def test_sample(tmp_path: Path) -> None:
    words = ("iphyre", "sample", "--out", tmp_path, "--games", "support", "--count", "4")
    (row,) = json.loads(run(*words, "--json"))
    assert (row["game"], row["episodes"]) == ("support", 8)
    (file,) = tmp_path.iterdir()
    assert row["file"] == str(file)
    stamp = file.stat().st_mtime_ns
    run(*words)
    assert file.stat().st_mtime_ns == stamp


def test_analyses(tmp_path: Path) -> None:
    games = ("--games", "support,pendulum")
    oracle = ("--oracle", tmp_path / "oracle.json")
    text = run("iphyre", "oracle", "--out", tmp_path / "oracle.json", *games, "--attempts", "300")
    assert "pendulum" in text
    words = ("--out", tmp_path / "difficulty.json", *games, "--count", "5")
    rows = json.loads(run("iphyre", "difficulty", *words, "--json"))
    assert [row["game"] for row in rows] == ["support", "pendulum"]
    figure = tmp_path / "timing.png"
    run("iphyre", "timing", "--out", tmp_path / "timing.json", *oracle, *games, "--figure", figure)
    assert figure.exists()
    few = ("--games", "direction", "--samples", "20", "--json")
    assert (
        json.loads(run("iphyre", "solvability", "--out", tmp_path / "s.json", *few))[0]["plans"]
        == 20
    )
    message = run("iphyre", "failures", *oracle, code=2)
    assert "oracle.json has no plan that solves 'hinder'" in message


def test_failures(tmp_path: Path) -> None:
    """The random agent solves 4, 2, 1 and 3 games of the splits, as Table A4 shows."""
    rows = json.loads(run("iphyre", "failures", "--oracle", ORACLE, "--json"))
    assert [row["SN"] for row in rows] == [4, 2, 1, 3, 10]
    assert rows[-1]["total"] == 40
    perfect = tmp_path / "attempts.json"
    order = [1, 2]
    perfect.write_text(json.dumps({"hinder": {"order": order, "solved": False}}))
    row = json.loads(run("iphyre", "failures", "--oracle", ORACLE, "--played", perfect, "--json"))[
        -1
    ]
    assert (row["RON"], row["SRON"], row["P(T|F)"]) == (1, 0, 1.0)
