"""The tools of a model on an I-PHYRE game."""

from __future__ import annotations

from typing import Any

from topple.iphyre.episode import play
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing
from topple.iphyre.rules import SECONDS
from topple.iphyre.strategy import plan_in_advance
from topple.llm.iphyre.feedback import WatchedPlay, play_events, score_words, watch_play
from topple.llm.iphyre.prompt import answer_action, plan_schema
from topple.llm.iphyre.scene import game_lines
from topple.llm.settings import ChatSettings
from topple.llm.toolbox import Toolbox


class GameTools(Toolbox[WatchedPlay]):
    """The tools of one game. By any strategy, `simulate` plays whole plans from the start."""

    def __init__(self, settings: ChatSettings, testing: Testing, game: Game) -> None:
        super().__init__(settings, "game", "play", SECONDS, plan_schema(game, testing.rules))
        self._testing, self._game = testing, game

    def start(self) -> str:
        """The game."""
        return game_lines(self._game)

    def later(self, seen: WatchedPlay, second: float) -> str:
        """The bodies of a play at a time."""
        return seen.lines(second)

    def trial(self, proposal: Any) -> str:
        """Simulate a plan."""
        rules = self._testing.rules
        plan = plan_in_advance(self._game, answer_action(proposal, rules), rules)
        self._testing.simulator_calls += 1
        seen = watch_play(self._game, 0, plan, play(self._game, plan, rules), rules)
        return "\n".join([score_words(seen), *play_events(seen)])
