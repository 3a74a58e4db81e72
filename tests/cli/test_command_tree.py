"""The commands as one whole: every one has help, examples and JSON; options mean one thing."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.command_line import topple
from support.command_tree import Group, Leaf, parse, tree
from topple.cli import main
from topple.cli.main import PANELS, app

LEAVES, GROUPS = tree()
SERVERS = {"play", "llm-server", "mcp"}  # these print no data

# Options whose help says more than the name does, since commands differ in what they write, draw
# or count. All begin alike.
ALIKE = {
    "--out": ("Folder for ", "File for "),
    "--actions": ("Number of ",),
    "--agents": ("Comma-separated ",),
    "--attempts": ("Number of attempts ",),
    "--clips": ("Number of solved attempts to show",),
    "--count": ("Number of ",),
    "--games": ("Comma-separated I-PHYRE games ", "I-PHYRE split "),
    "--part": ("PHYRE tasks ",),
    "--port": ("Port of the server",),
    "--runs": ("Folder of run records.",),
    "--sample": ("Number of random pairs ",),
    "--seed": ("Seed of the ",),
    "--size": ("Width of ",),
    "--tasks": ("Comma-separated PHYRE task ",),
}


def kind(option: Any) -> str:
    """What an option takes; several of something count as that."""
    annotation = str(option.type_descriptor.annotation)
    if annotation.startswith("<enum"):
        return "choice"
    return annotation.removeprefix("list[").removesuffix("]").replace("<class '", "").strip("'>")


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_a_command_has_help_examples_and_json(leaf: Leaf) -> None:
    assert leaf.command.help
    assert leaf.command.help.splitlines()[0].endswith((".", ":"))
    assert leaf.examples, "its help has no examples"
    for example in leaf.examples:
        assert parse(example).command_path  # it can be read
    assert any(example.startswith(f"topple {leaf.path}") for example in leaf.examples)
    assert ("--json" in leaf.names) == (leaf.path not in SERVERS)
    for parameter in leaf.command.params:
        assert parameter.help, f"{parameter.name} has no help"
        assert parameter.help.rstrip(".") != parameter.help, f"{parameter.name}: {parameter.help}"
    result = CliRunner().invoke(app, [*leaf.path.split(), "--help"], env={"COLUMNS": "400"})
    assert result.exit_code == 0
    assert f"topple {leaf.path}".split()[-1] in result.stdout
    for paragraph in leaf.command.help.split("\n\n")[1:]:
        wrapped = "\n" in paragraph and not paragraph.startswith("Examples:")
        assert not wrapped or max(map(len, paragraph.splitlines())) < 80, "a terminal breaks it"
    for parameter in leaf.command.params:
        assert parameter.help in " ".join(result.stdout.split()), "markup swallowed a part of it"


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.path or "topple")
def test_a_group_shows_its_commands_when_none_is_named(group: Group) -> None:
    shown = topple(*group.path.split()).stdout
    assert "Examples:" in shown
    for name in group.command.commands:
        assert name in shown


def test_the_map_is_in_panels() -> None:
    text = topple("--help").stdout
    places = [text.index(f" {panel} ") for panel in PANELS]
    assert places == sorted(places)
    for (panel, mounts), start, end in zip(
        PANELS.items(), places, [*places[1:], len(text)], strict=True
    ):
        for name in mounts:
            assert name in text[start:end], f"{name} is not under {panel}"


def options_by_name() -> dict[str, list[Any]]:
    found = defaultdict(list)
    for leaf in LEAVES:
        for option in leaf.options:
            found[option.opts[0]].append(option)
    return found


@pytest.mark.parametrize(("name", "uses"), sorted(options_by_name().items()), ids=lambda x: x)
def test_an_option_means_the_same_everywhere(name: str, uses: list[Any]) -> None:
    kinds = {kind(option) for option in uses}
    # Some commands also take several numbers, or a file, where others take one number.
    wider = [option.help for option in uses if kind(option) == "str"]
    assert len(kinds) == 1 or (
        kinds == {"int", "str"}
        and all("omma-separated" in text or ", or a " in text for text in wider)
    ), kinds
    texts = {option.help for option in uses}
    if name in ALIKE:
        for text in texts:
            assert text.startswith(ALIKE[name]), text
    else:
        assert len(texts) <= 1, texts


def test_what_takes_several_has_a_plural_and_its_singular() -> None:
    for leaf in LEAVES:
        for option in leaf.options:
            for name in option.opts[1:]:
                if name.startswith("--") and name != "--split":
                    assert f"{name}s" == option.opts[0]
                    assert option.help.startswith("Comma-separated ")


def test_the_door_knows_every_module() -> None:
    """A file of commands that no one can reach is dead."""
    folder = Path(main.__file__).parent
    makers = {
        path.stem for path in folder.glob("*.py") if "\n@app.command" in path.read_text("utf-8")
    }
    reached = {leaf.command.callback.__module__.split(".")[-1] for leaf in LEAVES}
    assert makers <= reached
