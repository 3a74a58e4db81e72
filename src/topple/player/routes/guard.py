"""Nobody sees a solution during a study: what participants may not call until they have finished.

Whoever calls with the key of a participant, with the cookie that their browser got when they
joined, or with the key of the free player of that browser, may call the routes below and no other
one. So a new route is closed to participants until it is listed here.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends, Header
from sqlalchemy import BindParameter, bindparam, select, union_all
from sqlalchemy.orm import aliased
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import WebSocketException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from topple.player.errors import ForbiddenError, InvalidError
from topple.player.ids import is_player_key
from topple.player.models.base import Benchmark
from topple.player.models.players import Me
from topple.player.players import PLAYER, find_player
from topple.player.replays import parse_action
from topple.player.service import CurrentService, Service, has_owner_key, owns
from topple.player.study_session import participation
from topple.player.tables import Attempt, Player

COOKIE = "topple_study_"  # followed by the id of a study
COOKIE_SECONDS = 365 * 24 * 3600
_MAX_KEYS = 20  # cookies of studies that are looked at

#: Routes that show no puzzle.
_OPEN = {
    ("GET", "/api/health"),
    ("GET", "/api/owner"),
    ("GET", "/api/me"),
    ("POST", "/api/me/consent"),
    ("POST", "/api/me/skip"),
    ("POST", "/api/me/answers"),
    ("POST", "/api/me/continue"),
    ("POST", "/api/me/events"),
    ("POST", "/api/me/withdraw"),
    ("GET", "/api/studies/{study}"),
    ("POST", "/api/studies/{study}/participants"),
}
#: Routes that show a puzzle, for those that the participant has reached.
_REACHED = {
    ("GET", "/api/phyre/tasks/{task}"),
    ("GET", "/api/phyre/tasks/{task}/attempts"),
    ("POST", "/api/phyre/tasks/{task}/validate"),
    ("GET", "/api/iphyre/games/{game}"),
    ("GET", "/api/iphyre/games/{game}/attempts"),
}
#: Routes on which participants play; an attempt at a puzzle that is not the current one is refused
#: where attempts are stored.
_PLAYED = {
    ("POST", "/api/phyre/tasks/{task}/attempts"),
    ("WS", "/api/iphyre/games/{game}/live"),
}
#: Routes that simulate, for attempts that the participant has made.
_OWN = {("GET", "/api/replays/phyre/{task}"), ("GET", "/api/replays/iphyre/{game}")}

_GIVEN: BindParameter[str] = bindparam("keys", expanding=True)
_FREE = aliased(Player)  # whose browser a participant uses
_UNFINISHED = union_all(  # a search by index each; with one `or`, all participants are looked at
    *(
        query.where(Player.study_id.is_not(None), Player.ended.is_(None))
        for query in (
            select(Player.study_id).where(Player.key.in_(_GIVEN)),
            select(Player.study_id)
            .join(_FREE, _FREE.id == Player.free_id)
            .where(_FREE.key.in_(_GIVEN)),
        )
    )
).limit(1)

_REFUSAL = (
    "until you have finished the study /#/study/{}, or left it on its page, nothing that could "
    "show a solution is available"
)
_STUDIES_ONLY = "this server is for studies only; open the link you were given"


def _keys(connection: HTTPConnection) -> tuple[str, set[str]]:
    """The key that a call gives as its player's, and all keys that come with it."""
    acting = connection.headers.get("x-player") or ""
    if connection.scope["type"] == "websocket":
        acting = connection.query_params.get("player", "")
    cookies = [value for name, value in connection.cookies.items() if name.startswith(COOKIE)]
    return acting, {key for key in (acting, *cookies[:_MAX_KEYS]) if is_player_key(key)}


def _look_up(service: Service, acting: str, keys: set[str]) -> tuple[str | None, Player | None]:
    """The unfinished study of a participant who has one of these keys, and who is acting.

    The study may also be that of a participant who is linked to a key.
    """
    with service.store.reading() as session:
        study = session.scalar(_UNFINISHED, {"keys": list(keys)})
        return study, session.scalar(PLAYER, {"key": acting}) if acting in keys else None


def _check(service: Service, acting: str, connection: HTTPConnection, refusal: str) -> None:
    """Refuse a call that is not on the lists above."""
    kind = "WS" if connection.scope["type"] == "websocket" else str(connection.scope["method"])
    route = (kind, connection.scope["route"].path)
    if route in _OPEN:
        return
    player = find_player(service.store, acting) if is_player_key(acting) else None
    if player is None or player.study_id is None or route not in _PLAYED | _REACHED | _OWN:
        raise ForbiddenError(refusal)
    if route in _PLAYED:
        return
    subject = connection.path_params.get("task") or connection.path_params.get("game")
    with service.store.reading() as session:
        found = participation(session, player)
        assert found is not None
        if subject not in {item.subject for item in found.reached}:
            raise ForbiddenError(f"{subject!r} is not a puzzle that you have reached in your study")
        if route in _OWN:
            query = select(Attempt.action).where(
                Attempt.player_id == found.player.id, Attempt.subject == subject
            )
            kind, asked = found.study.benchmark, connection.query_params
            if not any(_is_made(kind, action, asked) for action in session.scalars(query)):
                raise ForbiddenError("in a study, only your own attempts can be watched")


def _is_made(benchmark: str, action: list[Any], asked: QueryParams) -> bool:
    """Whether a stored attempt is the one that an address describes."""
    if benchmark == Benchmark.PHYRE.value:
        with suppress(InvalidError):
            return parse_action(asked.get("action", "")) == action
        return False
    plan = ",".join(f"{tick}:{body}" for tick, body, _ in action)
    return asked.get("plan", "") == plan and asked.get("hz", "60") == "60"


async def guard(
    connection: HTTPConnection,
    service: CurrentService,
    x_owner: Annotated[str | None, Header(max_length=200, include_in_schema=False)] = None,
) -> None:
    """Refuse what a participant with an unfinished study may not see, on every route."""
    acting, keys = _keys(connection)
    if keys and has_owner_key(service, connection, x_owner):
        keys = {acting} & keys  # researchers may try their own studies in their own browser
    refusal = None
    if service.settings.studies_only and not owns(service, connection, x_owner):
        refusal = _STUDIES_ONLY
    elif keys:
        study, player = await run_in_threadpool(_look_up, service, acting, keys)
        if acting in keys:
            connection.state.caller = (acting, player)
        refusal = None if study is None else _REFUSAL.format(study)
    try:
        if refusal is not None:
            await run_in_threadpool(_check, service, acting, connection, refusal)
    except ForbiddenError as error:
        if connection.scope["type"] != "websocket":
            raise
        raise WebSocketException(1008, str(error)[:120]) from None


Guarded = Depends(guard)


def remember(response: Response, connection: HTTPConnection, study: str, key: str, who: Me) -> None:
    """Let a browser say that a participant uses it, as long as the study is not finished."""
    if who.study is None or who.study.step.kind in ("finished", "withdrawn"):
        forget(response, study)
        return
    response.set_cookie(
        COOKIE + study,
        key,
        max_age=COOKIE_SECONDS,
        path="/api",
        httponly=True,
        samesite="strict",
        secure=connection.url.scheme == "https",
    )


def forget(response: Response, study: str) -> None:
    """Let a browser no longer say that a participant uses it."""
    response.delete_cookie(COOKIE + study, path="/api")
