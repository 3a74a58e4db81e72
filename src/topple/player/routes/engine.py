"""The engines in WebAssembly for the page, which simulates by itself what does not count.

Whoever has an engine can simulate as often as they like, so participants of studies get none: these
routes are not on the list of `topple.player.routes.guard`.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from topple.player.data_files import all_rules
from topple.player.errors import NotFoundError
from topple.player.models.base import Model
from topple.player.service import CurrentService

router = APIRouter(prefix="/api/engine", tags=["engine"])

_MODULE = "/topple.wasm.gz"


class Engine(Model):
    """What the page needs to simulate by itself."""

    module: str | None  # address of the compressed module, if this server has one
    rules: dict[str, dict[str, Any]]  # of I-PHYRE, by name


@router.get("")
def show_engine(service: CurrentService) -> Engine:
    """Return where the engines are, if this server has them, and the rules of games."""
    there = service.settings.module is not None
    return Engine(module=f"{router.prefix[1:]}{_MODULE}" if there else None, rules=all_rules())


@router.get(
    _MODULE, response_class=Response, responses={200: {"content": {"application/gzip": {}}}}
)
def show_module(service: CurrentService) -> Response:
    """Return both engines as a WebAssembly module, compressed by gzip."""
    if service.settings.module is None:
        raise NotFoundError("this server has no engines for the page; `make wasm` builds them")
    # A browser keeps none: its user may join a study.
    headers = {"Cache-Control": "no-store"}
    content = service.settings.module.read_bytes()
    return Response(content, media_type="application/gzip", headers=headers)
