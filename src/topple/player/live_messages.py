"""The messages of a live game, and the queue of those that a page has sent."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from topple.iphyre.game import MAX_ELIMINABLE
from topple.player.limits import Bucket
from topple.player.models.base import Model, Progress
from topple.player.models.iphyre import GameAttempt
from topple.player.settings import MAX_MESSAGE

Moment = Annotated[int, Field(ge=0, le=100_000)]
Tick = Moment | None
Body = Annotated[int, Field(ge=0, le=1000)]
Coordinate = Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)]


class Start(Model):
    """Begin an attempt; if one is under way, abandon it first.

    With a tick, an earlier play is taken up at that moment, after its removals.
    """

    type: Literal["start"]
    tick: Moment = 0
    removals: Annotated[tuple[tuple[Moment, Body], ...], Field(max_length=MAX_ELIMINABLE)] = ()


class Stop(Model):
    """Abandon the attempt."""

    type: Literal["stop"]


class Click(Model):
    """Remove the gray block under a point."""

    type: Literal["click"]
    x: Coordinate
    y: Coordinate
    tick: Tick = None  # the one that was on the screen


class Remove(Model):
    """Remove a gray block by its number."""

    type: Literal["remove"]
    body: Body
    tick: Tick = None


Request = Start | Stop | Click | Remove
REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


class Ready(Model):
    """The server is ready to play."""

    type: Literal["ready"] = "ready"
    game: str
    hz: int
    tick_limit: int
    moving: list[int]
    progress: Progress


class Started(Model):
    """An attempt has begun and is stored."""

    type: Literal["started"] = "started"
    number: int
    counted: bool


class Missed(Model):
    """A click hit no gray block."""

    type: Literal["missed"] = "missed"
    tick: int


class Ended(Model):
    """An attempt has ended and is stored."""

    type: Literal["ended"] = "ended"
    attempt: GameAttempt
    progress: Progress


FaultCode = Literal["limit", "refused", "rate", "size", "message", "unauthorized", "busy", "idle"]


class Fault(Model):
    """A message or the connection was refused."""

    type: Literal["error"] = "error"
    code: FaultCode
    message: str


BUSY, POLICY, TOO_BIG = 1013, 1008, 1009  # close codes of WebSockets


class RefusedError(Exception):
    """A fault that ends the connection."""

    def __init__(self, code: FaultCode, message: str, close: int = POLICY) -> None:
        super().__init__(message)
        self.fault, self.close = Fault(code=code, message=message), close


class MessageQueue(asyncio.Queue[Request | None]):
    """The messages of one page, in order; None means that no more will come."""

    def __init__(self, socket: WebSocket, bucket: Bucket) -> None:
        super().__init__()  # without a limit, since the bucket limits its length
        self._socket = socket
        self._bucket = bucket
        self.refused: RefusedError | None = None  # why no more will come, if the page is at fault

    async def listen(self) -> None:
        """Read messages until the page disconnects or sends one that is not allowed."""
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                self.put_nowait(self._parse(message.get("text")))
        except RefusedError as refused:
            self.refused = refused
        except RuntimeError:
            pass  # already disconnected
        finally:
            self.put_nowait(None)

    async def wait_for_start(self, seconds: float) -> Start | None:
        """Wait for a start; None if the page is gone or sends none for so long."""

        async def start() -> Start | None:
            # Clicks after the end of an attempt are ignored, and keep no connection open.
            while (request := await self.get()) is not None:
                if isinstance(request, Start):
                    return request
            return None

        try:
            return await asyncio.wait_for(start(), seconds)
        except asyncio.TimeoutError:
            self.refused = RefusedError("idle", "closed because nobody played")
            return None

    def _parse(self, text: str | None) -> Request:
        if text is None:
            raise RefusedError("message", "messages must be JSON texts")
        if len(text) > MAX_MESSAGE:
            raise RefusedError("size", f"a message has at most {MAX_MESSAGE} bytes", TOO_BIG)
        if self._bucket.take():
            raise RefusedError("rate", "too many messages")
        try:
            return REQUEST.validate_json(text)
        except ValidationError as error:
            raise RefusedError("message", error.errors()[0]["msg"]) from None


async def close(socket: WebSocket, refused: RefusedError) -> None:
    """Tell the page why it was refused, and close the connection."""
    with suppress(WebSocketDisconnect, RuntimeError):
        if socket.client_state is WebSocketState.CONNECTED:
            await socket.send_text(refused.fault.model_dump_json())
            await socket.close(refused.close)
