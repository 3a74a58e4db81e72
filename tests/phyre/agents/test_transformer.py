"""The transformer agent: what it sees, what it learns from, and what it must not learn from."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from support.narrowing import not_none
from support.training import same_weights
from topple.phyre import Setup, Tier, load_task, template_tasks
from topple.phyre.action import listed_actions
from topple.phyre.agents.lessons import Lessons
from topple.phyre.agents.puzzle_supply import PuzzleSupply, Recipe, SharedParts
from topple.phyre.agents.scene_tokens import COLUMNS, SceneTokens, ball_rows
from topple.phyre.agents.task_training import chosen_tasks
from topple.phyre.agents.transformer import Transformer, TransformerCheckpoint
from topple.phyre.agents.transformer_network import SceneTransformer, predict, rank
from topple.phyre.agents.watched import pick, watch
from topple.phyre.benchmark import PHYRE
from topple.phyre.engine.balls import with_action
from topple.phyre.engine.result import Outcome
from topple.phyre.mirror import mirrored, mirrored_actions
from topple.phyre.phases import Training
from topple.phyre.scramble import Free, Scrambled
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.task import tier_tasks
from topple.runs import RunConfig, Runner
from topple.runs.agent import TrainingOptions
from topple.runs.belief import Belief
from topple.runs.checkpoint import CheckpointError

TINY: dict[str, Any] = {
    "actions": 50,
    "tasks": 6,
    "scrambled": 1,
    "puzzle_actions": 4,
    "mined": 2,
    "watched": 1,
    "width": 16,
    "layers": 1,
    "heads": 2,
    "updates": 4,
    "batch_size": 16,
    "rank_size": 20,
    "device": "cpu",
}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path / "cache")


def training(runner: Runner, setup: Setup = Setup.BALL_CROSS_TEMPLATE) -> Training:
    selection = TaskSelection(setup, 0, Part.DEV)
    return PHYRE.training(RunConfig("transformer", selection, {}), runner)


# What it sees.


def test_a_ball_of_the_player_is_a_body_like_any_other() -> None:
    scene = load_task("00002:007").scene
    action = next(row for row in listed_actions(Tier.BALL, 50) if _fits(scene, row))
    alone, together = SceneTokens("cpu"), SceneTokens("cpu")
    alone.add([scene])
    together.add([with_action(scene, action)])
    assert int(together.count[0]) == int(alone.count[0]) + 1 == len(scene.bodies) - 3
    np.testing.assert_array_equal(together.rows[:-1], alone.rows)
    placed = ball_rows(torch.tensor(action[None], dtype=torch.float32))[0, 0]
    np.testing.assert_allclose(placed, together.rows[-1], atol=1e-6)


def _fits(scene: Any, action: Any) -> bool:
    try:
        with_action(scene, action)
    except ValueError:
        return False
    return True


def test_rows_say_what_bodies_are() -> None:
    tokens = SceneTokens("cpu")
    scenes = [load_task(name).scene for name in ("00012:002", "00101:000", "00106:000")]
    tokens.add(scenes[:1])
    tokens.add([])
    tokens.add(scenes[1:])
    assert tokens.count.tolist() == [len(scene.bodies) - 4 for scene in scenes]
    rows, there = tokens.gather(torch.tensor([2, 0]), 64)
    assert rows.shape == (2, 64, COLUMNS)
    assert there.sum(dim=1).tolist() == [tokens.count[2], tokens.count[0]]
    bodies = scenes[2].bodies[4:]
    np.testing.assert_allclose(
        rows[0, : len(bodies), :2] * 256, [body.position for body in bodies], rtol=1e-5
    )
    left, right, bottom, top = (rows[0, : len(bodies), k] * 256 for k in range(2, 6))
    ball = next(k for k, body in enumerate(bodies) if body.kind.name == "BALL")
    np.testing.assert_allclose(right[ball] - left[ball], bodies[ball].diameter, rtol=1e-5)
    np.testing.assert_allclose(top[ball] - bottom[ball], bodies[ball].diameter, rtol=1e-5)


def test_padding_and_company_change_no_prediction() -> None:
    torch.manual_seed(0)
    network = SceneTransformer(16, 2, 2).eval()
    tokens = SceneTokens("cpu")
    tokens.add([load_task(name).scene for name in ("00000:000", "00012:002", "00013:011")])
    actions = torch.rand(6, 3)
    index = np.array([1, 0, 2, 0, 1, 0])
    together = predict(network, tokens, index, actions, motion=True)
    for row in range(6):
        alone = predict(network, tokens, index[row : row + 1], actions[row : row + 1], motion=True)
        torch.testing.assert_close(alone.logit[0], together.logit[row])
        bodies = int(tokens.count[index[row]]) + 1
        motions = not_none(alone.motion)[0, :bodies], not_none(together.motion)[row, :bodies]
        torch.testing.assert_close(*motions)
    logits, summaries = rank(network, tokens, 0, actions[[1, 3, 5]])
    torch.testing.assert_close(logits, together.logit[[1, 3, 5]])
    torch.testing.assert_close(network.head(summaries)[:, 0], logits)


# What it learns from.


def test_watched_attempts_move_as_the_engine_says() -> None:
    scene = load_task("00000:000").scene
    outcomes = np.array([[-1, 0, 1, -1, 1]], np.int8)
    place, column = pick(outcomes, 4, np.random.default_rng(0))
    assert place.tolist() == [0] * 4
    assert sorted(column.tolist()) == [0, 2, 3, 4]
    actions = np.array([row for row in listed_actions(Tier.BALL, 30) if _fits(scene, row)][:2])
    seen = watch([scene], np.zeros(2, np.int64), actions)
    assert seen.motion.shape[:2] == (2, 65)
    moving = [1 + number - 4 for number, body in enumerate(scene.bodies) if body.dynamic]
    known = np.isfinite(seen.motion[0]).any(axis=1)
    assert np.flatnonzero(known).tolist() == [0, *moving]
    assert seen.motion[0, moving[0], 1] <= 0  # a ball falls
    assert ((seen.touch >= 0) & (seen.touch <= 1)).all()


def test_the_supply_depends_on_the_seed_alone() -> None:
    def parts(threaded: bool) -> list[Any]:
        supply = PuzzleSupply(Recipe([(Free(Tier.BALL), 1)], 1, 4, 2, 1, "cpu"))
        if not threaded:
            return supply.take(1)
        with supply:
            return supply.take(1)

    for one, other in zip(parts(True), parts(False), strict=True):
        for name in ("tried", "outcomes", "drawn", "simulated"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        for name in ("rows", "mined", "watched"):
            for array, same in zip(getattr(one, name), getattr(other, name), strict=True):
                np.testing.assert_array_equal(array, same)


def shared_recipe(**settings: Any) -> Recipe:
    names = ("00000:000", "00002:007", "00012:002", "00013:011")
    source = Scrambled([load_task(name) for name in names])
    return Recipe([(source, 40)], 1, 32, 2, 2, "cpu")._replace(**settings)


def test_puzzles_of_other_tasks_are_left_out() -> None:
    every = PuzzleSupply(shared_recipe()).take(40)
    allowed = np.array([True, False, True, True])
    some = PuzzleSupply(shared_recipe(), allowed).take(20)
    assert all(np.isin(part.made_of, (-1, 0, 2, 3)).all() for part in some)
    for whole, part in zip(every, some, strict=False):
        kept = [
            place
            for place, tasks in enumerate(whole.made_of.tolist())
            if all(task < 0 or allowed[task] for task in tasks)
        ]
        assert 0 < len(kept) < len(whole)
        assert len(part) == len(kept)
        for name in ("tried", "outcomes", "made_of"):
            np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[kept])
        for name in ("actions", "outcomes"):
            whole_mined = getattr(whole.mined, name)
            np.testing.assert_array_equal(getattr(part.mined, name), whole_mined[kept])
        starts = np.cumsum(whole.rows.counts) - whole.rows.counts
        rows = [np.arange(starts[k], starts[k] + whole.rows.counts[k]) for k in kept]
        np.testing.assert_array_equal(part.rows.rows, whole.rows.rows[np.concatenate(rows)])
        np.testing.assert_array_equal(part.rows.counts, whole.rows.counts[kept])
        seen, all_seen = not_none(part.watched), not_none(whole.watched)
        for place, scene in enumerate(kept):
            own, other = seen.scene == place, all_seen.scene == scene
            for name in ("action", "solved", "touch", "motion"):
                np.testing.assert_array_equal(
                    getattr(seen, name)[own], getattr(all_seen, name)[other]
                )
        assert part.simulated == whole.simulated


def test_shared_puzzles_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = SharedParts()
    first = PuzzleSupply(shared_recipe(), np.array([True, True, False, True]), shared).take(40)
    made = dict(shared.parts)
    assert made
    whole = PuzzleSupply(shared_recipe(), None, SharedParts()).take(len(made))

    def unwanted(*_: Any, **__: Any) -> Any:
        raise AssertionError("these puzzles were made before")

    monkeypatch.setattr("topple.phyre.agents.puzzle_supply.make_part", unwanted)
    again = PuzzleSupply(shared_recipe(), np.array([True, True, False, True]), shared).take(40)
    assert [len(part) for part in again] == [len(part) for part in first]
    for part, same in zip(made.values(), whole, strict=False):
        np.testing.assert_array_equal(part.rows.rows, same.rows.rows)
    assert shared.parts.keys() == made.keys()
    more = [*shared_recipe().sources, (Free(Tier.BALL), 5)]
    PuzzleSupply(shared_recipe(sources=more), None, shared)  # another kind beside it
    with pytest.raises(ValueError, match="puzzles of other settings cannot be shared"):
        PuzzleSupply(shared_recipe(mined=3), None, shared)


def test_folds_share_puzzles_and_learn_from_none_of_their_test_tasks(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**TINY, "tasks": 0, "shared_puzzles": True, "scrambled": 40, "watched": 0}
    settings |= {"actions": 10, "mined": 0, "puzzle_actions": 32, "blended": 40}
    every, learned = tier_tasks(Tier.BALL), []
    add_puzzles = Lessons.add_puzzles

    def add(lessons: Lessons, parts: Any) -> None:
        learned.extend(parts)
        add_puzzles(lessons, parts)

    monkeypatch.setattr(Lessons, "add_puzzles", add)
    shared, scenes = SharedParts(), []
    for fold in (0, 1):
        learned.clear()
        selection = TaskSelection(Setup.BALL_CROSS_TEMPLATE, fold, Part.TEST)
        phase = PHYRE.training(RunConfig("transformer", selection, {}), runner)
        agent = Transformer(**settings)
        agent.shared = shared
        before = shared.seconds
        agent.train(phase)
        assert phase.puzzles == sum(map(len, learned)) >= 80
        assert {name for name, _ in shared.parts} == {"scrambled", "blended"}
        assert agent.seconds >= before
        own = {task.id for task in phase.tasks}
        used = {int(task) for part in learned for task in part.made_of.ravel() if task >= 0}
        assert {every[task].id for task in used} <= own
        assert phase.simulator_calls >= sum(part.simulated for part in learned) > 0
        scenes.append({rows.tobytes() for part in learned for rows in part.rows.rows})
    assert scenes[0] & scenes[1]
    with pytest.raises(ValueError, match="with shared_puzzles, learn from all training tasks"):
        Transformer(tasks=5, shared_puzzles=True)


def test_errors_of_the_supply_reach_whoever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no more")

    monkeypatch.setattr("topple.phyre.agents.puzzle_supply.make_part", broken)
    with (
        PuzzleSupply(Recipe([(Free(Tier.BALL), 3)], 1, 4, 2, 1, "cpu")) as supply,
        pytest.raises(RuntimeError, match="no more"),
    ):
        supply.take(1)


@pytest.mark.parametrize("minutes", [None, 1e-9])
def test_where_a_gpu_simulates_puzzles_are_made_before_the_first_update(
    minutes: float | None, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU that simulates has no time to train; a time limit ends the making of puzzles early."""
    monkeypatch.setattr("topple.phyre.agents.puzzle_supply.device_for", lambda *_: object())
    monkeypatch.setattr(
        "topple.phyre.agents.puzzle_supply.ProcessPoolExecutor",
        lambda _workers, _context, start, given: ThreadPoolExecutor(1, "", start, given),
    )
    phase = training(runner)
    wanted = 100 if minutes else 1
    agent = Transformer(**{**TINY, "scrambled": wanted})
    reports = list(agent.learn(phase, TrainingOptions(minutes=minutes)))
    preparing = [report for report in reports if report.preparing]
    assert reports[: len(preparing)] == preparing
    assert preparing[-1].done == phase.puzzles
    assert (phase.puzzles < wanted) == bool(minutes)
    assert reports[-1].done == reports[-1].planned


def test_interrupted_training_resumes_with_the_same_weights(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topple.phyre.agents.dqn_updates.SAVE_SECONDS", 0.0)
    whole = Transformer(**TINY)
    whole.train(training(runner))
    options = TrainingOptions(tmp_path / "checkpoint.pt", {"what": "for"})
    reports = Transformer(**TINY).learn(training(runner), options)
    assert [report.done for report in islice(reports, 2)] == [1, 2]
    del reports  # as Ctrl-C would end it
    assert TransformerCheckpoint.read(tmp_path / "checkpoint.pt").done >= 1
    again = Transformer(**TINY)
    assert [report.done for report in again.learn(training(runner), options)][-1] == 4
    assert same_weights(again._network, whole._network)
    loaded = Transformer()
    assert loaded.load(tmp_path / "checkpoint.pt") == {"what": "for"}
    assert loaded.width == TINY["width"]
    found = TransformerCheckpoint.read(tmp_path / "checkpoint.pt")
    assert {value.dtype for value in found.network.values()} == {torch.float16}
    assert not found.optimizer
    phase = training(runner)
    loaded.train(phase)
    assert (phase.puzzles, phase.scenes_drawn) == (found.puzzles, found.scenes_drawn)
    assert phase.puzzles >= 1
    assert phase.scenes_drawn >= 64
    with pytest.raises(CheckpointError, match="trained on other tasks"):
        loaded.train(training(runner, Setup.BALL_WITHIN_TEMPLATE))


def test_a_time_limit_ends_training_also_if_it_slows_down(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topple.phyre.agents.dqn_updates.UpdateTimer.plan", lambda _, __, n: n)
    agent = Transformer(**{**TINY, "scrambled": 0, "watched": 0, "updates": 1_000_000})
    list(agent.learn(training(runner), TrainingOptions(minutes=0.005)))
    assert 1 <= agent.updates < 1_000_000


def test_a_full_network_fits_into_ten_megabytes() -> None:
    agent = Transformer(device="cpu")
    network = SceneTransformer(agent.width, agent.layers, agent.heads)
    assert 2 * sum(value.numel() for value in network.state_dict().values()) < 10_000_000 - 100_000


def test_only_networks_that_saw_no_tasks_are_started_from(runner: Runner, tmp_path: Path) -> None:
    free = {**TINY, "free": 2, "scrambled": 0, "task_share": 0.0, "updates": 1, "watched": 0}
    paths = {}
    for name, settings in (("free", free), ("tasks", {**TINY, "scrambled": 0, "updates": 1})):
        paths[name] = tmp_path / f"{name}.pt"
        list(Transformer(**settings).learn(training(runner), TrainingOptions(paths[name])))
    tuned = Transformer(**{**TINY, "scrambled": 0, "pretrained": str(paths["free"])})
    phase = training(runner)
    tuned.train(phase)
    assert phase.puzzles >= 1  # those of the pretraining count
    assert phase.learned_from == TINY["tasks"]
    # The pretrained network suits every fold of its tier, and records say that it saw no task.
    assert TransformerCheckpoint.read(paths["free"]).tasks == 0
    pure = Transformer(device="cpu")
    pure.load(paths["free"])
    selection = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 3, tasks=1)
    config = RunConfig("transformer", selection, pure.settings, attempts=1)
    protocol = runner.run(config, pure).protocol
    assert (protocol["trained_on"], protocol["training_tasks"]) == ("puzzles alone", 0)
    for name, setup, message in (
        ("tasks", Setup.BALL_CROSS_TEMPLATE, "was trained on tasks"),
        ("free", Setup.TWO_BALLS_CROSS_TEMPLATE, "the other tier"),
    ):
        agent = Transformer(**{**TINY, "pretrained": str(paths[name])})
        with pytest.raises(CheckpointError, match=message):
            agent.train(training(runner, setup))


# How it acts.


def test_failures_count_against_what_is_near() -> None:
    vectors = torch.tensor([[0.5, 0.5, 0.5], [0.5, 0.5, 0.6], [0.1, 0.1, 0.1]])
    belief = Belief(torch.tensor([2.0, 1.9, 0.0]), vectors, penalty=4.0, radius=0.1)
    assert belief.take_best() == 0
    belief.fail(0)
    assert belief.take_best() == 2  # 1.9 - 4 * exp(-0.5) < 0
    assert belief.take_best() == 1
    indifferent = Belief(torch.tensor([2.0, 1.9, 0.0]), vectors, penalty=0.0, radius=0.1)
    indifferent.take_best()
    indifferent.fail(0)
    assert indifferent.take_best() == 1


def test_near_misses_count_for_what_is_near() -> None:
    vectors = torch.tensor([[0.1], [0.2], [0.5], [0.6], [0.9]])
    logits = torch.tensor([5.0, 0.9, 4.0, 0.8, 1.0])
    belief = Belief(logits, vectors, penalty=4.0, radius=0.1, near_miss=3.0)
    assert belief.take_best() == 0
    belief.fail(0, 50.0)  # as far as usual, as all that is known: 0.9 - 4 * exp(-0.5) < 0
    assert belief.take_best() == 2
    belief.fail(2, 10.0)  # the median is 30 now: a near miss, and the first one was farther away
    assert belief.take_best() == 3  # 0.8 + 3 * exp(-0.5)
    belief.fail(3, 52.0)  # the median is 50: the first failure was as usual after all
    assert belief.take_best() == 4
    assert belief.take_best() == 1


def test_watched_attempts_are_those_that_count(runner: Runner) -> None:
    """Watching changes no outcome, and what is seen decides what is tried next."""
    agent = Transformer(**{**TINY, "scrambled": 0, "watched": 0})
    agent.train(training(runner))
    blind = attempts_of(agent, runner)
    agent.near_miss = 1e-9
    agent.failure_penalty = 0.0
    best_first = attempts_of(agent, runner)
    agent.near_miss = 2.0
    agent.failure_penalty = 4.0
    watched = attempts_of(agent, runner)
    assert len(watched) == len(best_first) == len(blind)
    assert watched[0] == best_first[0] == blind[0]
    assert watched not in (best_first, blind)


def attempts_of(agent: Transformer, runner: Runner) -> list[list[float]]:
    """What an agent with weights of its own tries on two tasks."""
    selection = TaskSelection(Setup.BALL_CROSS_TEMPLATE, 0, Part.DEV, tasks=2)
    testing = PHYRE.testing(RunConfig("transformer", selection, {}, attempts=20), runner)
    agent.act(testing)
    return [list(attempt.action) for attempt in testing.log]


def test_what_the_network_tells_apart_is_less_affected_by_failures(runner: Runner) -> None:
    agent = Transformer(**{**TINY, "scrambled": 0, "watched": 0})
    agent.train(training(runner))
    tried = {}
    for likeness in (0.0, 1e-4, 1e4):
        agent.likeness_radius = likeness
        tried[likeness] = attempts_of(agent, runner)
    agent.failure_penalty = 0.0
    indifferent = attempts_of(agent, runner)
    assert tried[0.0] != indifferent
    assert tried[1e4] == tried[0.0]  # all attempts are alike, so distance alone counts
    assert tried[1e-4] == indifferent  # no two attempts are, so no failure says anything


def test_an_action_and_its_mirror_image_score_the_same_in_mirrored_scenes() -> None:
    torch.manual_seed(0)
    network = SceneTransformer(16, 2, 2).eval()
    agent = Transformer(**TINY, mirrored=True)
    task = load_task("00012:002")
    scene = not_none(mirrored(task.scene))
    actions = np.random.default_rng(0).random((20, 3))
    turned = mirrored_actions(actions)
    logits = []
    for one, places in ((task, actions), (task._replace(scene=scene), turned)):
        scenes = SceneTokens("cpu")
        scenes.add([one.scene])
        twin = agent._add_twins(scenes, [one])[0]
        logits.append(agent._score(network, scenes, 0, twin, places).logits)
    torch.testing.assert_close(*logits)
    alone = rank(network, scenes, 0, torch.tensor(turned, dtype=torch.float32))[0]
    assert not torch.allclose(alone, logits[1])


def test_online_learning_leaves_the_trained_weights_alone(runner: Runner) -> None:
    agent = Transformer(**{**TINY, "scrambled": 0, "watched": 0, "online_updates": 1})
    selection = TaskSelection(Setup.BALL_CROSS_TEMPLATE, 0, Part.DEV, tasks=2)
    config = RunConfig("transformer", selection, {}, attempts=3)
    agent.train(PHYRE.training(config, runner))
    before = copy.deepcopy(agent._network)
    testing = PHYRE.testing(config, runner)
    agent.act(testing)
    assert len(testing.log) == 6
    assert same_weights(agent._network, before)
    assert agent.traits.online


TASKS_ALIKE = tuple(str(task.id) for task in template_tasks("00002")[:2])


def test_what_solved_a_task_is_tried_on_the_next_one(runner: Runner) -> None:
    """Templates differ little from task to task here, and the network knows next to nothing."""
    tiny = {**TINY, "scrambled": 0, "watched": 0, "rank_size": 2000}
    first = {}
    for gain in (0.0, 1e3):
        agent = Transformer(**tiny, memory=gain)
        agent.train(training(runner))
        assert agent.traits.online == bool(gain)
        selection = TaskSelection(None, None, tasks=TASKS_ALIKE)
        config = RunConfig("transformer", selection, {}, attempts=100)
        testing = PHYRE.testing(config, runner)
        agent.act(testing)
        one, other = ([e for e in testing.log if e.task == task.id] for task in testing.tasks)
        assert one[-1].outcome == Outcome.SOLVED
        first[gain] = np.abs(np.array(one[-1].action) - other[0].action).max()
    assert first[1e3] < 0.1 < first[0.0]


def test_settings_are_checked() -> None:
    for settings, message in (
        ({"width": 10, "heads": 3}, "width is 10; it has to be a multiple of 3"),
        ({"task_share": 2.0}, "task_share is 2.0"),
        ({"rank_size": 200_000}, "a list of 100,000"),
    ):
        with pytest.raises(ValueError, match=message):
            Transformer(**settings)
    assert Transformer(scrambled=0).task_share == 1.0


@pytest.mark.slow
def test_it_learns_a_handful_of_tasks_by_heart(runner: Runner) -> None:
    """Best first, it solves tasks that it has learned at the first attempts."""
    settings = {**TINY, "actions": 1000, "scrambled": 0, "width": 48, "layers": 2, "heads": 4}
    settings |= {"updates": 400, "batch_size": 64, "learning_rate": 2e-3, "rank_size": 1000}
    agent = Transformer(**settings, failure_penalty=0.0)
    phase = training(runner)
    agent.train(phase)
    names = tuple(str(task.id) for task in chosen_tasks(phase, agent.tasks))
    learned = RunConfig("transformer", TaskSelection(None, None, tasks=names), {}, attempts=20)
    testing = PHYRE.testing(learned, runner)
    agent.act(testing)
    assert testing.results().auccess > 0.6
