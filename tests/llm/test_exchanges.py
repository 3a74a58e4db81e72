"""Exchanges on disk: found again, torn, damaged, shared, accounted for."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.chat_server import KEY, ChatServer, says, text_reply
from topple.llm.accounting import (
    Account,
    Price,
    account_of,
    read_accounting,
    read_prices,
    write_accounting,
)
from topple.llm.chat import Link, open_chat
from topple.llm.exchanges import (
    EXCHANGES,
    REQUESTS,
    Exchange,
    ExchangeError,
    ExchangeStore,
    by_subject,
    put_aside,
    read_exchanges,
    request_digest,
)
from topple.llm.messages import to_png, user
from topple.llm.reply import Choice, Reply, Usage
from topple.llm.turns import TurnNote, read_turns, write_turns

OPTIONS = {"model": "random"}


def exchange(place: str, text: str = "yes", **words: Any) -> Exchange:
    body = {"model": "m", "messages": [{"role": "user", "content": place}]}
    reply = Reply((Choice(text),), Usage(100, 10), model="m-1")
    parts = {"seconds": 1.0, "requests": 1, "ended": 100.0, **words}
    return Exchange(place, request_digest(body), body, reply, **parts)


def ask_all(link: Link, places: list[str]) -> list[str]:
    with open_chat(link, OPTIONS) as chat:
        return [chat.ask(place, [user(f"question {place}")]).choice().text for place in places]


def test_a_request_in_progress_at_a_kill_keeps_its_idempotency_key(tmp_path: Path) -> None:
    place = "task/001/00"
    with ExchangeStore(tmp_path) as store:
        digest = request_digest({**OPTIONS, "messages": [user(f"question {place}")]})
        key = store.begin(place, digest)  # and the process is killed
    with ChatServer(says("yes")) as server:
        assert ask_all(server.link(tmp_path), [place]) == ["yes"]
        assert ask_all(server.link(tmp_path), [place]) == ["yes"]
    assert [headers["Idempotency-Key"] for headers in server.headers] == [key]
    assert write_accounting(tmp_path, "random", None).sent_again == 1
    put_aside(tmp_path)
    assert {path.name for path in tmp_path.glob("*.1")} == {f"{EXCHANGES}.1", f"{REQUESTS}.1"}


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    places = [f"task/{turn:03d}/00" for turn in range(1, 6)]
    with ChatServer(lambda number, body: text_reply(body, f"answer {number}")) as server:
        first = ask_all(server.link(tmp_path), places[:3])
        again = ask_all(server.link(tmp_path), places)
    assert again[:3] == first
    assert server.requests == 5


def test_the_same_request_elsewhere_is_another_exchange(tmp_path: Path) -> None:
    with (
        ChatServer(lambda number, body: text_reply(body, str(number))) as server,
        open_chat(server.link(tmp_path), OPTIONS) as chat,
    ):
        texts = [chat.ask(f"task/{k:03d}/00", [user("same")]).choice().text for k in (1, 2, 1)]
    assert texts == ["0", "1", "0"]


def test_a_changed_request_is_asked_anew(tmp_path: Path) -> None:
    with ChatServer(lambda number, body: text_reply(body, str(number))) as server:
        for temperature in (0.0, 0.5, 0.0):
            with open_chat(server.link(tmp_path), {**OPTIONS, "temperature": temperature}) as chat:
                chat.ask("task/001/00", [user("same")])
    assert server.requests == 2


def test_a_torn_last_line_is_forgotten(tmp_path: Path) -> None:
    with ExchangeStore(tmp_path) as store:
        store.append(exchange("a/001/00"))
        store.append(exchange("b/001/00"))
    path = tmp_path / EXCHANGES
    whole = path.read_bytes()
    for cut in (1, 20, len(whole.splitlines()[1])):
        path.write_bytes(whole[:-cut])
        with ExchangeStore(tmp_path) as store:
            assert len(store) == 1
            store.append(exchange("b/001/00"))
        assert path.read_bytes() == whole


def test_damage_before_the_end_is_named(tmp_path: Path) -> None:
    with ExchangeStore(tmp_path) as store:
        store.append(exchange("a/001/00"))
    path = tmp_path / EXCHANGES
    path.write_bytes(b"{nonsense}\n" + path.read_bytes())
    with pytest.raises(ExchangeError, match=r"exchanges\.jsonl, line 1: no exchange"):
        ExchangeStore(tmp_path)


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with ExchangeStore(tmp_path), pytest.raises(ExchangeError, match="in use by another run"):
        ExchangeStore(tmp_path)
    with ExchangeStore(tmp_path):
        pass  # the refusal left no claim behind


def test_threads_do_not_mix_lines(tmp_path: Path) -> None:
    def write(store: ExchangeStore, subject: int) -> None:
        for turn in range(1, 21):
            store.append(exchange(f"{subject}/{turn:03d}/00"))

    with ExchangeStore(tmp_path) as store, ThreadPoolExecutor(4) as pool:
        list(pool.map(partial(write, store), range(4)))
    found = read_exchanges(tmp_path)
    assert [each.place for each in found] == [
        f"{k}/{n:03d}/00" for k in range(4) for n in range(1, 21)
    ]
    assert {name: len(own) for name, own in by_subject(found)} == dict.fromkeys("0123", 20)


def test_pictures_are_kept_once_and_apart(tmp_path: Path) -> None:
    frame = np.zeros((8, 8, 3), np.uint8)
    with (
        ChatServer(says("nice")) as server,
        open_chat(server.link(tmp_path), OPTIONS) as chat,
    ):
        for turn in (1, 2):
            chat.ask(f"task/{turn:03d}/00", [user("look", [("a black square:", frame)])])
    sent = server.bodies[0]["messages"][0]["content"][2]["image_url"]["url"]
    assert sent.startswith("data:image/png;base64,")
    (picture,) = (tmp_path / "images").iterdir()
    assert picture.read_bytes() == to_png(frame)
    kept = read_exchanges(tmp_path)[0].request["messages"][0]["content"]
    assert kept[1] == {"type": "text", "text": "a black square:"}
    assert kept[2]["image_url"]["url"] == f"images/{picture.name}"
    assert "base64" not in (tmp_path / EXCHANGES).read_text()


def test_the_key_is_in_no_file(tmp_path: Path) -> None:
    with ChatServer(says(f"I was told {KEY}")) as server:
        ask_all(server.link(tmp_path, key=KEY), ["task/001/00"])
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(KEY.encode() not in path.read_bytes() for path in files)


def test_exchanges_can_be_put_aside(tmp_path: Path) -> None:
    put_aside(tmp_path)
    for number in (1, 2):
        with ExchangeStore(tmp_path) as store:
            assert len(store) == 0
            store.append(exchange("a/001/00"))
        put_aside(tmp_path)
        assert len(list(tmp_path.glob(f"{EXCHANGES}*"))) == number
    assert read_exchanges(tmp_path) == []


def test_accounts_add_up(tmp_path: Path) -> None:
    unknown = Reply((Choice("?"),), None)
    made = [
        exchange("a/001/00", seconds=2.0, ended=10.0),
        exchange("a/001/01", seconds=2.0, ended=11.0, requests=3),  # 8..10 and 9..11
        exchange("b/001/00", seconds=1.0, ended=20.0)._replace(reply=unknown),
    ]
    notes = {
        "a": [TurnNote(1, {"remove": None}, "fine", ("bad",), {"inspect": 2, "propose": 1})],
        "b": [TurnNote(1, None, "passed")],
    }
    with ExchangeStore(tmp_path) as store:
        for each in made:
            store.append(each)
    write_turns(tmp_path, notes)
    assert read_turns(tmp_path) == notes
    total = write_accounting(tmp_path, "m", {"m": Price(2.0, 10.0)})
    assert total == Account(
        calls=3,
        requests=5,
        prompt_tokens=200,
        completion_tokens=20,
        uncounted=1,
        model_seconds=5.0,
        wall_seconds=4.0,
        cost=0.0006,
        turns=2,
        passed=1,
        failures=1,
        tool_calls={"inspect": 2, "propose": 1},
    )
    assert json.loads((tmp_path / "accounting.json").read_text())["answered_by"] == ["", "m-1"]
    kept = read_accounting(tmp_path)
    assert kept["total"] == total
    assert kept["a"].cost == 0.0006
    assert kept["b"].passed == 1
    assert account_of(made).cost is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"m": 1}',
        '{"m": {"prompt": 1}}',
        '{"m": {"prompt": -1, "completion": 1}}',
        '{"m": {"prompt": NaN, "completion": 1}}',
    ],
)
def test_bad_price_tables_are_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"prices\.json"):
        read_prices(path)


def test_prices_are_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"other": {"prompt": 1, "completion": 2}}))
    assert read_prices(path) == {"other": Price(1.0, 2.0)}
