"""`topple play`: the player in the browser."""

from __future__ import annotations

import contextlib
import ipaddress
import secrets
import socket
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from topple.cli.errors import needs_extra
from topple.cli.options import Database
from topple.paths import data_folder, runs_folder


def play(
    host: str = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65535)] = None,
    database: Database = None,
    runs: list[Path] | None = None,
    study: str | None = None,
    allow_host: list[str] | None = None,
    owner_key: str | None = None,
    trusted_proxy: list[str] | None = None,
    live_games_per_address: Annotated[int | None, typer.Option(min=1)] = None,
    studies_only: bool = False,
    browser: bool = True,
) -> None:
    """Open the player: solve puzzles, watch agents, edit puzzles and take part in studies.

    The server is reachable only from this machine unless you set --host. Press
    Ctrl-C to stop it; all attempts are stored in the database.

    Options:
        host: Network address to listen on.
        port: Port of the server. The default is the first free port from 8765.
        runs: Folder of run records. The default is $TOPPLE_RUNS, or else `runs`. Can be repeated.
        study: Id of a study to open.
        allow_host: Host name under which others reach this server. Can be repeated.
        owner_key: Secret that allows creating and exporting studies; required behind a proxy.
        trusted_proxy: Address or network of a proxy in front of this server, such as 127.0.0.1.
            Only its X-Forwarded-For header is believed. Can be repeated.
        live_games_per_address: Number of live games that one network address may have open. The
            default is 16; a class behind one address needs more.
        studies_only: Whether everybody but you can take part in studies and do nothing else, even
            in a private window.
        browser: Whether to open the page in a browser.

    Examples:
      topple play
      topple play --runs runs/quick
      topple play --host 0.0.0.0 --allow-host lab.example.org --no-browser
    """
    with needs_extra("the player", "player"):
        from topple.player import server
        from topple.player.settings import LOOPBACK, Settings
        from topple.player.store import Store, sqlite_url
        from topple.player.studies import all_studies
    local = host in LOOPBACK
    names = {name.lower() for name in allow_host or ()}
    for proxy in trusted_proxy or ():
        ipaddress.ip_network(proxy)  # a ValueError names what is wrong
    own_names = set() if local else {host, socket.gethostname().lower(), *_addresses()}
    settings = Settings(
        database=database or sqlite_url(data_folder()),
        runs=tuple(runs or (folder for folder in [runs_folder()] if folder.is_dir())),
        hosts=LOOPBACK | names | own_names,
        owner_key=owner_key or (None if local and not studies_only else secrets.token_urlsafe(12)),
        studies_only=studies_only,
        trusted_proxies=tuple(trusted_proxy or ()),
        live_games_per_address=live_games_per_address or Settings.live_games_per_address,
    )
    if study is not None:
        store = Store(settings.database)
        known = all_studies(store)
        store.close()
        if study not in known:
            raise ValueError(f"{study!r} is no study id; `topple study list` shows them")
    listener = server.open_socket(host, port)
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
    page = f"{address}#/study/{study}" if study else address
    key = settings.owner_key
    own_page = page if key is None else f"{address}api/owner?key={quote(key)}"

    def ready() -> None:
        typer.echo(f"{page}  (press Ctrl-C to stop)", err=True)
        if settings.owner_key is not None:
            typer.echo(f"yours: {own_page}", err=True)
        if browser:
            webbrowser.open(page if study else own_page)

    with listener, contextlib.suppress(KeyboardInterrupt):
        server.serve(settings, listener, ready)
    typer.echo("stopped", err=True)


def _shown(host: str) -> str:
    """Write a host as part of a URL; a wildcard address becomes the loopback address."""
    named = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{named}]" if ":" in named else named


def _addresses() -> set[str]:
    """List the addresses of this machine, which people may type as its name."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return set()
    return {str(entry[4][0]) for entry in found}
