"""`topple iphyre`: list, check, play, draw and sample I-PHYRE games, and analyse them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topple.cli import iphyre_analyse
from topple.cli.errors import resumable
from topple.cli.groups import App
from topple.cli.options import (
    EachSize,
    GameName,
    Games,
    Hertz,
    Seed,
    Size,
    out_file,
    out_folder,
)
from topple.cli.output import Cell, Output, listing, rich_table
from topple.cli.progress import progress_bar
from topple.iphyre import Game, GameError, Split, game_named, plan_from_seconds, play, split_of
from topple.iphyre.dataset import collect, load, save
from topple.iphyre.engine.batch import Engine
from topple.iphyre.game_file import game_to_json, load_games
from topple.iphyre.pictures import picture_episode, picture_game, sheet
from topple.iphyre.split import chosen_games
from topple.media.files import DEFAULT_FPS, ENDINGS, save_frames, save_png

app = App(
    """List, check, play, draw, sample and analyse I-PHYRE games.

    Examples:
      topple iphyre games --games basic
      topple iphyre sheets --out runs/sheets
      topple iphyre oracle --out runs/oracle.json
    """
)

OwnFile = Annotated[
    Path | None, typer.Option("--file", help="JSON or Python file that defines the game.")
]


def find_game(name: str, file: Path | None) -> Game:
    """Find a game by name, published or in a file."""
    if file is None:
        return game_named(name)
    games = {game.name: game for game in load_games(file)}
    if name not in games:
        raise GameError(f"{file} has no game {name!r}; it has {', '.join(games)}")
    return games[name]


def parse_times(text: str) -> list[float | None]:
    """Read comma-separated seconds, with - for never.

    Raises:
        ValueError: A word is neither a number nor -.
    """
    times: list[float | None] = []
    for word in (word.strip() for word in text.split(",") if word.strip()):
        try:
            times.append(None if word == "-" else float(word))
        except ValueError:
            raise ValueError(f"{word!r} is not a time; give seconds, or - for never") from None
    return times


@app.command("games")
def list_games(games: Games = None) -> Output:
    """List games with their splits, numbers of gray blocks and balls, and concepts.

    Examples:
      topple iphyre games --games basic
      topple iphyre games --games all --json
    """
    chosen = chosen_games(games)
    rows = []
    for game in chosen:
        split = split_of(game.name)
        gray, balls = len(game.eliminable), len(game.balls)
        rows.append((game.name, split.value if split else "own", gray, balls, game.concept))
    columns = ("game", "split", "gray", "balls", "concept")
    return Output(list(map(game_to_json, chosen)), rich_table("I-PHYRE games", columns, rows))


@app.command()
def check(
    file: Path,
) -> Output:
    """Check that a JSON or Python file defines valid games.

    Options:
        file: JSON or Python file that defines games.

    Examples:
      topple iphyre check my_games.py
    """
    found = load_games(file)
    lines = [
        f"{game.name}: {game.bodies} bodies, {len(game.eliminable)} gray blocks, valid"
        for game in found
    ]
    return Output(list(map(game_to_json, found)), *lines)


@app.command("play")
def play_game(
    game: GameName,
    times: str = "",
    hz: Hertz = 60,
    out: Annotated[
        Path | None, out_file("the episode: .gif or .mp4, or .png for its last frame", *ENDINGS)
    ] = None,
    size: Size = 400,
    file: OwnFile = None,
    engine: Engine = Engine.NATIVE,
) -> Output:
    """Play one plan, the removal times of the gray blocks, and print its reward.

    Options:
        times: Comma-separated removal times of the gray blocks in seconds, with - for never; for
            example -,4.821.
        engine: Physics engine: native, or pymunk, the slower reference with identical results.

    Examples:
      topple iphyre play seesaw --times=-,4.821 --out seesaw.gif
      topple iphyre play mine --file my_games.py --hz 10 --json
    """
    rules = iphyre_analyse.rules_at(hz, engine)
    chosen = find_game(game, file)
    seconds, blocks = parse_times(times), len(chosen.eliminable)
    plan = plan_from_seconds(chosen, seconds, rules)
    if seconds and len(seconds) != blocks:
        example = ",".join([times.split(",")[0].strip(), *["-"] * (blocks - 1)])
        raise ValueError(
            f"{chosen.name!r} has {blocks} gray blocks, but --times has {len(seconds)}; give a "
            f"time or - for each, such as --times={example}"
        )
    score = play(chosen, plan, rules)
    if out is not None:
        fps = min(hz, DEFAULT_FPS)
        save_frames(picture_episode(chosen, plan, rules, fps, size), out, fps)
    ending = f"solved at {score.ticks / hz:.2f} s" if score.solved else "not solved"
    return Output(
        {"game": chosen.name, "hz": hz, **score._asdict()},
        f"{chosen.name}: {ending}, {score.removed} removed, reward {score.reward:.2f}",
    )


@app.command()
def picture(
    game: GameName,
    out: Annotated[Path, out_file("the picture, ending in .png", ".png")],
    size: Size = 600,
    file: OwnFile = None,
) -> Output:
    """Draw the initial scene of a game.

    Examples:
      topple iphyre picture seesaw --out seesaw.png
    """
    save_png(picture_game(find_game(game, file), size), out)
    return Output({"file": str(out)}, str(out))


@app.command()
def sheets(
    out: Annotated[Path, out_folder("the pictures, one per split")],
    size: EachSize = 240,
) -> Output:
    """Draw a contact sheet of every split, as in Figures A2 to A5 of the paper.

    Examples:
      topple iphyre sheets --out runs/sheets
    """
    files = [str(out / f"{split.value}.png") for split in Split]
    for split, file in zip(Split, files, strict=True):
        save_png(sheet(split.games, size=size), file)
    return Output(files, *files)


@app.command()
@resumable()
def sample(
    out: Annotated[Path, out_folder("the episodes, one .npz file per game")],
    games: Games = None,
    count: iphyre_analyse.Count = 50,
    seed: Seed = 0,
    frames: Annotated[int, typer.Option(min=0)] = 0,
) -> Output:
    """Collect successful and failed episodes of random plans.

    An interrupted run resumes with the first unfinished game.

    Options:
        frames: Width in pixels of the stored frames; 0 stores none.

    Examples:
      topple iphyre sample --games basic --count 20 --out runs/episodes
    """
    chosen = chosen_games(games)
    paths = {g: out / f"{g.name}-{count}-seed{seed}-frames{frames}.npz" for g in chosen}
    with progress_bar("sampling", len(chosen)) as bar:
        for game, path in paths.items():
            bar.describe(game.name)
            if not path.exists():
                save(collect(game, count, count, seed, frames), path)
            bar.advance()
    rows: list[tuple[Cell, ...]] = []
    for game, path in paths.items():
        data = load(path)
        rows.append((game.name, len(data.solved), int(data.drawn), str(path)))
    return listing("Episodes", ("game", "episodes", "plans drawn", "file"), rows)


for analysis in (
    iphyre_analyse.difficulty,
    iphyre_analyse.solvability,
    iphyre_analyse.oracle,
    iphyre_analyse.timing,
    iphyre_analyse.failures,
):
    app.command()(analysis)
