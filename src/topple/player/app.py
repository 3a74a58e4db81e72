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
from topple.player import errors
from topple.player.middleware import BodyLimit, Guard, RateLimit, problem
from topple.player.models.base import Problem
from topple.player.routes import engine, iphyre, phyre, players, puzzles, replays, studies
from topple.player.routes.guard import Guarded
from topple.player.service import Service
from topple.player.settings import MAX_BODY, Settings

_LOG = logging.getLogger("uvicorn.error")  # what the server prints
STATIC = Path(str(resources.files("topple.player") / "static"))
_STATUS = {
    errors.InvalidError: 422,
    errors.UnknownPlayerError: 401,
    errors.ForbiddenError: 403,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.TooManyCallsError: 429,
    errors.DamagedError: 500,
    errors.BusyError: 503,
    errors.StorageFullError: 507,
}
_REFUSED = (errors.PlayerError, SceneError, OSError, HTTPException, RequestValidationError)
_ERRORS = {status: {"model": Problem} for status in (400, 413, *_STATUS.values())}


class _Page(StaticFiles):
    """The files of the page; browsers ask each time whether one has changed."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


async def _refused(_request: Request, error: Exception) -> Response:
    """The answer to a call that cannot be fulfilled."""
    if isinstance(error, errors.PlayerError):
        if isinstance(error, errors.DamagedError):
            _LOG.error("%s", error, exc_info=error)
        wait = None
        if isinstance(error, errors.BusyError):
            wait = {"Retry-After": str(error.retry_after)}
        return problem(_STATUS[type(error)], str(error), headers=wait)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        return problem(422, f"{field}: {first['msg']}", field)
    if isinstance(error, HTTPException):  # of the framework, such as an unknown address
        return problem(error.status_code, str(error.detail), headers=error.headers)
    if isinstance(error, SceneError):
        return problem(422, str(error))  # such as more contacts than the engine can hold
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return problem(507, str(errors.StorageFullError()))  # films need temporary files
    raise error


async def _unexpected(_request: Request, _error: Exception) -> Response:
    return problem(500, "an error of the server, whose log says more")


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
        service.store.close()

    app = FastAPI(
        title="Topple player",
        version=__version__,
        lifespan=lifespan,
        dependencies=[Guarded],
        responses=_ERRORS,  # type: ignore[arg-type]
        docs_url=None,  # that page would load scripts from a CDN
        redoc_url=None,
        exception_handlers={**dict.fromkeys(_REFUSED, _refused), Exception: _unexpected},
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
