"""The application: rooms, errors and limits put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from topple import __version__
from topple.player.guard import Guard
from topple.player.limits import BodyLimit, RateLimit
from topple.player.models.base import Problem
from topple.player.routes import iphyre, people, phyre, puzzles, replays, studies
from topple.player.service import Service
from topple.player.settings import MAX_BODY, Settings

ROOMS = (people, phyre, iphyre, replays, studies, puzzles)

STATIC = Path(str(resources.files("topple.player") / "static"))
_ERRORS = {status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 422, 429, 503)}


class _Page(StaticFiles):
    """The page's files; browsers ask each time whether one changed."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


def _problem(status: int, detail: str, field: str | None = None) -> JSONResponse:
    return JSONResponse(Problem(detail=detail, field=field).model_dump(), status)


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = _problem(error.status_code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


async def _malformed(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = ".".join(map(str, first["loc"]))
    return _problem(422, f"{field}: {first['msg']}", field)


def create_app(settings: Settings) -> FastAPI:
    """A player with these settings; the database is opened at once.

    Raises:
        StoreError: the database cannot be used.
        RecordError: a folder of runs is not there.
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
        responses=_ERRORS,  # type: ignore[arg-type]
        docs_url=None,  # its page comes from a CDN
        redoc_url=None,
        exception_handlers={HTTPException: _refused, RequestValidationError: _malformed},
    )
    app.state.service = service
    for room in ROOMS:
        app.include_router(room.router)
    app.mount("/", _Page(directory=STATIC, html=True))
    # The last one added is the outermost.
    app.add_middleware(GZipMiddleware, minimum_size=2048, compresslevel=4)
    app.add_middleware(BodyLimit, most=MAX_BODY)
    app.add_middleware(RateLimit, rate=settings.calls)
    app.add_middleware(Guard, hosts=settings.hosts)
    return app
