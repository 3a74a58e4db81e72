"""I-PHYRE: forty games solved by removing blocks at the right moments."""

from topple.iphyre.episode import Episode, EpisodeState, play, play_batch, watch
from topple.iphyre.game import Ball, Block, Game, GameError, Kind
from topple.iphyre.games import ALL, PUBLISHED, game_named
from topple.iphyre.plan import Elimination, Plan, PlanError, plan_from_seconds, plan_from_ticks
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Quirk, Rules
from topple.iphyre.score import Average, Score, average, averages
from topple.iphyre.split import PUBLISHED_SPLITS, Split, split_named, split_of
from topple.iphyre.strategy import Strategy, plan_in_advance

__all__ = [
    "ALL",
    "AT_10_HZ",
    "AT_60_HZ",
    "PUBLISHED",
    "PUBLISHED_SPLITS",
    "Average",
    "Ball",
    "Block",
    "Elimination",
    "Episode",
    "EpisodeState",
    "Game",
    "GameError",
    "Kind",
    "Plan",
    "PlanError",
    "Quirk",
    "Rules",
    "Score",
    "Split",
    "Strategy",
    "average",
    "averages",
    "game_named",
    "plan_from_seconds",
    "plan_from_ticks",
    "plan_in_advance",
    "play",
    "play_batch",
    "split_named",
    "split_of",
    "watch",
]
