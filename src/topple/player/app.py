"""The application: routes, middleware, and the answers to errors."""

from __future__ import annotations

import errno
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from topple import __version__
from topple.phyre.scene import SceneError
from topple.player.errors import (
    BusyError,
    ConflictError,
    DamagedError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    PlayerError,
    StorageFullError,
    TooManyCallsError,
    UnknownPlayerError,
)
from topple.player.middleware import BodyLimit, Guard, RateLimit, problem
from topple.player.models.base import Problem
from topple.player.routes import engine, iphyre, phyre, players, puzzles, replays, studies
from topple.player.routes.guard import Guarded
from topple.player.service import Service
from topple.player.settings import MAX_BODY, Settings

_LOG = logging.getLogger("uvicorn.error")  # what the server prints
STATIC = Path(str(resources.files("topple.player") / "static"))
_STATUS = {
    InvalidError: 422,
    UnknownPlayerError: 401,
    ForbiddenError: 403,
    NotFoundError: 404,
    ConflictError: 409,
    TooManyCallsError: 429,
    DamagedError: 500,
    BusyError: 503,
    StorageFullError: 507,
}
_ERRORS = {status: {"model": Problem} for status in (400, 413, *_STATUS.values())}


class _Page(StaticFiles):
    """The files of the page; browsers ask each time whether one has changed."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


async def _player_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, PlayerError)
    if isinstance(error, DamagedError):
        _LOG.error("%s", error, exc_info=error)
    wait = {"Retry-After": str(error.retry_after)} if isinstance(error, BusyError) else None
    return problem(_STATUS[type(error)], str(error), headers=wait)


async def _scene_error(_request: Request, error: Exception) -> Response:
    return problem(422, str(error))  # such as more contacts than the engine can hold


async def _system_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    if error.errno != errno.ENOSPC:
        raise error
    return problem(507, str(StorageFullError()))  # films are drawn into temporary files


async def _http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # of the framework, such as an unknown address
    return problem(error.status_code, str(error.detail), headers=error.headers)


async def _unexpected(_request: Request, _error: Exception) -> Response:
    return problem(500, "an error of the server, whose log says more")


async def _malformed(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = ".".join(map(str, first["loc"]))
    return problem(422, f"{field}: {first['msg']}", field)


def create_app(settings: Settings) -> FastAPI:
    """The application with these settings; the database is opened at once.

    Raises:
        StoreError: the database cannot be used.
        RecordError: a folder of runs does not exist.
    """
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="Topple player",
        version=__version__,
        lifespan=lifespan,
        dependencies=[Guarded],
        responses=_ERRORS,  # type: ignore[arg-type]
        docs_url=None,  # that page would load scripts from a CDN
        redoc_url=None,
        exception_handlers={
            PlayerError: _player_error,
            SceneError: _scene_error,
            OSError: _system_error,
            HTTPException: _http_error,
            RequestValidationError: _malformed,
            Exception: _unexpected,
        },
    )
    app.state.service = service
    for module in (players, phyre, iphyre, replays, studies, puzzles, engine):
        app.include_router(module.router)
    app.mount("/", _Page(directory=STATIC, html=True))
    # The middleware that is added last is the outermost.
    app.add_middleware(GZipMiddleware, minimum_size=2048, compresslevel=1)
    app.add_middleware(BodyLimit, most=MAX_BODY)
    app.add_middleware(RateLimit, rate=settings.calls)
    app.add_middleware(Guard, hosts=settings.hosts)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))
    return app
