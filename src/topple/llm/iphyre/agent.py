"""A language model on I-PHYRE: in advance, re-planning after each removal, or on the fly.

A turn without a usable reply removes nothing, and the game continues. After ``patience`` such
turns in a row nothing more is asked in that play, and it is the last one. The first play that
solves the game is the last one, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from topple.iphyre.episode import Episode, play
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing, Training
from topple.iphyre.plan import NO_PLAN
from topple.iphyre.rules import SECONDS
from topple.iphyre.strategy import Strategy, plan_in_advance
from topple.llm.answers import AnswerError, Schema
from topple.llm.chat import Chat
from topple.llm.conversation import Conversation, converse
from topple.llm.iphyre import gpt4_preset
from topple.llm.iphyre.feedback import WatchedPlay, play_events, score_words, watch_play
from topple.llm.iphyre.prompt import (
    answer_action,
    choice_schema,
    final_text,
    game_pictures,
    game_text,
    plan_schema,
    play_text,
    rules_text,
)
from topple.llm.iphyre.scene import game_lines
from topple.llm.settings import ChatSettings
from topple.llm.toolbox import Toolbox
from topple.llm.turns import TurnNote
from topple.runs.agent import Observation, Traits

Value = TypeVar("Value")

PRESETS = (gpt4_preset.NAME,)
NOTHING = -1  # removed, on the fly


@dataclass
class IphyreLlm(ChatSettings):
    """A language model as an agent of I-PHYRE.

    Attributes:
        strategy: "in_advance", "combined" or "on_the_fly".
        every: seconds between two questions on the fly.
        preset: "iphyre-gpt4" for the paper's baseline, which fixes all else but the model.
    """

    strategy: str = Strategy.IN_ADVANCE.value
    every: float = 1.0
    preset: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        names = ", ".join(strategy.value for strategy in Strategy)
        if self.strategy not in {strategy.value for strategy in Strategy}:
            raise ValueError(f"strategy is {self.strategy!r}; it has to be one of {names}")
        if not 0.1 <= self.every <= SECONDS:
            raise ValueError(f"every is {self.every} s; it has to be 0.1 to {SECONDS}")
        if self.preset and self.preset not in PRESETS:
            raise ValueError(f"preset is {self.preset!r}; there is {', '.join(PRESETS)}")
        if self.preset and (self.tools or self.images or self.strategy != "in_advance"):
            raise ValueError(
                f"preset {self.preset!r} is in advance, without pictures and tools; leave "
                "strategy, images and tools out"
            )

    @property
    def traits(self) -> Traits:
        """It reads the exact scene, and learns from its plays of a game within that game."""
        if self.preset:
            return Traits(observation=Observation.OBJECTS, strategy=Strategy.IN_ADVANCE.value)
        return Traits(self.history_size > 0, Observation.SCENE, strategy=self.strategy)

    def train(self, training: Training) -> None:
        """Nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Play games, several of them concurrently."""
        options = self.options()
        if self.preset:
            options = {**options, **gpt4_preset.OPTIONS}

        def solve(chat: Chat, game: Game) -> tuple[Testing, list[TurnNote]]:
            part = testing.part(game)
            return (
                self._preset(chat, part, game)
                if self.preset
                else _Play(self, chat, part, game).run()
            )

        def name(game: Game) -> str:
            return game.name

        for part in converse(self.link, options, testing.games, name, solve):
            testing.join(part)

    def _preset(self, chat: Chat, testing: Testing, game: Game) -> tuple[Testing, list[TurnNote]]:
        if testing.rules.hz != gpt4_preset.RULES.hz:
            raise ValueError(f"preset {self.preset!r} is played at 10 Hz, not {testing.rules.hz}")
        played, wrong, answer = gpt4_preset.ask(chat, f"{game.name}/001/00", game)
        testing.log.append(played)
        result = f"reward {played.score.reward:.1f}"
        return testing, [TurnNote(1, answer, result, (wrong,) if wrong else ())]


class _Play:
    """All plays of one game."""

    def __init__(self, agent: IphyreLlm, chat: Chat, testing: Testing, game: Game) -> None:
        self._agent, self._testing, self._game = agent, testing, game
        self._strategy = Strategy(agent.strategy)
        toolbox: Toolbox[WatchedPlay] = Toolbox(
            *(agent, "game", "play", SECONDS, plan_schema(game, testing.rules)),
            start=lambda: game_lines(game),
            later=WatchedPlay.lines,
            trial=self._simulate,
        )
        self._conversation = Conversation(agent, chat, game.name, toolbox)
        self._rules = rules_text(self._strategy, testing.rules, agent.every, agent.tools)
        self._made = 0

    def run(self) -> tuple[Testing, list[TurnNote]]:
        """Play until the game is solved, its plays are used up, or the model has given up."""
        play_once = {
            Strategy.IN_ADVANCE: self._in_advance,
            Strategy.COMBINED: self._combined,
            Strategy.ON_THE_FLY: self._on_the_fly,
        }[self._strategy]
        turns = self._conversation.turns
        for number in range(1, self._testing.log.limit + 1):
            notes: list[str] = []
            play_once(notes)
            _, plan, score = self._testing.log.last
            seen = watch_play(self._game, number, plan, score, self._testing.rules)
            self._conversation.add(seen, play_text(seen, notes))
            self._made = number
            if turns:
                result = f"{turns[-1].result}; play {number}: reward {score.reward:.1f}"
                turns[-1] = turns[-1]._replace(result=result)
            if score.solved or self._conversation.given_up:
                break
        return self._testing, turns

    def _simulate(self, proposal: Any) -> str:
        """Play a whole plan from the start, by any strategy, and describe the result."""
        game, rules = self._game, self._testing.rules
        plan = plan_in_advance(game, answer_action(proposal, rules), rules)
        self._testing.simulator_calls += 1
        seen = watch_play(game, 0, plan, play(game, plan, rules), rules)
        return "\n".join([score_words(seen), *play_events(seen)])

    def _in_advance(self, notes: list[str]) -> None:
        """Ask for all times, then play."""
        action = self._ask_times(Episode(self._game, self._testing.rules), notes)
        plan = NO_PLAN
        if action is not None:
            plan = plan_in_advance(self._game, action, self._testing.rules)
        self._testing.play(self._game, plan)

    def _combined(self, notes: list[str]) -> None:
        """Ask for all times, play to the first removal, and ask again."""
        with self._testing.episode(self._game) as episode:
            while not episode.state.over and episode.removed < len(self._game.eliminable):
                action = self._ask_times(episode, notes)
                if action is None:
                    break
                episode.act(Strategy.COMBINED, action)
            _run_to(episode, self._testing.rules.tick_limit)

    def _ask_times(self, episode: Episode, notes: list[str]) -> list[float] | None:
        """An action with a time for each gray block; None if there was no answer."""
        rules, removed = self._testing.rules, episode.state.removed
        gone = [body in removed for body in self._game.eliminable]
        earliest = max(1, episode.tick)  # a time of 0 would mean never

        def accept(answer: Any) -> list[float]:
            return answer_action(answer, rules, gone, earliest)

        return self._ask(episode, notes, plan_schema(self._game, rules), accept)

    def _on_the_fly(self, notes: list[str]) -> None:
        """Ask at regular intervals whether a block is to be removed now."""
        schema, rules = choice_schema(self._game), self._testing.rules
        stride = max(1, round(self._agent.every * rules.hz))
        with self._testing.episode(self._game) as episode:
            # When nothing is left to remove, there is nothing to decide.
            while not episode.state.over and episode.removed < len(self._game.eliminable):
                if self._conversation.given_up:
                    break
                choose = partial(_chosen, self._game, episode.state.removed)
                body = self._ask(episode, notes, schema, choose)
                if body is not None and body != NOTHING:
                    episode.remove(body)
                _run_to(episode, min(episode.tick + stride, rules.tick_limit))
            _run_to(episode, rules.tick_limit)

    def _ask(
        self, episode: Episode, notes: list[str], schema: Schema, accept: Callable[[Any], Value]
    ) -> Value | None:
        """Take a turn; None if it was passed."""
        conversation = self._conversation
        history, plays = conversation.history(final_text), self._testing.log.limit
        text = game_text(episode, self._strategy, plays, self._made, history)
        last, agent = conversation.last, self._agent
        pictures = game_pictures(episode, last, agent.keyframes) if agent.images else []
        messages = conversation.messages(self._rules, text, pictures)
        second = f"{episode.tick / episode.rules.hz:.1f} s"
        passed = f"{second}: passed, no usable answer"
        made = conversation.ask(messages, schema, accept, passed, lambda _: second)
        if made is None:
            return None
        value, answer = made
        if "note" in answer:
            notes.append(answer["note"])
        return value


def _chosen(game: Game, removed: frozenset[int], answer: Any) -> int:
    """The body an answer removes, or NOTHING."""
    number: int | None = answer["remove"]
    if number is None:
        return NOTHING
    body = game.eliminable[number - 1]
    if body in removed:
        raise AnswerError(f"gray block {number} is gone already")
    return body


def _run_to(episode: Episode, tick: int) -> None:
    """Advance to a tick, unless the game is solved before."""
    if not episode.solved and episode.tick < tick:
        episode.run(tick - episode.tick)
