from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topple.iphyre import (
    ALL,
    PUBLISHED,
    Ball,
    Episode,
    Game,
    GameError,
    Split,
    game_named,
    split_of,
)
from topple.iphyre.game import black, blue, gray
from topple.iphyre.game_file import game_to_json, load_games
from topple.iphyre.observe import object_table
from topple.iphyre.split import split_named


def layout_hash() -> str:
    layouts = [[game.name, *game.scene[:6]] for game in ALL]
    text = json.dumps(layouts, separators=(",", ":"), default=float)
    return hashlib.sha256(text.replace(".0", "").encode()).hexdigest()


def test_layouts_are_the_published_ones() -> None:
    assert layout_hash() == "3e2f7009363b0710c08454689b340dd3ad30731d1e5847b5857209207c8a9e7a"


def test_layouts_equal_the_facts(shared: Any) -> None:
    facts = shared("games.json")["games"]
    assert [game.name for game in ALL] == list(facts)
    for game in ALL:
        fact = facts[game.name]
        split = split_of(game.name)
        assert split is not None
        assert split.value == fact["split"]
        assert list(game.eliminable) == fact["eliminable_indices"]
        assert list(game.sticks) == [(pin["a"], pin["b"]) for pin in fact["pin_joints"]]
        assert list(game.springs) == [(s["a"], s["b"]) for s in fact["springs"]]
        table = object_table(Episode(game).world, game.eliminable)
        np.testing.assert_array_equal(table, fact["initial_observation_12x9"])
        centres = [list(game.centre(body)) for body in game.eliminable]
        assert centres == fact["action_space"][1 : 1 + len(centres)]


def test_splits() -> None:
    assert [len(split.games) for split in Split] == [10] * 5
    assert len(PUBLISHED) == 40
    assert len({game.name for game in ALL}) == 50
    assert split_named("multi-ball") is Split.MULTI_BALL
    assert split_of("my_own") is None
    with pytest.raises(ValueError, match=r"no split is named 'hard'; the splits are basic, noisy"):
        split_named("hard")


def test_every_game_says_what_it_tests() -> None:
    concepts = [game.concept for game in ALL]
    assert all(concept.endswith(".") and len(concept) > 15 for concept in concepts)
    assert len(set(concepts)) == len(concepts)


def test_unknown_game() -> None:
    with pytest.raises(GameError, match="no game is named 'supprt'; did you mean 'support'"):
        game_named("supprt")


def own(**changes: Any) -> Game:
    parts: dict[str, Any] = {
        "name": "own",
        "concept": "",
        "blocks": (gray(200, 400, 300, 400), black(200, 500, 300, 500), blue(0, 0, 9, 9)),
        "balls": (Ball(250, 340),),
    }
    return Game(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "a b"}, "the name must be letters, digits and underscores"),
        ({"balls": ()}, "there must be at least one ball"),
        ({"blocks": (gray(1, 1, 1, 1),)}, "block 0 has length zero"),
        ({"blocks": (gray(1, 1, float("nan"), 1),)}, "block 0 has an end at nan; places"),
        ({"blocks": (gray(1, 1, 1e155, 1),)}, r"block 0 has an end at 1e\+155; places and sizes"),
        ({"balls": (Ball(-2e6, 1),)}, "ball 3 has a centre or radius of -2e"),
        ({"balls": (Ball(1, 1, float("inf")),)}, "ball 3 has a centre or radius of inf"),
        ({"balls": (Ball(1, 1, -2),)}, r"ball 3 has radius -2; it must be positive"),
        ({"balls": (Ball(1, 1, 1e-300),)}, r"ball 3 has radius 1e-300; .* at least 1e-06 px"),
        ({"balls": (Ball(1, 2e-167),)}, "ball 3 has a centre or radius of 2e-167; write 0 for"),
        ({"balls": (Ball(1, 601),)}, "ball 3 starts at y = 601, already below 600"),
        ({"balls": tuple(Ball(40 * i, 1) for i in range(10))}, "13 bodies, but at most 12"),
        ({"blocks": tuple(gray(0, 40 * i, 9, 40 * i) for i in range(7))}, "7 gray blocks"),
        ({"sticks": ((0, 9),)}, r"stick \[0, 9\] names body 9, but bodies are 0 to 3"),
        ({"springs": ((3, 3),)}, "joins a body to itself"),
        ({"springs": ((0, 1),)}, r"spring \[0, 1\] joins two bodies that cannot move"),
        ({"blocks": (gray(0, 0, 9, 0), gray(1, 1, 8, 1))}, "block 1 cannot be clicked"),
    ],
)
def test_broken_games_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=f"game .*: .*{message}"):
        own(**changes)


def test_clicks() -> None:
    game = game_named("support")
    assert game.block_at((250, 400)) == 0
    assert game.block_at((250, 409.9)) == 0
    assert game.block_at((250, 410)) is None
    assert game.block_at((300, 400)) is None  # the round end cannot be hit
    assert game.block_at((250, 340)) is None
    assert game.block_at((250, 400), removed=frozenset({0})) is None


def test_json_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "games.json"
    path.write_text(json.dumps([game_to_json(game) for game in ALL]))
    assert load_games(path) == ALL


def test_python_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from topple.iphyre import Ball, Game\n"
        "from topple.iphyre.game import gray\n"
        "GAME = Game('mine', 'A shelf.', (gray(200, 400, 300, 400),), (Ball(250, 340),))\n"
    )
    (game,) = load_games(path)
    assert game.eliminable == (0,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON"),
        ("[]", "it holds no games"),
        ('{"name": 3}', "a game has the name 3"),
        ('{"name": "a", "ball": []}', "unknown entry 'ball'"),
        ('{"name": "a", "blocks": [{"kind": "red", "ends": [1, 2, 3, 4]}]}', "kinds are gray"),
        ('{"name": "a", "blocks": [{"kind": "gray", "ends": [1, 2]}]}', "block 0 has ends"),
        ('{"name": "a", "balls": [{"centre": [1, true]}]}', "ball 0 has centre"),
        ('{"name": "a", "sticks": [[1]]}', "each joins two bodies"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "games.json"
    path.write_text(text)
    with pytest.raises(GameError, match=f"games.json: .*{message}"):
        load_games(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match=r"end in \.json or \.py"):
        load_games(tmp_path / "games.toml")
    with pytest.raises(GameError, match="there is no such file"):
        load_games(tmp_path / "games.json")
    broken = tmp_path / "broken.py"
    broken.write_text("GAME = 1 / 0\n")
    with pytest.raises(GameError, match="running it failed: ZeroDivisionError"):
        load_games(broken)


@pytest.mark.parametrize("depth", [300, 900, 100_000])
def test_deep_files_are_refused(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "deep.json"
    for text in ("[" * depth + "]" * depth, '{"name": ' * depth + "1" + "}" * depth):
        path.write_text(text)
        with pytest.raises(GameError, match=r"deep\.json: "):
            load_games(path)
