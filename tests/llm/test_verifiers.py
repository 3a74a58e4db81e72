"""Verifiers runs the environments with scripted models."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="the extra verifiers is not installed")

from topple.llm.verifiers_env import PuzzleEnv, ScriptedClient, load_environment
from topple.phyre.fold import Setup, load_fold

pytestmark = pytest.mark.filterwarnings("ignore")  # of the library's own libraries


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))


def rollouts(env: PuzzleEnv, model: str = "heuristic", **more: Any) -> list[Any]:
    columns = ["solved", "attempts", "failures", "turns", "progress", "info"]

    async def run() -> Any:
        return await env.evaluate(
            ScriptedClient(), model, state_columns=columns, on_progress=lambda *_: None, **more
        )

    return list(asyncio.run(run())["outputs"])


def test_rollouts_are_scored_by_the_rubric() -> None:
    env = load_environment(tasks=6, attempts=4, shaping=0.5)
    found = rollouts(env)
    assert len(found) == 6
    for rollout in found:
        metrics = rollout["metrics"]
        assert metrics["attempts_used"] == rollout["attempts"] <= 4
        if rollout["solved"]:
            assert metrics["solved"] == pytest.approx(1 - 0.05 * (rollout["attempts"] - 1))
            assert metrics["progress"] == 1.0
        else:
            assert metrics["solved"] == 0
            assert 0 < metrics["progress"] < 1
        expected = (
            metrics["solved"]
            + 0.5 * metrics["progress"]
            + 0.05 * metrics["invalid"]
            + 0.1 * metrics["well_formed"]
        )
        assert rollout["reward"] == pytest.approx(expected)
    assert any(rollout["solved"] for rollout in found)
    assert not all(rollout["solved"] for rollout in found)


def test_a_rollout_is_one_dialogue() -> None:
    env = load_environment(tasks=1, attempts=3, feedback="what_happened")
    (rollout,) = rollouts(env, "random")
    roles = [message["role"] for message in rollout["completion"]]
    assert roles[0] == "assistant"
    assert roles[-1] == "assistant"
    told = [str(each["content"]) for each in rollout["completion"] if each["role"] == "user"]
    asked = [text for text in told if "This is attempt" in text]
    assert len(asked) == rollout["attempts"] - 1
    assert all("first touched" in text for text in asked)
    assert not any("The bodies of the scene" in text for text in told)


def test_train_and_test_are_those_of_the_fold() -> None:
    env = load_environment(setup="ball_cross", fold=1, tasks=5)
    fold = load_fold(Setup.BALL_CROSS_TEMPLATE, 1)
    train = {row["info"] for row in env.get_dataset()}
    test = {row["info"] for row in env.get_eval_dataset()}
    names = [{eval(info)["puzzle"] for info in part} for part in (train, test)]
    assert names[0] <= {str(task) for task in fold.train + fold.dev}
    assert names[1] <= {str(task) for task in fold.test}
    assert len(names[0]) == len(names[1]) == 5


def test_concurrent_rollouts_are_simulated_together() -> None:
    env = load_environment(tasks=8, attempts=2)
    rollouts(env, "random", rollouts_per_example=4)
    batches = env.batchers["test"].batches
    assert sum(batches) >= 32
    assert len(batches) < sum(batches) / 4


def test_concurrency_changes_no_result() -> None:
    env = load_environment(tasks=4, attempts=3)
    together, alone = (rollouts(env, max_concurrent=count) for count in (-1, 1))
    assert [each["turns"] for each in together] == [each["turns"] for each in alone]


@pytest.mark.parametrize("more", [{}, {"tools": True}, {"strategy": "combined"}])
def test_games_are_environments_too(more: dict[str, Any]) -> None:
    env = load_environment("iphyre", games="basic", tasks=4, attempts=2, **more)
    found = rollouts(env)
    assert len(found) == 4
    assert any(rollout["solved"] for rollout in found)
    assert all(0 <= rollout["progress"] <= 1 for rollout in found)


def test_pictures_are_observations() -> None:
    env = load_environment(tasks=1, attempts=2, observation="images_and_labels", keyframes=2)
    (rollout,) = rollouts(env, "random")
    parts = rollout["prompt"][1]["content"]
    assert sum(part["type"] == "image_url" for part in parts) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"observation": "smell"}, "text, images, images_and_labels"),
        ({"benchmark": "chess"}, "use phyre or iphyre"),
        ({"colour": "red"}, "no setting 'colour'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_environment(**{"tasks": 1, **arguments})
