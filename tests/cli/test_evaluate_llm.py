"""`topple evaluate --agent llm`: end to end, killed and resumed, with a report of it all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.chat_server import KEY, ChatServer, says
from support.command_line import topple, topple_json, topple_mistake
from topple.iphyre.games import game_named
from topple.llm.endpoint import Connection, Endpoint
from topple.llm.exchanges import EXCHANGES, read_exchanges, request_digest
from topple.llm.iphyre import gpt4_preset
from topple.llm.messages import system, user
from topple.runs.record import RunRecord, find_records

SLICE = ("--setup", "ball_within", "--fold", "0", "--tasks", "4", "--attempts", "3")
GAMES = ("--split", "basic")
PRICES = {model: {"prompt": 2.0, "completion": 8.0} for model in ("heuristic", "nobody")}


def words(server: ChatServer, folder: Path, *more: str) -> list[str]:
    prices = folder / "prices.json"
    prices.write_text(json.dumps(PRICES))
    return [
        *("evaluate", "--agent", "llm", "--base-url", server.url, "--model", "heuristic"),
        *("--runs", str(folder / "runs"), "--cache", str(folder / "cache")),
        *("--prices", str(prices)),
        *more,
    ]


def evaluate(server: ChatServer, folder: Path, *more: str) -> dict[str, Any]:
    (run,) = topple_json(*words(server, folder, *more))
    return dict(run)


def report(folder: Path) -> str:
    """The page of a report of all runs."""
    topple("report", folder / "runs", "--out", folder / "report")
    return (folder / "report" / "index.html").read_text()


def record(folder: Path) -> RunRecord[Any, Any]:
    (found,) = find_records(folder / "runs")
    return found


def start(arguments: list[str]) -> subprocess.Popen[str]:
    """The same in a process of its own, with a key."""
    program = "from topple.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TOPPLE_API_KEY": KEY},
    )


def records(folder: Path) -> dict[str, bytes]:
    """Every file of every record, which holds no times and no paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "runs").rglob("*"))
        if path.is_file() and ".llm" not in str(path.relative_to(folder))
    }


@pytest.mark.parametrize("what", [SLICE, GAMES], ids=["phyre", "iphyre"])
def test_a_killed_run_is_resumed_without_paying_twice(
    what: tuple[str, ...], tmp_path: Path
) -> None:
    held: list[int] = []
    reached, go_on = threading.Event(), threading.Event()

    def hold(number: int, body: Mapping[str, Any]) -> None:
        if number >= 5:  # and never answer while the process lives
            held.append(number)
            if len(held) == 2:  # all that can be under way: nothing else is still on its way here
                reached.set()
            go_on.wait(60)

    with ChatServer(hold) as server:
        process = start(words(server, tmp_path, *what, "--concurrency", "2"))
        assert reached.wait(60)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        go_on.set()
        (kept,) = (tmp_path / "runs").glob("*.llm")
        paid = {exchange.digest for exchange in read_exchanges(kept)}
        asked = server.requests
        assert asked - len(paid) <= 2  # at most what was under way at once is lost
        run = evaluate(server, tmp_path, *what)
        later = [request_digest(body) for body in server.bodies[asked:]]
        assert not paid & set(later)
        assert len(later) == run["accounting"]["calls"] - len(paid)
        assert evaluate(server, tmp_path, *what) == run
        assert server.requests == asked + len(later)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with ChatServer() as server:
        evaluate(server, fresh, *what, "--concurrency", "3")
    assert records(fresh) == records(tmp_path)


def test_ctrl_c_keeps_what_is_under_way(tmp_path: Path) -> None:
    reached = threading.Event()

    def slow(number: int, body: Mapping[str, Any]) -> None:
        if number == 3:
            reached.set()
            time.sleep(1.0)

    with ChatServer(slow) as server:
        process = start(words(server, tmp_path, *GAMES))
        assert reached.wait(60)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 130
        assert "run the same command again to resume" in said
        assert "Traceback" not in said
        (kept,) = (tmp_path / "runs").glob(f"*/{EXCHANGES}")
        assert len(kept.read_text().splitlines()) == server.requests == 4
        run = evaluate(server, tmp_path, *GAMES)
    assert server.requests == run["accounting"]["calls"]


def test_scripted_models_are_served() -> None:
    program = "from topple.cli.main import main; main()"
    command = [sys.executable, "-u", "-c", program, "llm-server", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("models random, heuristic at http://127.0.0.1:")
        connection = Connection(line.split(" at ")[1].split(";")[0])
        rules, question = gpt4_preset.prompt(game_named("support"))
        body = {"model": "heuristic", "messages": [system(rules), user(question)]}
        with Endpoint(connection) as endpoint:
            text = endpoint.complete(body).reply.choice().text
        assert json.loads(text)[0] == {"time": 1.0, "index": 0}
    finally:
        process.send_signal(signal.SIGINT)
        assert "stopped after 1 requests" in process.communicate(timeout=60)[1]


def test_a_slice_of_a_fold_and_a_split_make_a_report(tmp_path: Path) -> None:
    with ChatServer() as server:
        run = evaluate(server, tmp_path, *SLICE, "--images", "--keyframes", "1")
        games = evaluate(server, tmp_path, *GAMES, "--strategy", "combined")
    assert run["tasks"] == 4
    assert 0 <= run["solved@1"] <= run["solved@10"] == run["solved@100"] <= 1
    account = run["accounting"]
    tokens = 2.0 * account["prompt_tokens"] + 8.0 * account["completion_tokens"]
    assert account["cost"] == pytest.approx(tokens / 1e6, abs=1e-6)
    assert games["games"] == 10
    assert games["reward"] > 300
    page = report(tmp_path)
    assert "<h2>Transcripts</h2>" in page
    assert "Calls and costs" in page
    assert f"{account['cost']:.4f}" in page
    assert "src='data:image/png;base64," in page
    assert "turn 1: attempt 1: " in page
    assert "Make the green ball touch" in page
    assert "I-PHYRE" in page
    assert "support: " in page


def test_what_a_model_says_is_escaped(tmp_path: Path) -> None:
    attack = "<script>alert('x')</script>"

    with ChatServer(says(f"{attack} \ud800 half a character")) as server:
        run = evaluate(server, tmp_path, "--games", "support", "--label", attack)
    assert run["accounting"]["failures"] == 4
    page = report(tmp_path)
    assert "&lt;script&gt;alert(" in page
    assert "<script" not in page


def test_a_grid_has_its_ceiling_printed(tmp_path: Path) -> None:
    with ChatServer() as server:
        run = evaluate(server, tmp_path, *SLICE, "--grid", "4x4x2")
        table = topple(*words(server, tmp_path, *SLICE, "--grid", "4x4x2"))
    assert run["solved@100"] <= run["grid's ceiling"] <= 1
    assert "ceili" in table.stdout
    kept = record(tmp_path).protocol
    assert kept["grid"] == "4x4x2"
    assert kept["oracle_ceiling"]["auccess"] == run["grid's ceiling"]


def test_options_are_sent(tmp_path: Path) -> None:
    more = ("--temperature", "0", "--max-tokens", "77", "-s", 'extra_body={"seed": 3}')
    with ChatServer() as server:
        evaluate(server, tmp_path, "--games", "support", *more)
    (body,) = server.bodies
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0, 77, 3)
    assert record(tmp_path).config.settings["temperature"] == 0


def test_tasks_may_be_named(tmp_path: Path) -> None:
    with ChatServer() as server:
        first = evaluate(server, tmp_path, *SLICE)
        names = [str(task) for task in record(tmp_path).results.tasks[1:3]]
        named = [*SLICE[:4], "--tasks", ",".join(names), "--attempts", "3"]
        second = evaluate(server, tmp_path, *named)
        asked = server.requests
        assert evaluate(server, tmp_path, *named) == second
        assert server.requests == asked
        wrong = words(server, tmp_path, *SLICE[:4], "--tasks", "00100:000")
        assert "task '00100:000' is not scored in this fold" in topple_mistake(*wrong)
    assert first["tasks"] == 4
    assert second["tasks"] == 2


@pytest.mark.parametrize("what", [("--games", "support"), (*SLICE[:4], "--tasks", "1")])
def test_all_may_be_asked_anew(what: tuple[str, ...], tmp_path: Path) -> None:
    with ChatServer() as server:
        words = (*what, "--attempts", "1")
        first = evaluate(server, tmp_path, *words)
        assert evaluate(server, tmp_path, *words) == first
        assert server.requests == 1
        evaluate(server, tmp_path, *words, "--no-resume")
        assert server.requests == 2
    assert len(list((tmp_path / "runs").glob(f"*/{EXCHANGES}*"))) == 2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--base-url", "nowhere"), "write it like http://127.0.0.1:8000"),
        (("--key-variable", "NO_SUCH_KEY"), "'NO_SUCH_KEY' is empty; set it"),
        (("--grid", "5x5x5"), "has no setting 'grid'"),
        (("--strategy", "never"), "strategy is 'never'"),
        (("--concurrency", "1000"), "concurrency is 1000"),
        (("-s", "reasks=99"), "reasks is 99"),
        (("--prices", "missing.json"), "missing.json"),
        (("--model", "other"), "has no price for 'other', only for heuristic, nobody"),
        (("--preset", "iphyre-gpt4", "--hz", "60"), "is played at 10 Hz, not 60"),
        (("--model", "nobody", "--retries", "0"), "status 404: no such model"),
        (("--agent", "random"), "--base-url is for --agent llm"),
    ],
)
def test_mistakes_are_named(more: tuple[str, ...], message: str, tmp_path: Path) -> None:
    with ChatServer() as server:
        assert message in topple_mistake(*words(server, tmp_path, "--games", "support", *more))


def test_reports_need_no_http_library() -> None:
    program = (
        "import sys; sys.modules['httpx'] = None\n"
        "import topple.cli.report, topple.cli.llm_server\n"
        "from topple.cli.main import app\n"
        "words = '--agent llm --base-url http://127.0.0.1:1 --games support'.split()\n"
        "app(['evaluate', *words])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'topple[llm]'" in done.stderr
