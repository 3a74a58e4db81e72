"""Inspect runs the tasks with scripted models, and reports read its logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.chat_server import ChatServer
from topple.cli import report
from topple.llm.evaluation import run_config, task_selection
from topple.llm.phyre.agent import PhyreLlm
from topple.phyre import Simulator
from topple.phyre.benchmark import PHYRE
from topple.runs.record import RecordError
from topple.runs.runner import Runner

pytest.importorskip("inspect_ai", reason="the extra inspect is not installed")

from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from topple.llm.inspect_tasks import log_record

pytestmark = pytest.mark.filterwarnings("ignore")  # of the library's own libraries

MISS = {"balls": [{"x": 0.9, "y": 0.9, "r": 0.0}]}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))


def evaluate(name: str, folder: Path, model: Any, **parameters: Any) -> EvalLog:
    (log,) = run_eval(
        name, model=model, task_args=parameters, log_dir=str(folder / "logs"), display="none"
    )
    assert log.status == "success", log.error
    return log


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: found.value for name, found in log.results.scores[0].metrics.items()}


def mock(*answers: Any) -> Any:
    """Inspect's mock model, which gives one answer after the other and the last for ever."""
    given = list(answers)

    def output(*_: Any) -> ModelOutput:
        answer = given.pop(0) if len(given) > 1 else given[0]
        made = ModelOutput.from_content("mockllm", json.dumps(answer))
        made.usage = ModelUsage()  # the mock would count tokens by a downloaded table
        return made

    return get_model("mockllm/model", custom_outputs=output)


def test_the_mock_model_solves_a_task_and_is_scored(tmp_path: Path) -> None:
    x, y, r = Simulator("00000:000").solutions("00000:000")[0].tolist()
    solution = {"balls": [{"x": x, "y": y, "r": r}]}
    log = evaluate(
        "topple/phyre_ball", tmp_path, mock(MISS, solution), tasks="00000:000", attempts=3
    )
    found = metrics(log)
    assert found["solved@1"] == 0.0
    assert found["solved@5"] == found["solved@100"] == 1.0
    assert 0 < found["auccess@10"] < found["auccess@100"] < 1
    record = log_record(Path(log.location))
    assert record.results.first_solved.tolist() == [2]
    assert [attempt.action for attempt in record.results.attempts][1] == pytest.approx((x, y, r))
    assert record.config.label == "inspect mockllm/model"
    assert record.results.auccess == found["auccess@100"]


def test_the_record_is_that_of_our_own_harness(tmp_path: Path) -> None:
    """One core: the same scripted model makes the same attempts in both harnesses."""
    log = evaluate("topple/phyre_ball", tmp_path, "topple/heuristic", tasks=4, attempts=3)
    theirs = log_record(Path(log.location))
    config = run_config(task_selection("ball_within", 0, 4), {"model": "heuristic"}, 3)
    with ChatServer() as server:
        agent = PhyreLlm(model="heuristic", link=server.link(tmp_path / "llm"))
        ours = Runner(tmp_path / "cache").run(config, agent)
    assert theirs.results.attempts == ours.results.attempts
    assert metrics(log)["auccess@100"] == ours.results.auccess
    assert theirs.provenance["engine"] == PHYRE.engine_hash()


def test_tools_and_two_balls(tmp_path: Path) -> None:
    log = evaluate(
        "topple/phyre_two_balls",
        tmp_path,
        "topple/heuristic",
        tasks=1,
        attempts=2,
        tools=True,
        images=True,
    )
    assert log.samples is not None
    assert "solved@1" in metrics(log)
    (turn, *_) = log.samples[0].scores["topple"].metadata["turns"]
    assert turn["calls"] == {"propose": 1}
    assert log_record(Path(log.location)).protocol["attempts"] >= 1


def test_games_and_their_rewards(tmp_path: Path) -> None:
    log = evaluate(
        "topple/iphyre", tmp_path, mock({"times": [0.5, 1.5]}), games="support", attempts=2
    )
    found = metrics(log)
    record = log_record(Path(log.location))
    assert found["reward"] == record.results.average.reward > 900
    assert found["solved@1"] == 1.0


def test_a_report_reads_logs(tmp_path: Path) -> None:
    evaluate("topple/iphyre", tmp_path, mock({"times": [0.5, 1.5]}), games="support")
    assert report.report([tmp_path / "logs"], out=tmp_path / "report").data["runs"] == 1
    assert "inspect mockllm/model" in (tmp_path / "report" / "index.html").read_text()


def test_other_logs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.eval"
    path.write_bytes(b"no log")
    with pytest.raises(RecordError, match="no Inspect log of a topple task"):
        log_record(path)


def test_wrong_parameters_are_named() -> None:
    from topple.llm.inspect_tasks import phyre_ball

    with pytest.raises(ValueError, match="use ball_within or ball_cross"):
        phyre_ball(setup="two_balls_cross")
    with pytest.raises(ValueError, match="no setting 'colour'"):
        phyre_ball(colour="red")
