from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from support.command_line import topple, topple_json, topple_mistake

ORACLE = Path(__file__).resolve().parents[2] / "results" / "iphyre" / "oracle.json"


def test_table_a4() -> None:
    text = topple("reproduce", "tableA4", "--agents", "random").stdout
    assert "40 of 40 games equal" in text
    assert "360.33" in text
    assert "360.17" in text
    data = topple_json("reproduce", "tableA4", "--agents", "random")
    assert (data["equal"], data["of"]) == (40, 40)
    assert [row["equal"] for row in data["averages"][:3]] == [True] * 3
    assert "no agent 'ppo'" in topple_mistake("reproduce", "tableA4", "--agents", "ppo")


def test_games() -> None:
    assert len(topple_json("iphyre", "games")) == 40
    assert len(topple_json("iphyre", "games", "--games", "all")) == 50
    assert "noisy_hole" in topple("iphyre", "games", "--games", "noisy,support").stdout
    assert "no game is named 'nix'" in topple_mistake("iphyre", "games", "--games", "nix")


def test_play(tmp_path: Path) -> None:
    text = topple("iphyre", "play", "seesaw", "--times", "-,4.821").stdout
    assert text == "seesaw: solved at 9.00 s, 1 removed, reward 981.00\n"
    assert topple_json("iphyre", "play", "support", "--hz", "10", "--times", ".7,1")["solved"]
    topple("iphyre", "play", "hole", "--out", tmp_path / "hole.gif", "--size", "60")
    assert (tmp_path / "hole.gif").exists()


def test_play_on_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pymunk")
    args = ("iphyre", "play", "seesaw", "--times", "-,4.821", "--engine")
    assert topple(*args, "pymunk").stdout == topple(*args, "native").stdout
    monkeypatch.setitem(sys.modules, "pymunk", None)
    monkeypatch.setitem(sys.modules, "pymunk._chipmunk_cffi", None)
    monkeypatch.delitem(sys.modules, "topple.iphyre.engine.pymunk_engine", raising=False)
    monkeypatch.delitem(sys.modules, "topple.pymunk_memory", raising=False)
    assert "run: pip install 'topple[pymunk]'" in topple_mistake(*args, "pymunk")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("play hole --times 1,x", "'x' is not a time"),
        ("play hole --times -1", "time -1.0 s"),
        ("play hole --times 99999", "times are from 0 to 15 s"),
        ("play hole --times 1", "has 4 gray blocks, but --times has 1; give a time"),
        ("play hole --times 1", "such as --times=1,-,-,-"),
        ("play hole --hz 30", "--hz is "),
        ("play hole --out hole.avi", "must end in"),
        ("play mine --file none.json", "there is no such file"),
        ("timing --out x --oracle none --games hole", "no such file"),
    ],
)
def test_mistakes_are_explained(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in topple_mistake("iphyre", *words.split())


def test_own_games(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(
        '{"name": "mine", "blocks": [{"kind": "gray", "ends": [200, 400, 300, 400]}],'
        ' "balls": [{"centre": [250, 340]}]}'
    )
    assert topple("iphyre", "check", path).stdout == "mine: 2 bodies, 1 gray blocks, valid\n"
    assert "solved" in topple("iphyre", "play", "mine", "--file", path, "--times", "0.5").stdout
    said = topple_mistake("iphyre", "play", "hers", "--file", path)
    assert "has no game 'hers'; it has mine" in said
    topple("iphyre", "picture", "mine", "--out", tmp_path / "mine.png", "--file", path)
    assert (tmp_path / "mine.png").exists()


def test_sheets(tmp_path: Path) -> None:
    topple("iphyre", "sheets", "--out", tmp_path, "--size", "40")
    assert len(list(tmp_path.glob("*.png"))) == 5


def test_sample(tmp_path: Path) -> None:
    words = ("iphyre", "sample", "--out", tmp_path, "--games", "support", "--count", "4")
    (row,) = topple_json(*words)
    assert (row["game"], row["episodes"]) == ("support", 8)
    (file,) = tmp_path.iterdir()
    assert row["file"] == str(file)
    stamp = file.stat().st_mtime_ns
    topple(*words)
    assert file.stat().st_mtime_ns == stamp


def test_analyses(tmp_path: Path) -> None:
    games = ("--games", "support,pendulum")
    oracle = ("--oracle", tmp_path / "oracle.json")
    few = ("--out", tmp_path / "oracle.json", *games, "--attempts", "300")
    assert "pendulum" in topple("iphyre", "oracle", *few).stdout
    words = ("--out", tmp_path / "difficulty.json", *games, "--count", "5")
    rows = topple_json("iphyre", "difficulty", *words)
    assert [row["game"] for row in rows] == ["support", "pendulum"]
    figure = tmp_path / "timing.png"
    out = ("--out", tmp_path / "timing.json", "--figure", figure)
    topple("iphyre", "timing", *out, *oracle, *games)
    assert figure.exists()
    words = ("--out", tmp_path / "s.json", "--games", "direction", "--samples", "20")
    assert topple_json("iphyre", "solvability", *words)[0]["plans"] == 20
    said = topple_mistake("iphyre", "failures", *oracle)
    assert "oracle.json has no plan that solves 'hinder'" in said


def test_failures(tmp_path: Path) -> None:
    """The random agent solves 4, 2, 1 and 3 games of the splits, as Table A4 shows."""
    rows = topple_json("iphyre", "failures", "--oracle", ORACLE)
    assert [row["SN"] for row in rows] == [4, 2, 1, 3, 10]
    assert rows[-1]["total"] == 40
    perfect = tmp_path / "attempts.json"
    perfect.write_text(json.dumps({"hinder": {"order": [1, 2], "solved": False}}))
    *_, row = topple_json("iphyre", "failures", "--oracle", ORACLE, "--played", perfect)
    assert (row["RON"], row["SRON"], row["P(T|F)"]) == (1, 0, 1.0)
