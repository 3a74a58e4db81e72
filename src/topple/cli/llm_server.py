"""`topple llm-server`: scripted models behind a local chat endpoint."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

from topple.llm.scripted import SCRIPTS, ScriptServer


def llm_server(
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8770,
) -> None:
    """Serve two scripted models, `random` and `heuristic`, as an OpenAI-compatible endpoint.

    `random` answers at random; `heuristic` reads the scene and follows a simple
    rule. Both see what a language model sees, so that you can try an evaluation
    without network access or a key.

    Options:
        port: Port of the server; 0 means any free port.

    Examples:
      topple llm-server --port 8770
      topple evaluate --agent llm --base-url http://127.0.0.1:8770 --model heuristic --games basic
    """
    with ScriptServer(SCRIPTS, port) as server:
        typer.echo(f"models {', '.join(SCRIPTS)} at {server.url}; press Ctrl-C to stop")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            typer.echo(f"stopped after {server.requests} requests", err=True)
