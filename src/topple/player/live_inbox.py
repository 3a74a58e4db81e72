"""What a page sends during a live game: read, checked, and kept until it is looked at."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.websockets import WebSocketState

from topple.player.limits import Bucket
from topple.player.models import live
from topple.player.settings import MAX_MESSAGE

BUSY, POLICY, TOO_BIG = 1013, 1008, 1009  # close codes


class RefusedError(Exception):
    """A message that ends the connection."""

    def __init__(self, fault: live.Fault, close: int = POLICY) -> None:
        super().__init__(fault.message)
        self.fault, self.close = fault, close


class Inbox:
    """The messages of one page, in order; None when no more will come."""

    def __init__(self, socket: WebSocket, bucket: Bucket) -> None:
        self._socket = socket
        self._bucket = bucket
        # The bucket keeps it short.
        self._waiting: asyncio.Queue[live.Request | None] = asyncio.Queue()
        self.refused: RefusedError | None = None  # why no more will come, if the page is at fault

    async def listen(self) -> None:
        """Read until the page leaves or sends what is not allowed."""
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                self._waiting.put_nowait(self._parse(message.get("text")))
        except RefusedError as refused:
            self.refused = refused
        except RuntimeError:
            pass  # already disconnected
        finally:
            self._waiting.put_nowait(None)

    async def next(self, seconds: float) -> live.Request | None:
        """The next message, or None; whoever sends nothing for so long is refused."""
        try:
            return await asyncio.wait_for(self._waiting.get(), seconds)
        except asyncio.TimeoutError:
            self.refused = RefusedError(live.Fault(code="idle", message="nobody played"))
            return None

    @property
    def empty(self) -> bool:
        """Whether nothing is waiting."""
        return self._waiting.empty()

    def take(self) -> live.Request | None:
        """The next message, which is waiting."""
        return self._waiting.get_nowait()

    def _parse(self, text: str | None) -> live.Request:
        if text is None:
            raise RefusedError(live.Fault(code="message", message="messages are JSON texts"))
        if len(text) > MAX_MESSAGE:
            fault = live.Fault(code="size", message=f"a message has at most {MAX_MESSAGE} bytes")
            raise RefusedError(fault, TOO_BIG)
        if self._bucket.take():
            raise RefusedError(live.Fault(code="rate", message="too many messages"))
        try:
            return live.REQUEST.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            raise RefusedError(live.Fault(code="message", message=first["msg"])) from None


async def close(socket: WebSocket, refused: RefusedError) -> None:
    """Say why, and close."""
    with suppress(WebSocketDisconnect, RuntimeError):
        if socket.client_state is WebSocketState.CONNECTED:
            await socket.send_text(refused.fault.model_dump_json())
            await socket.close(refused.close)
