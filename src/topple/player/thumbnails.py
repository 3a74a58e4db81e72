"""Small pictures of puzzles, drawn once."""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache
from typing import Annotated

from fastapi import Query, Request, Response
from PIL import Image

from topple.iphyre.game import Game
from topple.iphyre.pictures import picture_game
from topple.media.files import Frame
from topple.phyre.frames import draw_scene
from topple.phyre.scene import Scene

SIZE = 128  # px

Size = Annotated[int, Query(ge=32, le=512, description="Width and height in px.")]


def _png(frame: Frame) -> bytes:
    buffer = io.BytesIO()
    colors = Image.fromarray(frame).quantize(32, dither=Image.Dither.NONE)
    colors.save(buffer, format="PNG")
    return buffer.getvalue()


@lru_cache(maxsize=6000)
def scene_png(scene: Scene, size: int) -> bytes:
    """A PHYRE scene."""
    return _png(draw_scene(scene, size))


@lru_cache(maxsize=500)
def game_png(game: Game, size: int) -> bytes:
    """An I-PHYRE game."""
    return _png(picture_game(game, size))


def png_response(request: Request, png: bytes) -> Response:
    """A picture the browser may keep; it asks again after a day whether it changed."""
    tag = f'"{hashlib.blake2b(png, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(png, media_type="image/png", headers=headers)
