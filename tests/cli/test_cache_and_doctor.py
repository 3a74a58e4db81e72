"""`topple cache` and `topple doctor`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from support.command_line import topple, topple_json, topple_mistake
from topple.cli import cache as command
from topple.cli import doctor
from topple.iphyre.engine_hash import FAITHFUL as GAMES_FAITHFUL
from topple.phyre import Tier, template_tasks
from topple.phyre.cache import ACTION_CACHE, UNKNOWN, ActionCache, verify
from topple.phyre.cache.index import imported_indexes
from topple.phyre.cache.verify import committed
from topple.phyre.engine import cuda_device
from topple.phyre.engine_hash import FAITHFUL, engine_hash

TEMPLATE = "00000"


def of_cache(folder: Path, *words: str | Path) -> tuple[str | Path, ...]:
    """The words of a command on the cache in a folder."""
    return ("cache", *words, "--templates", TEMPLATE, "--cache", folder)


@pytest.fixture(autouse=True)
def few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tasks stand for a template's hundred."""
    monkeypatch.setattr(command, "template_tasks", lambda name: template_tasks(name)[:3])


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    topple(*of_cache(folder, "build", "--manifest", folder / "manifest.json"))
    return folder


def test_what_was_built_is_checked(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["engine"] == engine_hash()
    entry = manifest["tiers"]["ball"][TEMPLATE]
    assert entry["actions"] == 1000
    assert 0 < entry["solved"] < entry["valid"] < 3_000
    for digest, code, found in ((entry["digest"], 0, "as committed"), ("0" * 32, 1, "DIFFERS")):
        tiers = {"ball": {TEMPLATE: {**entry, "digest": digest}}}
        data = {"engine": FAITHFUL, "seed": 42, "tiers": tiers}
        monkeypatch.setattr(verify, "committed", lambda data=data: data)
        result = topple(*of_cache(built, "check", "--json"), code=code)
        assert json.loads(result.stdout)[0]["check"] == found


def test_nothing_built_is_no_contradiction(tmp_path: Path) -> None:
    [row] = topple_json(*of_cache(tmp_path, "check", "--actions", "101000"))
    assert row["check"] == "not built"


def test_what_the_package_contains_is_checked_by_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "committed", lambda: {"tiers": {}})
    options = ("--actions", "100000", "--sample", "60", "--json")
    result = topple(*of_cache(tmp_path, "check", *options))
    assert "60 simulated pairs agree" in result.stderr
    assert json.loads(result.stdout)[0]["solved"] > 0


def test_indexes_are_exchanged(built: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "mine.solutions", tmp_path / "other"
    [row] = topple_json(*of_cache(built, "export", "--out", file))
    assert (row["tasks"], row["actions"]) == (3, 1000)
    assert topple_json("cache", "import", file, "--cache", other) == [row]
    tasks = template_tasks(TEMPLATE)[:3]
    folder = other / ACTION_CACHE
    assert len(imported_indexes(folder, Tier.BALL)) == 1
    assert (ActionCache(folder, Tier.BALL).known(tasks, 1000) != UNKNOWN).all()


def test_a_wrong_index_is_not_imported(built: Path, tmp_path: Path) -> None:
    index = ActionCache(built / ACTION_CACHE, Tier.BALL).index(template_tasks(TEMPLATE)[:3], 1000)
    file = tmp_path / "wrong.solutions"
    replace(index, numbers=(index.numbers + 1) % 1000).save(file)
    assert "is wrong" in topple_mistake("cache", "import", file, "--cache", tmp_path)
    missing = ("--actions", "2000", "--seed", "7", "--out", file)
    assert "simulate them first" in topple_mistake(*of_cache(built, "export", *missing))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--actions", "1500"], "whole 1000s"),
        (["--backend", "gpu"], "backend is 'gpu'"),
        (["--tier", "two_balls"], "has no template"),
    ],
)
def test_bad_input_is_named(words: list[str], message: str, tmp_path: Path) -> None:
    assert message in topple_mistake(*of_cache(tmp_path, "build", *words))


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
    found = {row["what"]: row for row in topple_json("doctor")}
    assert time.process_time() - started < 5
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
    rows = topple_json("doctor")  # to do without is no fault
    video = next(row for row in rows if row["what"] == "extra video")
    assert video["found"] == "without av: pip install 'topple[video]'"
    assert video["state"] == "missing"


def test_doctor_says_what_a_gpu_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    cuda_device.cuda_device.cache_clear()
    assert "pip install 'topple[cuda]'" in topple("doctor", "--cuda", code=2).output


@pytest.mark.parametrize("which", ["PHYRE", "I-PHYRE"])
def test_doctor_tells_when_an_engine_is_another(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "0123456789abcdef"
    if which == "PHYRE":
        monkeypatch.setattr(doctor, "FAITHFUL", other)
    else:
        monkeypatch.setitem(GAMES_FAITHFUL, 60, other)
    rows = json.loads(topple("doctor", "--json", code=1).stdout)
    [wrong] = (row for row in rows if row["state"] == "wrong")
    assert f"DIFFERS from {other}" in wrong["found"]
