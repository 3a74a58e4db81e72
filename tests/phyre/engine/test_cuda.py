"""The GPU backend: its kernels compiled for the host, its selection, and, on a GPU, its bits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.host_device import NATIVE, HostDevice, HostQueue
from support.narrowing import not_none
from support.small_scenes import ball, box, walled
from support.tally import Tally
from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.action import discrete_actions
from topple.phyre.engine import backend, cuda, cuda_device, native
from topple.phyre.engine.backend import check_backend, device_for
from topple.phyre.engine.cuda_device import LIMITS, CudaError, device_sources
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch, valid_actions
from topple.phyre.engine.physics import COARSE, Physics
from topple.phyre.engine.request import MAX_STEPS, Request
from topple.phyre.engine.result import BatchResult
from topple.phyre.engine_hash import FAITHFUL, engine_hash
from topple.phyre.exactness import NOTHING, compare_backends
from topple.phyre.scene import Body, Goal, Scene

TABLE = json.loads((Path(__file__).parents[2] / "golden" / "engine_outcomes.json").read_text())
ALL = Request(images=True, objects=True, states=True, final_state=True, max_contacts=400)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
@pytest.mark.parametrize("kernels", [(), (cuda_device.IMAGINED,)])
def test_the_compiler_of_the_toolkit_takes_the_kernels(
    kernels: tuple[str, ...], tmp_path: Path
) -> None:
    options = (*cuda_device.OPTIONS, *kernels, "-arch=sm_90", f"-I{NATIVE / 'include'}", "-cubin")
    made = tmp_path / "attempts.cubin"
    source = NATIVE / "cuda" / "attempts.cu"
    subprocess.run(["nvcc", *options, "-o", str(made), str(source)], check=True)
    assert made.stat().st_size > 0


@pytest.fixture
def on_device(host_device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> HostDevice:
    """Makes backend "cuda" the kernels on the host."""
    monkeypatch.setattr(backend, "cuda_device", lambda: host_device)
    return host_device


@pytest.fixture
def on_imagining_device(imagining_device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes backend "cuda" the kernels for imagined physics, on the host."""

    def device(*, imagined: bool) -> HostDevice:
        assert imagined
        return imagining_device

    monkeypatch.setattr(backend, "cuda_device", device)


def simulate_on_both(*arguments: Any, **options: Any) -> BatchResult:
    """Simulate a batch on the CPU and on the device; both have to give the same bits."""
    here, there = (
        simulate_batch(*arguments, **options, backend=where) for where in ("cpu", "cuda")
    )
    for one, other in zip(here.arrays().values(), there.arrays().values(), strict=True):
        assert one.tobytes() == other.tobytes()
    return here


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.usefixtures("on_device")
def test_kernels_give_the_outcomes_of_the_original(tier: Tier, tally: Tally) -> None:
    table = TABLE[tier.value]
    tasks = list(table)
    expected = np.array([table[task]["outcomes"] for task in tasks])
    actions = discrete_actions(tier, expected.shape[1], seed=1)
    result = simulate_batch(
        SceneSet([load_task(task).scene for task in tasks]),
        np.repeat(np.arange(len(tasks)), len(actions)),
        np.tile(actions, (len(tasks), 1)),
        backend="cuda",
    )
    codes = np.where(result.outcome > 0, result.steps, result.outcome).reshape(expected.shape)
    tally("outcomes by the device's kernels, on the host", (codes != expected).sum(), codes.size)
    assert np.array_equal(codes, expected)


@pytest.mark.usefixtures("on_device")
def test_the_engine_hash_is_the_same() -> None:
    assert engine_hash.__wrapped__("cuda") == engine_hash() == FAITHFUL


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.usefixtures("on_device")
def test_random_pairs_compare_equal(tier: Tier) -> None:
    total = sum(compare_backends(tier, 300, seed=3), NOTHING)
    assert (total.pairs, total.mismatches) == (300, 0)
    assert 0 < total.valid < 300


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.usefixtures("on_device")
def test_every_observation_comes_back(stable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "ROUNDS", 7)  # several launches
    scenes = SceneSet([load_task(task).scene for task in ("00000:000", "00013:011", "00024:006")])
    actions = discrete_actions(Tier.BALL, 12, seed=5)
    index = np.arange(12) % 3
    result = simulate_on_both(scenes, index, actions, replace(ALL, stable=stable))
    assert (result.outcome != 0).any()


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.usefixtures("on_device")
def test_frames_drawn_over_the_last_are_those_drawn_anew(tier: Tier) -> None:
    """The CPU keeps a canvas from frame to frame and from attempt to attempt; kernels do not."""
    templates = tier.template_ids[::4]
    scenes = SceneSet([load_task(template_task_ids(name)[0]).scene for name in templates])
    listed = discrete_actions(tier, 120, seed=5)
    index = np.repeat(np.arange(len(scenes)), len(listed))
    actions = np.tile(listed, (len(scenes), 1))
    valid, _ = map_actions(scenes, index, actions)
    chosen = np.concatenate([np.flatnonzero(valid & (index == k))[:8] for k in range(len(scenes))])
    chosen = np.concatenate([chosen, chosen[::3]])  # comes back to scenes
    request = Request(images=True, stride=13)
    result = simulate_on_both(scenes, index[chosen], actions[chosen], request, threads=1)
    assert not_none(result.images).any()


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.usefixtures("on_imagining_device")
def test_imagined_physics_have_the_same_bits_on_a_device(tier: Tier) -> None:
    templates = tier.template_ids[::5]
    perceived = [load_task(template_task_ids(name)[7]).scene for name in templates]
    scenes = SceneSet(perceived)
    # Each scene has physics of its own, and those of the first are PHYRE's.
    physics = [Physics()] + [
        replace(COARSE, friction=0.3 + 0.1 * k, gravity=-9.0 - k, noise=0.1 * (k % 2), seed=k)
        for k in range(len(scenes) - 1)
    ]
    listed = discrete_actions(tier, 150, seed=5)
    valid = np.flatnonzero(valid_actions(scenes, listed).all(axis=0))[:12]
    index = np.repeat(np.arange(len(scenes)), len(valid))
    actions = np.tile(listed[valid], (len(scenes), 1))
    request = Request(max_steps=COARSE.steps(MAX_STEPS), stride=10, states=True, final_state=True)
    result = simulate_on_both(scenes, index, actions, request, physics=physics)
    assert len(valid) > 4
    for number, one in enumerate(physics):
        rows = np.flatnonzero(index == number)
        alone = SceneSet([perceived[number]])
        own = simulate_batch(alone, 0 * rows, actions[rows], request, physics=one)
        assert own.outcome.tolist() == result.outcome[rows].tolist()
        assert own.steps.tolist() == result.steps[rows].tolist()
    simulate_on_both(scenes, index, actions, request, physics=physics[-1])


@pytest.mark.usefixtures("on_imagining_device")
def test_imagined_attempts_that_outgrow_the_device_keep_their_physics() -> None:
    scenes = SceneSet([crowd(LIMITS["BODIES"] - 3), crowd(LIMITS["BODIES"] - 6)])
    physics = [replace(COARSE, gravity=-5.0), COARSE]
    actions = np.full((2, 3), 0.9) * [1, 1, 0.05]
    request = Request(max_steps=100, final_state=True)
    simulate_on_both(scenes, [0, 1], actions, request, physics=physics)


def test_there_is_a_physics_for_every_scene() -> None:
    scenes = SceneSet([walled(ball(100, 50))])
    with pytest.raises(ValueError, match="there are 2 physics for 1 scenes"):
        simulate_batch(scenes, [0], np.zeros((1, 0)), physics=[COARSE, COARSE])


def test_an_interrupted_batch_leaves_nothing_to_do(
    on_device: HostDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[tuple[int, npt.NDArray[np.uint64]]] = []  # attempts, how many are taken

    class Interrupted(HostQueue):
        looks = 0

        @property
        def done(self) -> bool:  # type: ignore[override]
            Interrupted.looks += 1
            if Interrupted.looks == 3:  # after the worlds, and after the first launch's lanes
                raise KeyboardInterrupt
            return True

    launch = on_device.launch

    def lazy(kernel: str, *arguments: Any) -> None:
        if kernel == "attempts":
            launched.append((arguments[2], arguments[-1]))
        else:
            launch(kernel, *arguments)

    monkeypatch.setattr(cuda, "ROUNDS", 7)
    monkeypatch.setattr(on_device, "queue", Interrupted)
    monkeypatch.setattr(on_device, "launch", lazy)
    scenes = SceneSet([load_task("00000:000").scene])
    actions = discrete_actions(Tier.BALL, 21, seed=5)
    with pytest.raises(KeyboardInterrupt):
        simulate_batch(scenes, np.zeros(21, int), actions, backend="cuda")
    assert len(launched) == 2  # the third never was
    assert all(taken[0] >= count for count, taken in launched)


@pytest.mark.usefixtures("on_device")
def test_progress_counts_all_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "ROUNDS", 7)
    seen: list[tuple[int, int]] = []
    actions = discrete_actions(Tier.BALL, 21, seed=5)
    simulate_batch(
        SceneSet([load_task("00000:000").scene]),
        np.zeros(21, int),
        actions,
        backend="cuda",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (21, 21)


def test_scenes_with_much_that_moves_come_first() -> None:
    few, many = walled(ball(100, 50)), walled(ball(100, 50), ball(130, 200), ball(30, 30))
    rank = cuda._rank(SceneSet([few, many, few]).packed)
    assert rank.tolist() == [1, 0, 2]


@pytest.mark.usefixtures("on_device")
def test_no_balls_and_no_attempts() -> None:
    scenes = SceneSet([walled(ball(100, 50), ball(130, 200))])
    nothing = simulate_batch(scenes, [], np.zeros((0, 3)), backend="cuda")
    assert len(nothing) == 0
    simulate_on_both(scenes, [0], np.zeros((1, 0)), ALL)


def crowd(count: int) -> Scene:
    """More balls than a small world has room for, in reach of each other."""
    balls = [ball(20 + 7.0 * (k % 30), 20 + 7.0 * (k // 30), 3.0) for k in range(count)]
    return walled(*balls, goal=Goal(4, 5, 60))


@pytest.mark.usefixtures("on_device")
def test_what_outgrows_the_device_is_left_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Body((box(30, 1),), True, (200.0, 100.0))
    many_bodies = crowd(LIMITS["BODIES"] - 3)
    many_contacts = crowd(LIMITS["BODIES"] - 6)
    scenes = SceneSet([many_bodies, many_contacts, walled(ball(50, 50), wide)])
    made: list[int] = []
    run = native._run

    def watched(scenes: SceneSet, index: npt.NDArray[np.int32], *rest: object) -> BatchResult:
        made.extend(index.tolist())
        return run(scenes, index, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(native, "_run", watched)
    actions = np.full((3, 3), 0.9) * [1, 1, 0.05]
    simulate_on_both(scenes, [0, 1, 2], actions, ALL)
    assert made == [0, 1, 2, 0, 1]  # all by the CPU, and its share of what the device made


def test_sources_are_installed_as_they_are() -> None:
    sources = device_sources()
    assert sources.kernels == (NATIVE / "cuda" / "attempts.cu").read_text()
    include = NATIVE / "include"
    headers = {path.relative_to(include).as_posix() for path in include.rglob("*.h")}
    assert set(sources.headers) == {name for name in headers if "/iphyre/" not in name}


def test_without_cupy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    cuda_device.cuda_device.cache_clear()
    with pytest.raises(CudaError, match=r"needs CuPy: pip install 'topple\[cuda\]'"):
        device_for("cuda", 1)
    assert device_for("auto", 10**6) is None
    assert device_for("cpu", 10**6) is None


def test_auto_takes_a_gpu_for_large_batches(
    host_device: HostDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "cuda_device", lambda: host_device)
    assert device_for("auto", 10) is None
    assert isinstance(device_for("auto", 10**6), HostDevice)
    assert isinstance(device_for("cuda", 10), HostDevice)


def test_an_unknown_backend_is_named() -> None:
    with pytest.raises(ValueError, match="backend is 'gpu'; it is one of cpu, cuda, auto"):
        check_backend("gpu")


@pytest.mark.cuda
@pytest.mark.parametrize("tier", list(Tier))
def test_a_million_random_pairs(tier: Tier, tally: Tally) -> None:
    total = sum(compare_backends(tier, 500_000, seed=7), NOTHING)
    tally("random pairs on the GPU", total.mismatches, total.pairs)
    assert total.mismatches == 0
