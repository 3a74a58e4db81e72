"""A page for every I-PHYRE game, and the index of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pages import FILM, FPS, STILL, Page, Pictures, figures, gallery, per_cent, playable, table
from topple.iphyre import ALL, Game, Kind, Split, plan_from_ticks, play, split_of
from topple.iphyre.pictures import picture_episode, picture_game
from topple.iphyre.published import iphyre_table_a4
from topple.iphyre.rules import AT_60_HZ

FOLDER = "puzzles/games"
INDEX = f"{FOLDER}/index.md"
SPLITS = {
    Split.BASIC: "Basic",
    Split.NOISY: "Noisy",
    Split.COMPOSITIONAL: "Compositional",
    Split.MULTI_BALL: "Multi-ball",
    Split.UNSEEN_BASIC: "Unseen basic",
}
WORDS = {
    Kind.GRAY: "gray: can be removed",
    Kind.BLACK: "black: stays",
    Kind.BLUE: "blue: moves",
}

Ticks = Sequence[int | None]


def game_nav() -> list[Any]:
    """The games of each split, for the nav."""
    return [
        {name: [f"{FOLDER}/{game.name}.md" for game in split.games]}
        for split, name in SPLITS.items()
    ]


def game_pages(facts: dict[str, Any], best: Mapping[str, Ticks], pictures: Pictures) -> list[Page]:
    """All pages; their pictures are added to `pictures`.

    Args:
        facts: of the games.
        best: the best plan of each game: a tick per gray block at 60 Hz, None for never.
        pictures: where pictures go.
    """
    return [_page(game, facts, best[game.name], pictures) for game in ALL]


def game_index(facts: dict[str, Any]) -> str:
    """Thumbnails of all games, by split, for the page that introduces them."""
    parts = [
        "The caption of a picture gives the share of random plans at 60 Hz that solve the game."
    ]
    for split, name in SPLITS.items():
        cards = [
            (
                f"{game.name}.md",
                f"{game.name}.png",
                f"{game.title}, {per_cent(facts['games'][game.name]['solved_60_hz'])}",
            )
            for game in split.games
        ]
        parts += [f"## {name}", gallery(cards)]
    return "\n\n".join(parts)


def _page(game: Game, facts: dict[str, Any], ticks: Ticks, pictures: Pictures) -> Page:
    plan = plan_from_ticks(game, ticks)
    stem = f"{FOLDER}/{game.name}"
    key = (game.name, game.scene, plan, play(game, plan), FILM, STILL)
    pictures.add(f"{stem}.png", key, lambda: [picture_game(game, STILL)])
    pictures.add(f"{stem}.gif", key, lambda: picture_episode(game, plan, fps=FPS, size=FILM))
    shown = [(f"{game.name}.png", "The start"), (f"{game.name}.gif", "The best plan known")]
    split = split_of(game.name)
    assert split is not None  # the published games all have one
    kinds = [f"{sum(b.kind is kind for b in game.blocks)} {kind.value}" for kind in Kind]
    rows = [
        ("split", SPLITS[split].lower()),
        ("name", f"`{game.name}`"),
        ("blocks", ", ".join(kinds)),
        ("balls", len(game.balls)),
        ("sticks, springs", f"{len(game.sticks)}, {len(game.springs)}"),
    ]
    return Page(
        f"{stem}.md",
        f"""# {game.title}

{game.concept}

{figures(shown)}

{playable("iphyre", game.name)}

{table(("", ""), rows)}

## Bodies

Positions are in pixels; the scene has 600 x 600 pixels, and y points down.

{_bodies(game)}

## The best plan known

{_plan(game, ticks)}

## Difficulty

{_difficulty(game, facts)}
""",
    )


def _bodies(game: Game) -> str:
    joined: dict[int, list[str]] = {}
    for word, pairs in (("stick", game.sticks), ("spring", game.springs)):
        for a, b in pairs:
            joined.setdefault(a, []).append(f"{word} to {b}")
            joined.setdefault(b, []).append(f"{word} to {a}")
    rows = []
    for body in range(game.bodies):
        joints = ", ".join(joined.get(body, ()))
        if body < len(game.blocks):
            block = game.blocks[body]
            where = f"{_point(*block.start)} to {_point(*block.end)}"
            rows.append((body, "block", WORDS[block.kind], where, joints))
        else:
            ball = game.balls[body - len(game.blocks)]
            where = f"{_point(ball.x, ball.y)}, radius {ball.radius:g}"
            rows.append((body, "ball", "red: has to leave the scene", where, joints))
    return table(("body", "type", "colour", "position", "joints"), rows)


def _point(x: float, y: float) -> str:
    return f"({x:g}, {y:g})"


def _plan(game: Game, ticks: Ticks) -> str:
    score = play(game, plan_from_ticks(game, ticks))
    rows = [
        (f"block {body}", "never" if tick is None else f"{tick / AT_60_HZ.hz:.3f} s, tick {tick}")
        for body, tick in zip(game.eliminable, ticks, strict=True)
    ]
    # Half a tick early: the block then goes at its tick however the clock is rounded.
    times = ["-" if t is None else f"{(t - 0.5) / AT_60_HZ.hz:.3f}" for t in ticks]
    seconds = score.ticks / AT_60_HZ.hz
    return f"""It earns **{score.reward:.2f}**: {score.removed} removed, solved after
{score.ticks} ticks, {seconds:.2f} seconds. It was found by a search, and a better one may exist.

{table(("gray block", "is removed at"), rows)}

```console
$ topple iphyre play {game.name} --times={",".join(times)} --save {game.name}.gif
```"""


def _difficulty(game: Game, facts: dict[str, Any]) -> str:
    known = facts["games"][game.name]
    tried = "all plans on the grid" if known["exhaustive"] else "4,000 random plans"
    rows: list[tuple[object, ...]] = [
        (
            f"random plans at 60 Hz that solve it, of {facts['about']['plans']:,}",
            per_cent(known["solved_60_hz"]),
        ),
        (f"plans at 10 Hz that solve it, of {tried}", per_cent(known["solved_10_hz"])),
    ]
    published = iphyre_table_a4()
    if game.name in published:
        rewards = published[game.name]
        agents = {
            player: value for player, value in rewards.items() if player not in ("Human", "Random")
        }
        solved = sum(value > 0 for value in agents.values())
        rows += [
            ("mean reward of people, Table A4 of the paper", f"{rewards['Human']:g}"),
            ("learned agents in Table A4 that solve it", f"{solved} of {len(agents)}"),
        ]
    return table(("", ""), rows)
