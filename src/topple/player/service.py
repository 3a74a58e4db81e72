"""What the routes share: the database, the settings, and who is asking."""

from __future__ import annotations

import ipaddress
import secrets
from typing import Annotated

from fastapi import Depends, Header, HTTPException, Request
from starlette.requests import HTTPConnection

from topple.player.games import recover
from topple.player.games_live import Lobby
from topple.player.ids import PLAYER_PATTERN
from topple.player.limits import Buckets, Line, client_of
from topple.player.people import Person, find_person
from topple.player.runs import RunShelf
from topple.player.settings import Settings
from topple.player.store import Store


class Service:
    """One running player."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.database)
        self.runs = RunShelf(settings.runs)
        self.heavy = Buckets(settings.heavy)
        self.lobby = Lobby(settings.live_games, settings.live_games_per_player)
        self.short = Line(at_once=2, waiting=16, patience=10.0)  # one simulation
        self.long = Line(at_once=1, waiting=4, patience=30.0)  # searches and films
        recover(self.store)

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()


def service_of(connection: HTTPConnection) -> Service:
    """The service behind a call."""
    service = connection.app.state.service
    assert isinstance(service, Service)
    return service


Desk = Annotated[Service, Depends(service_of)]
PlayerHeader = Annotated[str | None, Header(alias="X-Player", pattern=PLAYER_PATTERN)]


def _visitor(desk: Desk, x_player: PlayerHeader = None) -> Person | None:
    if x_player is None:
        return None
    person = find_person(desk.store, x_player)
    if person is None:
        raise HTTPException(401, "this player is not known here; start a new one")
    return person


#: Whoever asks, if they said who they are.
Visitor = Annotated[Person | None, Depends(_visitor)]


def _player(visitor: Visitor) -> Person:
    if visitor is None:
        raise HTTPException(401, "say who plays: POST /api/players, then the header X-Player")
    return visitor


#: Somebody who is known.
Known = Annotated[Person, Depends(_player)]


OWNER_COOKIE = "topple_owner"


def is_same(given: str, key: str) -> bool:
    """Whether somebody knows a key, in a time that tells nothing about it."""
    return secrets.compare_digest(given.encode(), key.encode())


def is_owner(
    request: Request, desk: Desk, x_owner: Annotated[str | None, Header(max_length=200)] = None
) -> bool:
    """Whether the caller runs this server."""
    key = desk.settings.owner_key
    if key is not None:
        return is_same(x_owner or request.cookies.get(OWNER_COOKIE, ""), key)
    try:
        return ipaddress.ip_address(client_of(request.scope)).is_loopback
    except ValueError:
        return False


def _owner(allowed: Annotated[bool, Depends(is_owner)]) -> None:
    if not allowed:
        raise HTTPException(
            403, "only the owner of this server may do that: send the header X-Owner"
        )


#: For routes that only the owner may call.
OwnerOnly = Depends(_owner)


def _heavy(request: Request, desk: Desk) -> None:
    wait = desk.heavy.take(client_of(request.scope))
    if wait:
        raise HTTPException(
            429, f"too many calls; wait {wait:.1f} s", {"Retry-After": str(round(wait + 1))}
        )


#: For routes that simulate, draw, or add to the database.
Heavy = Depends(_heavy)
