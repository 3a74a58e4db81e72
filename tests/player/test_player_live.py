"""Live games: what is played is what the rules say, whoever clicks whenever."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from support.player_client import MakeClient, Message, live, new_player, plan_of
from topple.iphyre import ALL, AT_60_HZ, Plan, Split, game_named, play, watch
from topple.iphyre.plan import Elimination
from topple.iphyre.published import IPHYRE_HUMAN, iphyre_table_a4
from topple.player.attempts import Click
from topple.player.geometry import moving_bodies
from topple.player.live import rest_tick
from topple.player.settings import MAX_MESSAGE, Rate


def test_a_game_is_played_to_success_by_clicks(client: TestClient, player: dict[str, str]) -> None:
    game = game_named("support")
    with live(client, player) as page:
        ready = page.start()
        assert (ready["hz"], ready["tick_limit"]) == (60, 900)
        assert page.until("started")["number"] == 1
        for body in game.eliminable:
            x, y = game.centre(body)
            page.send("click", x=x, y=y, tick=0)
        ended = page.until("ended")
    attempt = ended["attempt"]
    assert attempt["solved"]
    assert attempt["removed"] == 2
    score = play(game, plan_of(attempt))
    assert (attempt["reward"], attempt["ticks"]) == (score.reward, score.ticks)
    assert ended["progress"]["solved_at"] == 1
    # Every tick was shown, and shows the world of the rules.
    assert [frame["tick"] for frame in page.frames] == list(range(score.ticks + 1))
    trace = watch(game, plan_of(attempt))
    moving = ready["moving"]
    for frame, poses in zip(page.frames, trace.poses, strict=True):
        assert frame["poses"] == poses[moving].round(3).ravel().tolist()


def test_blocks_go_one_a_tick(client: TestClient, player: dict[str, str]) -> None:
    with live(client, player, "hole") as page:
        page.start()
        for body in (*game_named("hole").eliminable, game_named("hole").eliminable[0]):
            page.send("remove", body=body)
        attempt = page.until("ended")["attempt"]
    ticks = [row["tick"] for row in attempt["plan"]]
    assert ticks == sorted(set(ticks))
    assert len(ticks) == len(game_named("hole").eliminable)


def test_a_lost_game_ends_when_nothing_moves_any_more(
    client: TestClient, player: dict[str, str]
) -> None:
    game = game_named("hole")
    with live(client, player, "hole") as page:
        page.start()
        for body in game.eliminable:
            page.send("remove", body=body)
        attempt = page.until("ended")["attempt"]
    score = play(game, plan_of(attempt))
    assert (attempt["solved"], attempt["ticks"]) == (score.solved, score.ticks) == (False, 900)
    assert (attempt["reward"], attempt["abandoned"]) == (score.reward, False)
    assert page.frames[-1]["tick"] < 600  # the verdict need not wait for the limit


def test_the_end_of_a_lost_game_is_certain() -> None:
    ended = 0
    for game in ALL:
        clicks: list[Click] = [(tick, body, None) for tick, body in enumerate(game.eliminable)]
        rest = rest_tick(game, clicks)
        trace = watch(game, Plan(tuple(Elimination(tick, body) for tick, body, _ in clicks)))
        assert (rest is None) == trace.solved
        if rest is not None:
            ended += rest < AT_60_HZ.tick_limit
            places = trace.poses[rest:, :, :2]
            seen = (places <= 900).all(axis=(0, 2))
            assert abs(places - places[-1])[:, seen].max(initial=0.0) <= 0.5
    assert ended > 15


def test_hints_of_a_game_are_graded(client: TestClient, player: dict[str, str]) -> None:
    game = game_named("fill")
    path = "/api/iphyre/games/fill"
    hints = [
        client.post(f"{path}/hints", json={"level": level}, headers=player).json()
        for level in (1, 2, 3)
    ]
    assert hints[0]["text"] == game.concept
    assert hints[1]["body"] in game.eliminable
    assert hints[2]["text"].startswith("Remove block ")
    solution = client.post(f"{path}/solution", headers=player).json()
    assert solution["solved"]
    assert solution["plan"][0]["body"] == hints[1]["body"]
    assert client.get(path, headers=player).json()["progress"]["shown"]


def test_a_click_beside_all_blocks_misses(client: TestClient, player: dict[str, str]) -> None:
    with live(client, player) as page:
        page.start()
        page.send("click", x=1, y=1)
        page.until("missed")
        page.send("remove", body=2)  # a ball
        page.until("missed")
        assert page.until("ended")["attempt"]["plan"] == []


def test_a_restart_gives_the_attempt_up_and_it_counts(
    client: TestClient, player: dict[str, str]
) -> None:
    game = game_named("support")
    with live(client, player) as page:
        page.start()
        page.until("started")
        page.send("remove", body=game.eliminable[0])
        while not page.until("frame")["removed"]:
            pass
        page.send("start")
        given_up = page.until("ended")["attempt"]
        assert given_up["abandoned"]
        assert given_up["reward"] == play(game, plan_of(given_up)).reward
        assert page.until("started")["number"] == 2
        page.send("stop")
        last = page.until("ended")
    assert last["attempt"]["abandoned"]
    assert last["progress"]["attempts"] == 2


def test_an_earlier_play_is_taken_up_where_it_was(
    client: TestClient, player: dict[str, str]
) -> None:
    game = game_named("hole")
    first, *others = game.eliminable
    with live(client, player, "hole") as page:
        page.start(tick=40, removals=[[10, first]])
        assert page.until("started") == {"type": "started", "number": 1, "counted": False}
        page.until("frame")
        seen = page.frames[0]
        assert (seen["tick"], seen["removed"]) == (40, [first])
        moving = moving_bodies(game)
        poses = watch(game, Plan((Elimination(10, first),)), AT_60_HZ).poses[40, moving]
        assert seen["poses"] == poses.round(3).ravel().tolist()
        for body in others:
            page.send("remove", body=body)
        ended = page.until("ended")
    plan = plan_of(ended["attempt"])
    assert plan.eliminations[0] == Elimination(10, first)
    assert len(plan.eliminations) == len(game.eliminable)
    assert ended["attempt"]["reward"] == play(game, plan, AT_60_HZ).reward
    assert ended["progress"]["attempts"] == 0  # practice


@pytest.mark.parametrize(
    "start",
    [
        {"tick": 900, "removals": []},
        {"tick": 5, "removals": [[9, 0]]},
        {"tick": 5, "removals": [[1, 999]]},
    ],
)
def test_no_play_is_taken_up_where_none_was(
    client: TestClient, player: dict[str, str], start: Message
) -> None:
    with live(client, player) as page:
        page.start(**start)
        with pytest.raises(AssertionError, match="refused"):
            page.until("started")


def test_five_attempts_count_and_more_are_practice(
    client: TestClient, player: dict[str, str]
) -> None:
    with live(client, player) as page:
        page.until("ready")
        for number in range(1, 7):
            page.send("start")
            assert page.until("started")["counted"] == (number <= 5)
            page.send("stop")
            progress = page.until("ended")["progress"]
    assert progress["attempts"] == 5
    listed = client.get("/api/iphyre/games/support", headers=player).json()["attempts"]
    assert [row["counted"] for row in listed] == [True] * 5 + [False]


def test_an_attempt_left_alone_is_kept(client: TestClient, player: dict[str, str]) -> None:
    with live(client, player) as page:
        page.start()
        page.until("started")
    [left] = client.get("/api/iphyre/games/support", headers=player).json()["attempts"]
    assert left["abandoned"]
    assert left["reward"] == play(game_named("support")).reward == -15.0


def test_two_clients_play_side_by_side(client: TestClient) -> None:
    keys = [new_player(client) for _ in range(2)]
    with live(client, keys[0]) as one, live(client, keys[1], "hinder") as two:
        for page in (one, two):
            page.start()
        for body in game_named("support").eliminable:
            one.send("remove", body=body)
        two.send("remove", body=game_named("hinder").eliminable[0])
        attempts = [page.until("ended")["attempt"] for page in (one, two)]
    for name, attempt in zip(("support", "hinder"), attempts, strict=True):
        assert attempt["reward"] == play(game_named(name), plan_of(attempt)).reward


@pytest.mark.parametrize(
    "content",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"type": "dance"}',
        '{"type": "click"}',
        '{"type": "click", "x": "a", "y": 1}',
        '{"type": "click", "x": 1e999, "y": 1}',
        '{"type": "remove", "body": -1}',
        '{"type": "start", "more": 1}',
        "[" * 2000,
        b"\x00" * 10,
        pytest.param("x" * (MAX_MESSAGE + 1), id="too large"),
    ],
)
def test_malformed_messages_close_the_connection(
    client: TestClient, player: dict[str, str], content: str | bytes
) -> None:
    with live(client, player) as page:
        page.until("ready")
        if isinstance(content, bytes):
            page.socket.send_bytes(content)
        else:
            page.socket.send_text(content)
        too_large = len(content) > MAX_MESSAGE
        assert page.socket.receive_json()["code"] == ("size" if too_large else "message")
        with pytest.raises(WebSocketDisconnect) as closed:
            page.socket.receive_json()
    assert closed.value.code == (1009 if too_large else 1008)


def test_too_many_messages_close_the_connection(make_client: MakeClient) -> None:
    client = make_client(messages=Rate(1.0, 5))
    with live(client, new_player(client)) as page:
        page.until("ready")
        for _ in range(20):
            page.send("stop")
        assert page.socket.receive_json()["code"] == "rate"


def test_only_so_many_games_are_open_at_once(make_client: MakeClient) -> None:
    client = make_client(live_games_per_player=1)
    player = new_player(client)
    with live(client, player) as page:
        page.until("ready")
        with live(client, player) as second:
            assert second.socket.receive_json()["code"] == "busy"
    with live(client, player) as page:
        page.until("ready")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("support/live", "unauthorized"),
        ("support/live?player=" + "A" * 22, "unauthorized"),
        ("support/live?player=nobody", "unauthorized"),
        ("no_such_game/live?player=KEY", "refused"),
        ("own:aaaaaaaaaaaa/live?player=KEY", "refused"),
    ],
)
def test_strangers_and_unknown_games_are_turned_away(
    client: TestClient, player: dict[str, str], path: str, code: str
) -> None:
    games = "ws://127.0.0.1:8765/api/iphyre/games"
    path = path.replace("KEY", player["X-Player"])
    with client.websocket_connect(f"{games}/{path}") as socket:
        assert socket.receive_json()["code"] == code
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


def test_the_gallery_has_all_games_and_filters_by_split(client: TestClient) -> None:
    cards = client.get("/api/iphyre/games").json()
    assert [card["name"] for card in cards] == [game.name for game in ALL]
    noisy = client.get("/api/iphyre/games", params={"split": "noisy"}).json()
    assert [card["name"] for card in noisy] == [game.name for game in Split.NOISY.games]
    png = client.get(cards[0]["thumbnail"])
    assert png.headers["content-type"] == "image/png"


def test_a_game_comes_with_the_papers_rewards(client: TestClient) -> None:
    game = client.get("/api/iphyre/games/seesaw").json()
    assert game["others"] == iphyre_table_a4()["seesaw"]
    assert game["tick_limit"] == AT_60_HZ.tick_limit
    kinds = [body["kind"] for body in game["bodies"]]
    assert kinds.count("gray") == len(game_named("seesaw").eliminable)


def test_standing_averages_games_of_a_split(client: TestClient, player: dict[str, str]) -> None:
    with live(client, player) as page:
        page.start()
        page.until("started")
        page.send("stop")
        page.until("ended")
        page.send("start")
        for body in game_named("support").eliminable:
            page.send("remove", body=body)
        best = page.until("ended")["attempt"]["reward"]
    basic, *rest = client.get("/api/iphyre/standing", headers=player).json()["splits"]
    assert (basic["split"], basic["games"], basic["of"]) == ("basic", 1, 10)
    assert basic["best_reward"] == best
    assert basic["mean_reward"] == pytest.approx((best - 15.0) / 2)
    assert basic["success_rate"] == 1.0
    assert basic["others"]["Human"] == IPHYRE_HUMAN[Split.BASIC]
    assert basic["others"]["PPO-I"] == pytest.approx(861.56)
    assert all(split["games"] == 0 and split["best_reward"] is None for split in rest)
