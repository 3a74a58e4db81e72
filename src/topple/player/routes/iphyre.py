"""I-PHYRE: the games, live play, and scores."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response, WebSocket
from starlette.concurrency import run_in_threadpool

from topple.iphyre.game import WIDTH
from topple.iphyre.games import ALL
from topple.iphyre.published import IPHYRE_CITATION, iphyre_table_a4
from topple.player.attempts import own_attempts, progress
from topple.player.game_standing import game_standing
from topple.player.games import RULES, PlayedGame, attempt_model, find_game
from topple.player.games_live import LiveGame
from topple.player.geometry import game_bodies, moving_bodies
from topple.player.ids import GamePath, is_player_key
from topple.player.limits import Bucket
from topple.player.live_inbox import BUSY, RefusedError, close
from topple.player.models.base import Benchmark
from topple.player.models.iphyre import GameCard, GameScene, GameStanding, SplitName
from topple.player.models.live import Fault
from topple.player.people import Tally, find_person, tallies
from topple.player.service import Desk, Known, Visitor, service_of
from topple.player.thumbnails import SIZE, Size, game_png, png_response

router = APIRouter(prefix="/api/iphyre", tags=["I-PHYRE"])


@router.get("/games")
def list_games(desk: Desk, visitor: Visitor, split: SplitName | None = None) -> list[GameCard]:
    """The 50 games, with the caller's progress."""
    done: dict[str, Tally] = {}
    if visitor is not None:
        with desk.store.reading() as session:
            done = tallies(session, visitor.id, Benchmark.IPHYRE)
    cards = []
    for game in ALL:
        played = PlayedGame(game.name, game)
        if split is not None and played.split != split.value:
            continue
        tally = done.get(game.name, Tally())
        cards.append(
            GameCard(
                name=game.name,
                split=played.split,
                concept=game.concept,
                balls=len(game.balls),
                gray=len(game.eliminable),
                thumbnail=f"/api/iphyre/games/{game.name}/thumbnail.png",
                bodies=game_bodies(game),
                sticks=list(game.sticks),
                springs=list(game.springs),
                attempts=tally.attempts,
                solved=tally.solved,
                best_reward=tally.best_reward,
            )
        )
    return cards


@router.get("/games/{game}")
def show_game(desk: Desk, visitor: Visitor, game: GamePath) -> GameScene:
    """All that is needed to play a game."""
    played = find_game(desk.store, game)
    found = played.game
    in_study = visitor is not None and visitor.study_id is not None
    with desk.store.reading() as session:
        made = progress(session, visitor, Benchmark.IPHYRE, game)
        rows = [] if visitor is None else own_attempts(session, visitor, game)
        attempts = [attempt_model(row) for row in rows]
    return GameScene(
        name=played.name,
        split=played.split,
        concept="" if in_study else found.concept,  # it would be a hint
        size=WIDTH,
        hz=RULES.hz,
        tick_limit=RULES.tick_limit,
        bodies=game_bodies(found),
        sticks=list(found.sticks),
        springs=list(found.springs),
        moving=moving_bodies(found),
        others=iphyre_table_a4().get(game, {}),
        source=f"{IPHYRE_CITATION}, Table A4",
        progress=made,
        attempts=attempts,
    )


@router.get(
    "/games/{game}/thumbnail.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def thumbnail(request: Request, desk: Desk, game: GamePath, size: Size = SIZE) -> Response:
    """A picture of a game."""
    return png_response(request, game_png(find_game(desk.store, game).game, size))


@router.get("/standing")
def show_standing(desk: Desk, player: Known) -> GameStanding:
    """The caller's averages by split, beside people and agents of the paper."""
    return game_standing(desk.store, player)


@router.websocket("/games/{game}/live")
async def play_live(socket: WebSocket, game: GamePath, player: str = "") -> None:
    """A live game; see the guide for its messages."""
    await socket.accept()
    desk = service_of(socket)
    store = desk.store
    person = None
    if is_player_key(player):
        person = await run_in_threadpool(find_person, store, player)
    if person is None:
        await close(socket, RefusedError(Fault(code="unauthorized", message="unknown player")))
        return
    try:
        played = await run_in_threadpool(find_game, store, game)
    except HTTPException as error:
        await close(socket, RefusedError(Fault(code="refused", message=str(error.detail))))
        return
    if not desk.lobby.enter(player):
        fault = Fault(code="busy", message="too many games are open; close one first")
        await close(socket, RefusedError(fault, BUSY))
        return
    try:
        bucket = Bucket(desk.settings.messages)
        pace = desk.settings.ticks_per_second
        await LiveGame(socket, store, person, played, bucket, pace).run()
    finally:
        desk.lobby.leave(player)
