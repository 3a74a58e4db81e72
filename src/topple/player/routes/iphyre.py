"""I-PHYRE: the games, live play, and scores."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response, WebSocket
from sqlalchemy import func
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from topple.iphyre.game import WIDTH
from topple.iphyre.games import ALL
from topple.iphyre.plan import Plan
from topple.iphyre.published import IPHYRE_CITATION, iphyre_table_a4
from topple.iphyre.split import Split
from topple.player.attempts import game_attempt, own_attempts, progress
from topple.player.errors import NotFoundError, PlayerError
from topple.player.geometry import game_geometry, moving_bodies, thumbnail
from topple.player.ids import is_player_key
from topple.player.limits import Bucket
from topple.player.live import LiveGame
from topple.player.live_messages import BUSY, RefusedError, close
from topple.player.middleware import client_of
from topple.player.models.base import Benchmark, Hint, HintIn
from topple.player.models.iphyre import GameAttempt, GameCard, GameScene, GameStanding
from topple.player.models.replays import GameReplay, ReplayHz
from topple.player.players import SHOWN, Tally, find_player, mark, refuse_in_study, tallies
from topple.player.puzzles import RULES, NamedGame, find_game
from topple.player.replays import game_replay
from topple.player.service import (
    PNG,
    AskedPage,
    CurrentPlayer,
    CurrentService,
    GamePath,
    Heavy,
    OptionalPlayer,
    ThumbnailSize,
    png_response,
)
from topple.player.solutions import find_plan, game_hint
from topple.player.standing import iphyre_standing
from topple.player.study_session import note_shown
from topple.player.tables import Attempt, Player

router = APIRouter(prefix="/api/iphyre", tags=["I-PHYRE"])

RECENT = 50  # attempts shown with a game, beside those that count


@router.get("/games")
def list_games(
    service: CurrentService, player: OptionalPlayer, split: Split | None = None
) -> list[GameCard]:
    """List the 50 games with the caller's progress."""
    with service.store.reading() as session:
        done = tallies(session, player, Benchmark.IPHYRE)
    cards = []
    for game in ALL:
        named = NamedGame(game.name, game)
        if split is not None and named.split != split.value:
            continue
        tally = done.get(game.name, Tally())
        cards.append(
            GameCard.from_object(
                game,
                split=named.split,
                balls=len(game.balls),
                gray=len(game.eliminable),
                thumbnail=f"/api/iphyre/games/{game.name}/thumbnail.png",
                attempts=tally.attempts,
                solved=tally.solved,
                best_reward=tally.best_reward,
                **game_geometry(game),
            )
        )
    return cards


@router.get("/games/{game}")
def show_game(service: CurrentService, player: OptionalPlayer, game: GamePath) -> GameScene:
    """Return everything that is needed to play a game."""
    named = find_game(service.store, game)
    in_study = player is not None and player.study_id is not None
    if player is not None and in_study:
        service.store.change(note_shown, player, game)
    with service.store.reading() as session:
        made = progress(session, player, Benchmark.IPHYRE, game)
        attempts = [game_attempt(row) for row in _shown_attempts(session, player, game)]
    return GameScene.from_object(
        named,
        title="" if in_study else named.game.title,  # it would be a hint
        concept="" if in_study else named.game.concept,  # it would be a hint
        size=WIDTH,
        hz=RULES.hz,
        tick_limit=RULES.tick_limit,
        moving=moving_bodies(named.game),
        others={} if in_study else iphyre_table_a4().get(game, {}),
        source=f"{IPHYRE_CITATION}, Table A4",
        progress=made,
        attempts=attempts,
        **game_geometry(named.game),
    )


def _shown_attempts(session: Session, player: Player | None, game: str) -> list[Attempt]:
    """The attempts that count and the latest ones."""
    if player is None:
        return []
    query = own_attempts(player, Benchmark.IPHYRE, game)
    last = session.scalar(query.with_only_columns(func.max(Attempt.number)).order_by(None)) or 0
    return list(session.scalars(query.where(Attempt.counted | (Attempt.number > last - RECENT))))


@router.get("/games/{game}/attempts")
def list_attempts(
    service: CurrentService, player: CurrentPlayer, game: GamePath, page: AskedPage
) -> list[GameAttempt]:
    """List the caller's attempts at a game, in order."""
    with service.store.reading() as session:
        rows = page.rows(session, own_attempts(player, Benchmark.IPHYRE, game))
        return [game_attempt(row) for row in rows]


@router.get("/games/{game}/thumbnail.png", response_class=Response, responses=PNG)
def game_thumbnail(
    request: Request, service: CurrentService, game: GamePath, size: ThumbnailSize = 128
) -> Response:
    """Return a picture of a game."""
    return png_response(request, thumbnail(game, find_game(service.store, game).game, size))


@router.post("/games/{game}/hints", dependencies=[Heavy])
def give_hint(service: CurrentService, player: CurrentPlayer, game: GamePath, body: HintIn) -> Hint:
    """Return a hint, taken from a solution; later attempts do not count."""
    named, plan = _solved(service, player, game)
    return game_hint(named.game, plan, body.level)


@router.post("/games/{game}/solution", dependencies=[Heavy])
def show_solution(service: CurrentService, player: CurrentPlayer, game: GamePath) -> GameReplay:
    """Return a plan that solves a game, as a replay; later attempts do not count."""
    named, plan = _solved(service, player, game)
    return game_replay(named, plan, ReplayHz.PEOPLE)


def _solved(service: CurrentService, player: Player, game: str) -> tuple[NamedGame, Plan]:
    """A game with a plan that solves it, which the player is marked to know."""
    refuse_in_study(player)
    named = find_game(service.store, game)
    with service.searches.slot():
        plan = find_plan(named.game)
    if plan is None:
        raise NotFoundError(f"no solution of {game} is known, and a search found none")
    with service.store.transaction() as session:
        mark(session, player, game, SHOWN)
    return named, plan


@router.get("/standing")
def show_standing(service: CurrentService, player: CurrentPlayer) -> GameStanding:
    """Return the caller's averages by split beside those of the paper's people and agents."""
    return iphyre_standing(service.store, player)


@router.websocket("/games/{game}/live")
async def play_live(
    socket: WebSocket, service: CurrentService, game: GamePath, player: str = ""
) -> None:
    """Play a live game; the guide to the player describes its messages."""
    await socket.accept()
    found = None
    if is_player_key(player):
        found = await run_in_threadpool(find_player, service.store, player)
    if found is None:
        await close(socket, RefusedError("unauthorized", "unknown player"))
        return
    try:
        named = await run_in_threadpool(find_game, service.store, game)
    except PlayerError as error:
        await close(socket, RefusedError("refused", str(error)))
        return
    address = client_of(socket.scope)
    if not service.live_games.acquire(player, address):
        refused = RefusedError("busy", "too many games are open; close one first", BUSY)
        await close(socket, refused)
        return
    try:
        bucket = Bucket(service.settings.messages)
        speed = service.settings.ticks_per_second
        await LiveGame(socket, service.store, found, named, bucket, speed).run()
    finally:
        service.live_games.release(player, address)
