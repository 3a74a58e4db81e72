"""Live games: the server plays tick by tick, and the page watches and clicks.

Only ticks decide the outcome. A click takes effect before the next tick that the server
plays, at most one block per tick; real time only sets the speed.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress

import numpy as np
from anyio import CancelScope
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from topple.iphyre.episode import Episode, watch
from topple.iphyre.game import WIDTH, Game
from topple.player import live_messages as messages
from topple.player.attempts import (
    Click,
    finish_game,
    game_attempt,
    plan_of,
    play_out,
    progress,
    save_clicks,
    start_game,
)
from topple.player.errors import ConflictError, ForbiddenError, InvalidError, PlayerError
from topple.player.geometry import moving_bodies
from topple.player.limits import Bucket
from topple.player.live_messages import MessageQueue, close
from topple.player.models.base import Benchmark, Model, Progress
from topple.player.puzzles import RULES, NamedGame
from topple.player.store import Store
from topple.player.tables import Player

IDLE_SECONDS = 120.0  # a connection without a game is closed after this; the page opens another
STILL = 0.5  # px that nobody sees
OUT_OF_SIGHT = 1.5 * WIDTH  # px
LATE_SECONDS = 0.25  # after a longer delay the game continues at its speed, without catching up


class LiveGame:
    """One connection, for attempts at one game, one after the other."""

    def __init__(
        self,
        socket: WebSocket,
        store: Store,
        player: Player,
        played: NamedGame,
        bucket: Bucket,
        ticks_per_second: float,
    ) -> None:
        self._socket = socket
        self._store = store
        self._player = player
        self._played = played
        self._interval = 1.0 / ticks_per_second
        self._episode = Episode(played.game, RULES)
        self._moving = moving_bodies(played.game)
        self._messages = MessageQueue(socket, bucket)

    async def run(self) -> None:
        """Play until the page disconnects."""
        listener = asyncio.create_task(self._messages.listen())
        try:
            await self._send(
                messages.Ready(
                    game=self._played.name,
                    hz=RULES.hz,
                    tick_limit=RULES.tick_limit,
                    moving=self._moving,
                    progress=await self._progress(),
                )
            )
            await self._serve()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page disconnected while something was sent
        finally:
            listener.cancel()
            with suppress(asyncio.CancelledError):
                await listener
        if self._messages.refused is not None:
            await close(self._socket, self._messages.refused)

    async def _serve(self) -> None:
        start: messages.Start | None = None
        while True:
            start = start or await self._messages.wait_for_start(IDLE_SECONDS)
            if start is None:
                return
            try:
                start = await self._attempt(start)
            except PlayerError as error:
                limit = isinstance(error, ConflictError)
                await self._send(
                    messages.Fault(code="limit" if limit else "refused", message=str(error))
                )
                start = None

    def _take_up(self, start: messages.Start) -> list[Click]:
        """Bring the game to the moment at which an attempt begins; returns the removals before."""
        self._episode.reset()
        if not start.tick:
            return []
        if self._player.study_id is not None:
            raise ForbiddenError("in a study every play begins at the start of the game")
        clicks: list[Click] = []
        due = {tick: body for tick, body in start.removals if tick < start.tick}
        for tick in range(start.tick):
            if tick in due and self._episode.remove(due[tick]):
                clicks.append((tick, due[tick], None))
            if self._episode.step() or self._episode.tick >= RULES.tick_limit:
                raise InvalidError(f"the game is over before tick {start.tick}")
        if len(clicks) < len(start.removals):
            raise InvalidError("removals have to be those of gray blocks, before the tick")
        return clicks

    async def _attempt(self, start: messages.Start) -> messages.Start | None:
        """Play one attempt; returns how the next one is to begin, if it is to begin at once."""
        clicks = self._take_up(start)
        with CancelScope(shield=True):
            row = await run_in_threadpool(
                start_game, self._store, self._player, self._played.name, clicks, start.tick
            )
        episode = self._episode
        waiting: deque[tuple[int, int | None]] = deque()
        again: messages.Start | None = None
        gone = over = False
        rest: int | None = None  # when a lost attempt comes to rest, after the last removal
        try:
            await self._send(messages.Started(number=row.number, counted=row.counted))
            await self._send_frame()
            if clicks and not self._blocks_left:
                rest = await run_in_threadpool(rest_tick, self._played.game, clicks)
            loop = asyncio.get_running_loop()
            due = loop.time()
            while not over:
                stop = await self._read(waiting)
                if stop is not None:
                    again, gone = stop if isinstance(stop, messages.Start) else None, stop is GONE
                    break
                if await self._remove(row.id, clicks, waiting) and not self._blocks_left:
                    rest = await run_in_threadpool(rest_tick, self._played.game, clicks)
                over = episode.step() or episode.tick >= RULES.tick_limit
                await self._send_frame()
                if rest is not None and episode.tick >= rest:
                    break
                due = max(due + self._interval, loop.time() - LATE_SECONDS)
                await asyncio.sleep(max(0.0, due - loop.time()))
        finally:
            # The attempt is stored even if the page disconnects or the server stops.
            with CancelScope(shield=True):
                ended = await self._finish(row.id, clicks, over)
        if gone:
            raise WebSocketDisconnect
        await self._send(ended)
        return again

    async def _read(self, waiting: deque[tuple[int, int | None]]) -> object | None:
        """Read what has arrived; returns the message that ends the attempt, if there is one."""
        while not self._messages.empty():
            request = self._messages.get_nowait()
            if request is None:
                return GONE
            if isinstance(request, messages.Start | messages.Stop):
                return request
            taken = frozenset(body for body, _ in waiting)
            body = self._target(request, taken)
            if body is None:
                await self._send(messages.Missed(tick=self._episode.tick))
            else:
                waiting.append((body, request.tick))
        return None

    def _target(
        self, request: messages.Click | messages.Remove, taken: frozenset[int]
    ) -> int | None:
        game = self._played.game
        gone = self._episode.state.removed | taken
        if isinstance(request, messages.Click):
            return game.block_at((request.x, request.y), gone)
        return (
            request.body if request.body in game.eliminable and request.body not in gone else None
        )

    async def _remove(
        self, attempt_id: int, clicks: list[Click], waiting: deque[tuple[int, int | None]]
    ) -> bool:
        """Remove the block that was clicked first; returns whether there was one."""
        if not waiting:
            return False
        body, shown = waiting.popleft()
        if self._episode.remove(body):
            clicks.append((self._episode.tick, body, shown))
            await run_in_threadpool(save_clicks, self._store, attempt_id, clicks)
        return True

    @property
    def _blocks_left(self) -> bool:
        return not self._episode.state.removed.issuperset(self._played.game.eliminable)

    async def _finish(self, attempt_id: int, clicks: list[Click], over: bool) -> messages.Ended:
        score = (
            self._episode.state.score
            if over
            else await run_in_threadpool(play_out, self._played.game, clicks)
        )
        # Nothing is given up once no block is left: the end is certain, and was played out.
        abandoned = not over and self._blocks_left
        row = await run_in_threadpool(
            finish_game, self._store, attempt_id, clicks, score, abandoned=abandoned
        )
        return messages.Ended(attempt=game_attempt(row), progress=await self._progress())

    async def _progress(self) -> Progress:
        def read() -> Progress:
            with self._store.reading() as session:
                return progress(session, self._player, Benchmark.IPHYRE, self._played.name)

        return await run_in_threadpool(read)

    async def _send(self, message: Model) -> None:
        await self._socket.send_text(message.model_dump_json())

    async def _send_frame(self) -> None:
        # The world before a tick. There are sixty per second, so no model validates them.
        poses = self._episode.world.poses()[self._moving].round(3)
        frame = {
            "type": "frame",
            "tick": self._episode.tick,
            "removed": sorted(self._episode.state.removed),
            "poses": poses.ravel().tolist(),
        }
        await self._socket.send_text(json.dumps(frame))


def rest_tick(game: Game, clicks: list[Click]) -> int | None:
    """The tick from which nothing moves any more if the attempt is lost; None if it is not.

    Nothing can be removed any more, so the rest of the attempt is known. What has fallen out of
    the picture cannot come back.
    """
    trace = watch(game, plan_of(clicks), RULES)
    if trace.solved:
        return None
    places = np.minimum(trace.poses[:, moving_bodies(game), :2], OUT_OF_SIGHT)
    moves = (np.abs(places - places[-1]) > STILL).any(axis=(1, 2))
    return int(np.flatnonzero(moves)[-1]) + 1 if moves.any() else 0


GONE = object()  # what `_read` returns when the page has disconnected
