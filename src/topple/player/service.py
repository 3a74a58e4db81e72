"""What the routes share: the service, who is calling, path parameters and picture answers."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Path, Query, Request, Response
from sqlalchemy import Select, func
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from topple.player.attempts import finish_interrupted
from topple.player.errors import ForbiddenError, TooManyCallsError, UnknownPlayerError
from topple.player.ids import GAME_PATTERN, PLAYER_PATTERN, PUZZLE_PATTERN, TASK_PATTERN
from topple.player.limits import Buckets, ConcurrencyLimit, ConnectionLimit
from topple.player.middleware import client_of
from topple.player.players import find_player
from topple.player.runs import RunIndex
from topple.player.settings import Settings
from topple.player.store import Store
from topple.player.tables import Player

TaskPath = Annotated[str, Path(pattern=TASK_PATTERN, max_length=16, examples=["00001:042"])]
TemplatePath = Annotated[str, Path(pattern=r"^\d{5}$", examples=["00001"])]
GamePath = Annotated[str, Path(pattern=GAME_PATTERN, max_length=40, examples=["support"])]
StudyPath = Annotated[str, Path(pattern=r"^[a-z0-9]{12}$")]
PuzzlePath = Annotated[str, Path(pattern=rf"^{PUZZLE_PATTERN}$")]
RunPath = Annotated[str, Path(pattern=r"^[a-f0-9]{16}$")]
PNG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}
ThumbnailSize = Annotated[int, Query(ge=32, le=512, description="Width and height in px.")]


MAX_PAGE = 500  # items of a list in one answer
TOTAL_HEADER = "X-Total-Count"

T = TypeVar("T")


@dataclass(frozen=True)
class Page:
    """A part of a list; the answer's header says how long the whole list is."""

    answer: Response
    limit: int
    offset: int

    def rows(self, session: Session, query: Select[T]) -> list[T]:
        """The rows of this page of a query."""
        count = query.with_only_columns(func.count(), maintain_column_froms=True).order_by(None)
        self.answer.headers[TOTAL_HEADER] = str(session.scalar(count))
        return list(session.scalars(query.limit(self.limit).offset(self.offset)))

    def items(self, whole: Sequence[T]) -> Sequence[T]:
        """The items of this page of a list."""
        self.answer.headers[TOTAL_HEADER] = str(len(whole))
        return whole[self.offset : self.offset + self.limit]


async def _page(
    response: Response,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="Items at most.")] = 100,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1, description="Items to leave out.")] = 0,
) -> Page:
    return Page(response, limit, offset)


#: The part of a growing list that a call asks for.
AskedPage = Annotated[Page, Depends(_page)]


class Service:
    """One running server: its settings, database, run records and limits."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.database)
        self.runs = RunIndex(settings.runs)
        self.heavy = Buckets(settings.heavy)
        self.live_games = ConnectionLimit(
            settings.live_games, settings.live_games_per_player, settings.live_games_per_address
        )
        self.simulations = ConcurrencyLimit(at_once=2, waiting=64, timeout=10.0)
        self.searches = ConcurrencyLimit(at_once=1, waiting=4, timeout=30.0)  # films as well
        self.store.register_server()
        finish_interrupted(self.store)


# Dependencies that wait for nothing are coroutines: FastAPI runs each of the others in a thread,
# and changing threads takes longer than the work of most calls.
async def _current_service(connection: HTTPConnection) -> Service:
    service = connection.app.state.service
    assert isinstance(service, Service)
    return service


#: The service behind a call.
CurrentService = Annotated[Service, Depends(_current_service)]
PlayerHeader = Annotated[str | None, Header(alias="X-Player", pattern=PLAYER_PATTERN)]


async def _optional_player(
    connection: HTTPConnection, service: CurrentService, x_player: PlayerHeader = None
) -> Player | None:
    if x_player is None:
        return None
    caller: tuple[str | None, Player | None] = getattr(connection.state, "caller", (None, None))
    key, player = caller  # whom the guard looked up
    if key != x_player:
        player = await run_in_threadpool(find_player, service.store, x_player)
    if player is None:
        raise UnknownPlayerError("this player is not known here; start as a new one")
    return player


#: The player who calls, if the call says who that is.
OptionalPlayer = Annotated[Player | None, Depends(_optional_player)]


async def _current_player(player: OptionalPlayer) -> Player:
    if player is None:
        raise UnknownPlayerError(
            "the call must say who plays: get a key from POST /api/players and send it in the "
            "header X-Player"
        )
    return player


#: The player who calls; a call that does not say who that is, is refused.
CurrentPlayer = Annotated[Player, Depends(_current_player)]


OWNER_COOKIE = "topple_owner"


def is_same(given: str, key: str) -> bool:
    """Whether a key is right, in a time that reveals nothing about it."""
    return secrets.compare_digest(given.encode(), key.encode())


def has_owner_key(service: Service, connection: HTTPConnection, x_owner: str | None) -> bool:
    """Whether a call has the owner key, in its header or its cookie."""
    key = service.settings.owner_key
    return key is not None and is_same(x_owner or connection.cookies.get(OWNER_COOKIE, ""), key)


def owns(service: Service, connection: HTTPConnection, x_owner: str | None) -> bool:
    """Whether a call is the owner's: it has the key or, without one, comes from this machine."""
    if service.settings.owner_key is not None:
        return has_owner_key(service, connection, x_owner)
    try:
        return ipaddress.ip_address(client_of(connection.scope)).is_loopback
    except ValueError:
        return False


async def is_owner(
    connection: HTTPConnection,
    service: CurrentService,
    x_owner: Annotated[str | None, Header(max_length=200)] = None,
) -> bool:
    """Whether the caller is the owner of this server."""
    return owns(service, connection, x_owner)


async def _owner(allowed: Annotated[bool, Depends(is_owner)]) -> None:
    if not allowed:
        raise ForbiddenError(
            "only the owner of this server may do that; send the owner key in the header X-Owner"
        )


#: For routes that only the owner may call.
OwnerOnly = Depends(_owner)


async def _heavy(request: Request, service: CurrentService) -> None:
    wait = service.heavy.take(client_of(request.scope))
    if wait:
        raise TooManyCallsError(wait)


#: For routes that simulate, draw, or add to the database.
Heavy = Depends(_heavy)


def png_response(request: Request, png: bytes) -> Response:
    """A picture that the browser may cache for a day before it asks whether it changed."""
    tag = f'"{hashlib.blake2b(png, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(png, media_type="image/png", headers=headers)
