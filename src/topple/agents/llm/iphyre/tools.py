"""What a model may call on I-PHYRE besides `propose`: look at plays again, try plans out."""

from __future__ import annotations

from typing import Any

from topple.agents.iphyre.base import Playing
from topple.agents.llm.answers import AnswerError, Schema
from topple.agents.llm.iphyre.feedback import WatchedPlay, play_events, score_words, watch_play
from topple.agents.llm.iphyre.prompt import answer_action, plan_schema
from topple.agents.llm.iphyre.scene import game_lines
from topple.agents.llm.settings import ChatSettings
from topple.agents.llm.turn import Tool
from topple.iphyre.episode import play
from topple.iphyre.game import Game
from topple.iphyre.rules import SECONDS
from topple.iphyre.strategy import plan_in_advance

_INSPECT: Schema = {
    "type": "object",
    "properties": {
        "play": {"type": "integer", "minimum": 0},
        "second": {"type": "number", "minimum": 0, "maximum": SECONDS},
    },
    "required": ["play"],
    "additionalProperties": False,
}


class GameTools:
    """The tools of one game.

    Attributes:
        seen: plays that were made; the caller adds to them.
        simulated: how often `simulate` was run.
    """

    def __init__(self, settings: ChatSettings, playing: Playing, game: Game) -> None:
        self._settings, self._playing, self._game = settings, playing, game
        self.seen: list[WatchedPlay] = []
        self.simulated = 0

    def tools(self) -> list[Tool]:
        """What is on offer; `simulate` only where the settings allow it."""
        inspect = Tool(
            "inspect",
            "Where the bodies are: at the start (play 0), or in one of your plays after so many "
            "seconds (its end, if there are none).",
            _INSPECT,
            self._inspect,
        )
        if not self._settings.simulations:
            return [inspect]
        simulate = Tool(
            "simulate",
            "What would come of a plan played from the start of the game. It is no play, but you "
            "have only a few of these.",
            plan_schema(self._game, self._playing.rules),
            self._simulate,
        )
        return [inspect, simulate]

    def words(self) -> str:
        """The tools in a sentence or two."""
        text = f"In a turn you may call tools {self._settings.tool_calls} times before `propose`."
        if self._settings.simulations:
            text += f" `simulate` may be run {self._settings.simulations} times on a game."
        return text

    def _inspect(self, arguments: Any) -> str:
        number: int = arguments["play"]
        if number > len(self.seen):
            raise AnswerError(f"there is no play {number}; {len(self.seen)} were made")
        if number == 0:
            return game_lines(self._game)
        second: float = arguments.get("second", SECONDS)
        return self.seen[number - 1].lines(second)

    def _simulate(self, arguments: Any) -> str:
        if self.simulated >= self._settings.simulations:
            raise AnswerError(f"all {self.simulated} simulations of this game are used")
        rules = self._playing.rules
        plan = plan_in_advance(self._game, answer_action(arguments, rules), rules)
        self.simulated += 1
        self._playing.simulator_calls += 1
        score = play(self._game, plan, rules)
        seen = watch_play(self._game, 0, plan, score, rules)
        left = f"{self._settings.simulations - self.simulated} simulations are left."
        return "\n".join([score_words(seen), *play_events(seen), left])
