"""What a release says of itself: one version, a changelog, the Pythons it is built for."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import topple
from topple.datasets.formats import find_format
from topple.datasets.spec import FORMATS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


def test_the_version_is_written_once() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    home = PROJECT["tool"]["scikit-build"]["metadata"]["version"]["input"]
    assert (ROOT / home) == ROOT / "src" / "topple" / "__init__.py"
    assert f'__version__ = "{topple.__version__}"' in (ROOT / home).read_text("utf-8")
    assert version("topple") == topple.__version__


def test_the_citation_has_the_version() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.*)$", text, re.M) == [topple.__version__]


def test_the_changelog_begins_with_this_version_or_what_is_to_come() -> None:
    entries = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert entries[0] == "Unreleased" or entries[0].split()[0] == topple.__version__
    assert len(set(entries)) == len(entries)


def test_wheels_are_built_for_every_python_that_is_promised() -> None:
    project = PROJECT["project"]
    promised = [
        each.rpartition(" ")[2]
        for each in project["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", each)
    ]
    assert promised == PYTHONS
    assert project["requires-python"] == f">={PYTHONS[0]}"
    built = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{each.replace('.', '')}-*" for each in PYTHONS]


def test_wheels_hold_the_engines_that_the_pinned_compiler_makes() -> None:
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    [override] = [
        each
        for each in PROJECT["tool"]["scikit-build"]["overrides"]
        if "TOPPLE_WASM" in each["if"].get("env", {})
    ]
    assert override["build"]["requires"] == [pin for pin in pins if pin.startswith("ziglang==")]
    wheels = PROJECT["tool"]["cibuildwheel"]
    for place in (wheels, wheels["macos"]):  # one environment replaces the other
        assert place["environment"]["TOPPLE_WASM"] == "1"


def test_wheels_are_tried_by_the_smoke_test() -> None:
    command = PROJECT["tool"]["cibuildwheel"]["test-command"]
    file = ROOT / command.split()[-1].removeprefix("{project}/")
    assert file == ROOT / "tests" / "smoke.py"
    assert file.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "wheels.yml",
            ["pypa/cibuildwheel@", "macos-15-intel", "windows-2022", "ubuntu-24.04-arm"],
        ),
        ("ci.yml", ["run: .ci/run", '"3.10", "3.13"']),
    ],
)
def test_workflows_do_what_the_guide_says(name: str, words: list[str]) -> None:
    text = (ROOT / ".github" / "workflows" / name).read_text("utf-8")
    for word in words:
        assert word in text
    assert "\t" not in text


def test_the_base_needs_no_extra() -> None:
    """The list of the smoke test is that of the package."""
    from smoke import EXTRAS

    project = PROJECT["project"]
    base = {re.split(r"[\[<>=; ]", each)[0] for each in project["dependencies"]}
    assert not EXTRAS & base
    for extra in ("agents", "llm", "plots", "ray", "video", "pymunk"):
        for each in project["optional-dependencies"][extra]:
            assert re.split(r"[\[<>=; ]", each)[0].replace("-", "_") in EXTRAS


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_of_data_sets_is_an_extra(name: str) -> None:
    """The extra has the libraries that the format is written by."""
    command = [sys.executable, str(ROOT / ".ci" / "requirements.py")]
    extra = [name] if name in PROJECT["project"]["optional-dependencies"] else []
    listed = subprocess.run([*command, *extra], capture_output=True, text=True, check=True).stdout
    found = {re.split(r"[\[<>=; ]", each)[0] for each in listed.split()}
    assert set(find_format(name).LIBRARIES) <= found


def test_actions_are_pinned_by_their_commits() -> None:
    """A tag can be moved to another commit; the comment says which version it was."""
    workflows = ROOT / ".github" / "workflows"
    if not workflows.is_dir():
        pytest.skip("the workflows are not in this distribution")
    used = [
        line.strip()
        for path in sorted(workflows.glob("*.yml"))
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert len(used) >= 8
    for line in used:
        assert re.fullmatch(r"- uses: [\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+(\.\d+)*", line), line


def locked() -> dict[str, str]:
    """The versions that lock.txt has for this Python; each has hashes."""
    versions = {}
    text = (ROOT / "lock.txt").read_text("utf-8")
    for entry in re.split(r"\n(?=[a-z0-9])", text)[1:]:
        first, *hashes = entry.replace("\\\n", "\n").strip().split("\n")
        assert hashes, first
        for each in hashes:
            assert re.fullmatch(r" +--hash=sha256:[0-9a-f]{64} *", each), each
        pin = Requirement(first)
        assert re.fullmatch(r"==[^*,]+", str(pin.specifier)), first
        if pin.marker is None or pin.marker.evaluate():
            assert pin.name not in versions, first
            versions[pin.name] = str(pin.specifier).removeprefix("==")
    return versions


def needed(line: str, extra: str, found: dict[str, Requirement]) -> None:
    """Add a requirement and what it needs in turn, as far as that is installed."""
    each = Requirement(line)
    if each.marker and not each.marker.evaluate({"extra": extra}):
        return
    for wanted in ["", *sorted(each.extras)]:
        key = f"{canonicalize_name(each.name)}[{wanted}]"
        if key not in found:
            found[key] = each
            for below in requires(each.name) or []:
                needed(below, wanted, found)


def test_the_lock_has_whatever_the_development_tools_need() -> None:
    found: dict[str, Requirement] = {}
    needed("topple[dev]", "", found)
    names = {key.partition("[")[0] for key in found} - {"topple"}
    assert len(names) > 150
    versions = locked()
    assert names <= versions.keys(), f"run `make lock`: {sorted(names - versions.keys())}"
    for name in ("numpy", "pip", "pytest", "scikit-build-core", "uv"):
        assert name in versions


def test_the_lock_has_the_versions_of_the_constraints() -> None:
    versions = locked()
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        pin = Requirement(line)
        if pin.marker is None or pin.marker.evaluate():
            assert (
                pin.specifier
                == Requirement(f"x=={versions[canonicalize_name(pin.name)]}").specifier
            )


def test_the_wheel_for_cpus_has_the_locked_version() -> None:
    pin = (ROOT / ".ci" / "torch-cpu.txt").read_text("utf-8").splitlines()[-1]
    assert pin.split()[0] == f"torch=={locked()['torch']}+cpu"


def test_nothing_is_installed_without_its_hash() -> None:
    """The package itself, which has no hash, comes from the checkout and brings nothing."""
    files = [ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / ".github").rglob("*.yml")]
    found = [
        line.strip()
        for path in files
        if path.exists()
        for line in path.read_text("utf-8").splitlines()
        if "pip install" in line
    ]
    assert len(found) == 4
    for line in found:
        assert "--require-hashes" in line or "--no-deps" in line, line
