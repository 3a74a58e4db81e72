"""`topple llm-server`: scripted models behind a chat endpoint on this machine."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

from topple.cli.messages import user_errors
from topple.llm.scripted import SCRIPTS, ScriptServer

app = typer.Typer(add_completion=False)


@app.command()
def serve(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of the server; 0 for any that is free.")
    ] = 8765,
) -> None:
    """Serve the models `random` and `heuristic`, which need no network, key or money.

    `random` answers at random; `heuristic` reads the scene and follows a rule of thumb. They see
    what a real model sees, so that a whole evaluation can be tried out with them.

    Examples:
      topple llm-server --port 8765

      topple evaluate --agent llm --base-url http://127.0.0.1:8765 --model heuristic --games basic
    """
    with user_errors(), ScriptServer(SCRIPTS, port) as server:
        typer.echo(f"models {', '.join(SCRIPTS)} at {server.url}; stop with Ctrl-C")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            typer.echo(f"stopped after {server.requests} requests", err=True)
