"""Bad values for every option of every command: one line that names the mistake, status 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command_line import topple_mistake
from support.command_tree import Leaf, tree

LEAVES = tree()[0]

#: A valid and small call of each command that needs words; the bad value comes last and wins.
CALLS = {
    "show": "00001:000",
    "simulate": "--actions 1 --tasks 00001:000 --out t.npz",
    "sheet": "--tier ball --out s.png",
    "iphyre difficulty": "--out o --games support --count 1",
    "iphyre oracle": "--out o --games support --attempts 1",
    "iphyre timing": "--out o --games support --oracle here",
    "iphyre solvability": "--out o --games support --samples 1",
    "iphyre failures": "--oracle here",
    "iphyre check": "none.json",
    "iphyre play": "support",
    "iphyre picture": "support --out p.png",
    "iphyre sheets": "--out o",
    "iphyre sample": "--out o --games support --count 1",
    "evaluate": "--agent rand --setup ball_within --tasks 1 --attempts 1",
    "report": "here",
    "reproduce figure6": "here",
    "reproduce iphyre-figures": "--out o --runs here",
    "reproduce tableA4": "--runs here",
    "reproduce tableA1": "--smoke --out o",
    "train": "--agent dqn --setup ball_within --smoke",
    "sweep": "ppo-i --smoke",
    "play": "--no-browser --port 99999",  # never started
    "llm-server": "--port 99999",
    "study create": "Pilot --benchmark iphyre --pool basic",
    "study show": "nobody",
    "study invite": "nobody P01",
    "study export": "nobody --out o.csv",
    "study check": "none.toml",
    "study delete": "nobody --yes",
    "analyse people": "nobody",
    "analyse difficulty": "00002 --actions 10",
    "analyse diversity": "00002 --actions 10",
    "analyse solvability": "00002 --max-actions 1",
    "cache build": "--templates 00002",
    "reproduce table2": "--agents rand --setups ball_within --folds 0",
    "reproduce figure4": "--setups ball_within --folds 0 --actions 10",
    "reproduce figure5": "--setups ball_within --folds 0",
}

#: Words that mean nothing, where any text can be read.
BAD = {
    "--action": "1,x",
    "--actions": "no.npy",
    "--agent": "nobody",
    "--agents": "nobody",
    "--backend": "gpu",
    "--base-url": "nowhere",  # not for this agent
    "--database": "nonsense",
    "--feedback": "praise",
    "--field": "x",
    "--folds": "x",
    "--from-player": "nobody",
    "--games": "nix",
    "--keyframes-by": "taste",
    "--participant": "P-AAAAAA",
    "--pool": "nix",
    "--seeds": "x",
    "--set": "x",
    "--setup": "ball",
    "--setups": "ball",
    "--study": "nobody",
    "--puzzle": "nix",
    "--table": "names",
    "--tasks": "99999:000",
    "--tasks-of-study": "nobody",
    "--templates": "99999",
    "--tier": "cube",
    "--times": "x",
    "--trusted-proxy": "nowhere",
}
#: Names that people choose, and what only a model or a cluster could refuse.
FREE = {"--address", "--allow-host", "--grid", "--group", "--host", "--key-variable", "--label"}
FREE |= {"--model", "--named", "--owner-key", "--preset", "--strategy", "--title"}


def bad_value(option: Any) -> str | None:
    """A value that an option cannot have; None if it takes anything, or none at all."""
    name = option.opts[0]
    if option.is_flag or name in FREE:
        return None
    annotation = str(option.type_descriptor.annotation)
    if name in BAD and "int" not in annotation:
        return BAD[name]
    if "Path" in annotation:
        return "file/under"  # a file is in the way, to read as well as to write
    assert "int" in annotation or "float" in annotation or "enum" in annotation, name
    return "x"


def cases() -> Iterator[Any]:
    for leaf in LEAVES:
        yield pytest.param(leaf, ["--no-such-option"], id=f"{leaf.path} --no-such-option")
        for option in leaf.options:
            value = bad_value(option)
            if value is not None:
                name = option.opts[0]
                yield pytest.param(leaf, [f"{name}={value}"], id=f"{leaf.path} {name}")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("CACHE", "DATA", "RUNS"):
        monkeypatch.setenv(f"TOPPLE_{name}", str(tmp_path / name.lower()))
    Path("file").write_text("no folder")
    Path("here").mkdir()


@pytest.mark.parametrize(("leaf", "words"), list(cases()))
def test_a_bad_value_is_one_line(leaf: Leaf, words: list[str]) -> None:
    topple_mistake(*leaf.path.split(), *CALLS.get(leaf.path, "").split(), *words)


@pytest.mark.parametrize(
    "path", [each.path for each in LEAVES if any(p.required for p in each.command.params)]
)
def test_what_is_missing_is_named(path: str) -> None:
    said = topple_mistake(*path.split())
    assert "missing" in said
    assert f"see `topple {path} --help`" in said


def test_commands_that_do_not_exist() -> None:
    for words in (["no-such-command"], ["study", "no-such-command"]):
        topple_mistake(*words)
    assert "Did you mean 'tasks'" in topple_mistake("taks")
    assert "invalid value '70000' for '--port'" in topple_mistake("play", "--port", "70000")
