"""`topple cache` and `topple doctor`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from topple.cli import cache as command
from topple.cli import doctor
from topple.cli.main import app
from topple.iphyre.engine_hash import FAITHFUL as GAMES_FAITHFUL
from topple.phyre import Tier, template_tasks
from topple.phyre.cache import ACTION_CACHE, UNKNOWN, ActionCache, verify
from topple.phyre.cache.index import imported_indexes
from topple.phyre.cache.verify import committed
from topple.phyre.engine import cuda_device
from topple.phyre.engine_hash import FAITHFUL, engine_hash

TEMPLATE = "00000"


def cache(folder: Path, *words: str) -> Result:
    words = (*words, "--templates", TEMPLATE, "--cache", str(folder))
    return CliRunner().invoke(command.app, words)


@pytest.fixture(autouse=True)
def few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tasks stand for a template's hundred."""
    monkeypatch.setattr(command, "template_tasks", lambda name: template_tasks(name)[:3])


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    result = cache(folder, "build", "--manifest", str(folder / "manifest.json"))
    assert result.exit_code == 0, result.output
    return folder


def check(folder: Path, entry: object, monkeypatch: pytest.MonkeyPatch) -> Result:
    data = {"engine": FAITHFUL, "seed": 42, "tiers": {"ball": {TEMPLATE: entry}}}
    monkeypatch.setattr(verify, "committed", lambda: data)
    return cache(folder, "check", "--json")


def test_what_was_built_is_checked(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["engine"] == engine_hash()
    entry = manifest["tiers"]["ball"][TEMPLATE]
    assert entry["actions"] == 1000
    assert 0 < entry["solved"] < entry["valid"] < 3_000
    result = check(built, entry, monkeypatch)
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["check"] == "as committed"
    wrong = check(built, {**entry, "digest": "0" * 32}, monkeypatch)
    assert wrong.exit_code == 1
    assert json.loads(wrong.stdout)[0]["check"] == "DIFFERS"


def test_nothing_built_is_no_contradiction(tmp_path: Path) -> None:
    result = cache(tmp_path, "check", "--actions", "101000", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["check"] == "not built"


def test_what_the_package_contains_is_checked_by_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "committed", lambda: {"tiers": {}})
    result = cache(tmp_path, "check", "--actions", "100000", "--sample", "60", "--json")
    assert result.exit_code == 0, result.output
    assert "60 simulated pairs agree" in result.stderr
    assert json.loads(result.stdout)[0]["solved"] > 0


def test_indexes_are_exchanged(built: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "mine.solutions", tmp_path / "other"
    exported = cache(built, "export", "--out", str(file), "--json")
    assert exported.exit_code == 0, exported.output
    row = json.loads(exported.stdout)[0]
    assert (row["tasks"], row["actions"]) == (3, 1000)
    words = ["import", str(file), "--cache", str(other), "--json"]
    imported = CliRunner().invoke(command.app, words)
    assert imported.exit_code == 0, imported.output
    assert json.loads(imported.stdout)[0] == row
    tasks = template_tasks(TEMPLATE)[:3]
    folder = other / ACTION_CACHE
    assert len(imported_indexes(folder, Tier.BALL)) == 1
    assert (ActionCache(folder, Tier.BALL).known(tasks, 1000) != UNKNOWN).all()


def test_a_wrong_index_is_not_imported(built: Path, tmp_path: Path) -> None:
    index = ActionCache(built / ACTION_CACHE, Tier.BALL).index(template_tasks(TEMPLATE)[:3], 1000)
    file = tmp_path / "wrong.solutions"
    replace(index, numbers=(index.numbers + 1) % 1000).save(file)
    result = CliRunner().invoke(command.app, ["import", str(file), "--cache", str(tmp_path)])
    assert result.exit_code == 2
    assert "is wrong" in " ".join(result.output.split())
    result = cache(built, "export", "--actions", "2000", "--seed", "7", "--out", str(file))
    assert result.exit_code == 2
    assert "simulate them first" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--actions", "1500"], "whole 1000s"),
        (["--backend", "gpu"], "backend is 'gpu'"),
        (["--tier", "two_balls"], "has no template"),
    ],
)
def test_bad_input_is_named(words: list[str], message: str, tmp_path: Path) -> None:
    result = cache(tmp_path, "build", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_the_committed_manifest_is_of_this_engine() -> None:
    manifest = committed()
    assert manifest["engine"] == FAITHFUL
    for entries in manifest["tiers"].values():
        for entry in entries.values():
            assert 0 < entry["solved"] < entry["valid"] < 100 * entry["actions"]


def test_doctor_finds_a_sound_installation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CACHE", "DATA", "RUNS"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "file").write_bytes(bytes(3 * 2**20))
        monkeypatch.setenv(f"TOPPLE_{name}", str(folder))
    engine_hash.cache_clear()
    started = time.process_time()
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert time.process_time() - started < 5
    assert result.exit_code == 0, result.output
    found = {row["what"]: row for row in json.loads(result.stdout)}
    assert found["PHYRE engine"]["found"].startswith(FAITHFUL)
    for hz, digest in GAMES_FAITHFUL.items():
        assert found[f"I-PHYRE engine, {hz} Hz"]["found"].startswith(digest[:16])
        assert found[f"I-PHYRE engine, {hz} Hz"]["state"] == "ok"
    assert {row["state"] for row in found.values()} <= {"ok", "missing"}
    assert {"system", "python", "numpy", "cores", "GPU"} < found.keys()
    assert found["extra plots"]["found"].startswith("matplotlib ")
    assert found["extra plots"]["state"] == "ok"
    for name in ("caches", "player's data", "runs"):
        assert found[name]["found"].endswith("(3.0 MiB)")


def test_extras_are_those_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {extra.name: extra for extra in doctor.extras()}
    assert {"agents", "llm", "player", "cuda", "ray", "video", "vision", "plots"} < known.keys()
    assert not {"dev", "bench", "docs"} & known.keys()
    vision = {*known["vision"].found, *known["vision"].missing}
    assert {"torch", "transformers"} < vision  # an extra that builds on another

    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", nothing)
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0  # to do without is no fault
    video = next(row for row in json.loads(result.stdout) if row["what"] == "extra video")
    assert video["found"] == "without av: pip install 'topple[video]'"
    assert video["state"] == "missing"


def test_doctor_says_what_a_gpu_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    cuda_device.cuda_device.cache_clear()
    result = CliRunner().invoke(app, ["doctor", "--cuda"])
    assert result.exit_code == 2
    assert "pip install 'topple[cuda]'" in result.output


@pytest.mark.parametrize("which", ["PHYRE", "I-PHYRE"])
def test_doctor_tells_when_an_engine_is_another(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "0123456789abcdef"
    if which == "PHYRE":
        monkeypatch.setattr(doctor, "FAITHFUL", other)
    else:
        monkeypatch.setitem(GAMES_FAITHFUL, 60, other)
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 1
    [wrong] = (row for row in json.loads(result.stdout) if row["state"] == "wrong")
    assert f"DIFFERS from {other}" in wrong["found"]
