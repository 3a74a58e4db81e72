"""`topple mcp`: puzzles for assistants that speak the Model Context Protocol."""

from __future__ import annotations

from asyncio import CancelledError
from contextlib import suppress
from typing import Annotated

import typer

from topple import paths
from topple.cli.errors import needs_extra
from topple.cli.groups import Flag
from topple.cli.options import (
    Cache,
    FoldNumber,
    Runs,
    Settings,
    SetupName,
    SomeGames,
    parse_settings,
)
from topple.cli.select_tasks import parse_tasks
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import chosen_games
from topple.llm.evaluation import Evaluation, run_config, task_selection
from topple.phyre.selection import TaskSelection

ATTEMPTS = 10  # on each puzzle


def mcp(
    setup: SetupName = None,
    fold: FoldNumber = 0,
    tasks: str | None = None,
    games: SomeGames = None,
    attempts: Annotated[int, typer.Option(min=1, max=100)] = ATTEMPTS,
    setting: Settings = None,
    label: str = "mcp",
    http: Flag = False,
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8767,
    runs: Runs = None,
    cache: Cache = None,
) -> None:
    """Serve puzzles to an assistant by the Model Context Protocol.

    The assistant lists and opens puzzles, tries to solve them within a budget of
    attempts, and inspects what happened. Attempts are stored as run records; a
    new --label starts a new run with a full budget. Without --setup and --games,
    twenty one-ball tasks are served.

    Options:
        tasks: Comma-separated PHYRE task ids, or the number of test tasks to spread evenly over the
            fold. The default is 20.
        attempts: Number of attempts allowed on each puzzle.
        label: Label of the run in tables and reports.
        http: Serve over HTTP on loopback, at /mcp.
        port: Port of the server with --http.

    Examples:
      topple mcp --setup ball_within --tasks 20
      topple mcp --games basic --label "my assistant" -s strategy=on_the_fly
      topple mcp --setup two_balls_cross --http --port 8767
    """
    with needs_extra("this server", "mcp"):
        from topple.llm.mcp_server import McpServer, Puzzles
    given = {"images": True, "max_tool_calls": 100, "model": label, **parse_settings(setting)}
    selections: list[TaskSelection | GameSelection] = []
    if setup is not None or games is None:
        selections.append(task_selection(setup or "ball_within", fold, parse_tasks(tasks or "20")))
    if games is not None:
        selections.append(GameSelection(tuple(game.name for game in chosen_games(games))))
    evaluations = [
        Evaluation(run_config(selection, given, attempts, label), cache) for selection in selections
    ]
    server = McpServer(Puzzles(evaluations, runs or paths.runs_folder()), port)
    if http:
        typer.echo(f"http://127.0.0.1:{port}/mcp  (press Ctrl-C to stop)", err=True)
    with suppress(KeyboardInterrupt, CancelledError):  # the latter on Python 3.10
        server.run("streamable-http" if http else "stdio")
