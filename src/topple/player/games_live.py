"""Live games: the server plays tick by tick, the page watches and clicks.

Only ticks decide. What arrives takes effect before the next tick the server plays, at most
one block a tick; real time only sets the pace.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from contextlib import suppress

from anyio import CancelScope
from fastapi import HTTPException, WebSocket, WebSocketDisconnect
from starlette.concurrency import run_in_threadpool

from topple.iphyre.episode import Episode
from topple.player.attempts import progress
from topple.player.games import (
    RULES,
    Click,
    PlayedGame,
    attempt_model,
    finish_attempt,
    keep_clicks,
    play_out,
    start_attempt,
)
from topple.player.geometry import moving_bodies
from topple.player.limits import Bucket
from topple.player.live_inbox import Inbox, close
from topple.player.models import live
from topple.player.models.base import Benchmark, Model, Progress
from topple.player.people import Person
from topple.player.store import Store

IDLE_SECONDS = 1800.0  # a connection without a game is closed after this
LATE_SECONDS = 0.25  # after a longer stall the game goes on at its pace instead of catching up
CONFLICT = 409  # the status of attempts beyond a limit


class Lobby:
    """How many games are open, in all and by player."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most, self._most_each = most, most_each
        self._games: Counter[str] = Counter()

    def enter(self, player: str) -> bool:
        """Whether there is room for one more."""
        if self._games.total() >= self._most or self._games[player] >= self._most_each:
            return False
        self._games[player] += 1
        return True

    def leave(self, player: str) -> None:
        """One game less."""
        self._games[player] -= 1
        if not self._games[player]:
            del self._games[player]


class LiveGame:
    """One connection: attempts at one game, one after the other."""

    def __init__(
        self,
        socket: WebSocket,
        store: Store,
        person: Person,
        played: PlayedGame,
        bucket: Bucket,
        ticks_per_second: float,
    ) -> None:
        self._socket = socket
        self._store = store
        self._person = person
        self._played = played
        self._pause = 1.0 / ticks_per_second
        self._episode = Episode(played.game, RULES)
        self._moving = moving_bodies(played.game)
        self._inbox = Inbox(socket, bucket)

    async def run(self) -> None:
        """Play until the page leaves."""
        listener = asyncio.create_task(self._inbox.listen())
        try:
            await self._send(
                live.Ready(
                    game=self._played.name,
                    hz=RULES.hz,
                    tick_limit=RULES.tick_limit,
                    moving=self._moving,
                    progress=await self._progress(),
                )
            )
            await self._serve()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page left while something was sent
        finally:
            listener.cancel()
            with suppress(asyncio.CancelledError):
                await listener
        if self._inbox.refused is not None:
            await close(self._socket, self._inbox.refused)

    async def _serve(self) -> None:
        again = False
        while True:
            if not again:
                request = await self._inbox.next(IDLE_SECONDS)
                if request is None:
                    return
                if not isinstance(request, live.Start):
                    continue  # a click after the end
            try:
                again = await self._attempt()
            except HTTPException as error:
                limit = error.status_code == CONFLICT
                await self._send(
                    live.Fault(code="limit" if limit else "refused", message=str(error.detail))
                )
                again = False

    async def _attempt(self) -> bool:
        """Play one attempt; tells whether the next one is to begin at once."""
        with CancelScope(shield=True):
            row = await run_in_threadpool(
                start_attempt, self._store, self._person, self._played.name
            )
        episode = self._episode
        episode.reset()
        clicks: list[Click] = []
        waiting: deque[tuple[int, int | None]] = deque()
        again = gone = over = False
        try:
            await self._send(live.Started(number=row.number, counted=row.counted))
            await self._send_frame()
            loop = asyncio.get_running_loop()
            due = loop.time()
            while not over:
                stop = await self._read(waiting)
                if stop is not None:
                    again, gone = isinstance(stop, live.Start), stop is GONE
                    break
                await self._remove(row.id, clicks, waiting)
                over = episode.step() or episode.tick >= RULES.tick_limit
                await self._send_frame()
                due = max(due + self._pause, loop.time() - LATE_SECONDS)
                await asyncio.sleep(max(0.0, due - loop.time()))
        finally:
            # Also if the page leaves or the server stops, the attempt is kept.
            with CancelScope(shield=True):
                ended = await self._finish(row.id, clicks, over)
        if gone:
            raise WebSocketDisconnect
        await self._send(ended)
        return again

    async def _read(self, waiting: deque[tuple[int, int | None]]) -> object | None:
        """Look at what arrived; gives back what ends the attempt, if anything does."""
        while not self._inbox.empty:
            request = self._inbox.take()
            if request is None:
                return GONE
            if isinstance(request, live.Start | live.Stop):
                return request
            taken = frozenset(body for body, _ in waiting)
            body = self._target(request, taken)
            if body is None:
                await self._send(live.Missed(tick=self._episode.tick))
            else:
                waiting.append((body, request.tick))
        return None

    def _target(self, request: live.Click | live.Remove, taken: frozenset[int]) -> int | None:
        game = self._played.game
        gone = self._episode.state.removed | taken
        if isinstance(request, live.Click):
            return game.block_at((request.x, request.y), gone)
        return (
            request.body if request.body in game.eliminable and request.body not in gone else None
        )

    async def _remove(
        self, attempt_id: int, clicks: list[Click], waiting: deque[tuple[int, int | None]]
    ) -> None:
        if not waiting:
            return
        body, shown = waiting.popleft()
        if self._episode.remove(body):
            clicks.append((self._episode.tick, body, shown))
            await run_in_threadpool(keep_clicks, self._store, attempt_id, clicks)

    async def _finish(self, attempt_id: int, clicks: list[Click], over: bool) -> live.Ended:
        score = (
            self._episode.state.score
            if over
            else await run_in_threadpool(play_out, self._played.game, clicks)
        )
        row = await run_in_threadpool(
            finish_attempt, self._store, attempt_id, clicks, score, abandoned=not over
        )
        return live.Ended(attempt=attempt_model(row), progress=await self._progress())

    async def _progress(self) -> Progress:
        def read() -> Progress:
            with self._store.reading() as session:
                return progress(session, self._person, Benchmark.IPHYRE, self._played.name)

        return await run_in_threadpool(read)

    async def _send(self, message: Model) -> None:
        await self._socket.send_text(message.model_dump_json())

    async def _send_frame(self) -> None:
        # Sixty a second: plain json, without the model's checks.
        poses = self._episode.world.poses()[self._moving].round(3)
        frame = {
            "type": "frame",
            "tick": self._episode.tick,
            "removed": sorted(self._episode.state.removed),
            "poses": poses.ravel().tolist(),
        }
        await self._socket.send_text(json.dumps(frame))


GONE = object()  # what `_read` gives back when the page has left
