"""A language model on I-PHYRE: in advance, re-planning after each removal, or on the fly.

A turn without a usable reply removes nothing, and the game continues. After ``patience`` such
turns in a row nothing more is asked in that play, and it is the last one. The first play that
solves the game is the last one, too.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

from topple.iphyre.episode import Episode, play
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing
from topple.iphyre.plan import NO_PLAN
from topple.iphyre.rules import SECONDS
from topple.iphyre.strategy import Strategy, plan_in_advance
from topple.llm.answers import AnswerError, Schema
from topple.llm.iphyre import deepphy, gpt4_preset, prompt
from topple.llm.iphyre.feedback import (
    WatchedPlay,
    feedback,
    keyframe_ticks,
    play_contacts,
    watch_play,
)
from topple.llm.iphyre.pictures import draw_play, draw_world
from topple.llm.iphyre.scene import game_lines
from topple.llm.messages import Picture
from topple.llm.presets import apply_preset
from topple.llm.puzzle import Flow, Made, Puzzle, Question
from topple.llm.settings import ChatSettings
from topple.media.files import Frame
from topple.runs.agent import Observation, Traits

NOTHING = -1  # removed, on the fly
Asking = Generator[Question, Made | None, Any]


@dataclass
class IphyreLlm(ChatSettings):
    """A language model as an agent of I-PHYRE.

    Attributes:
        strategy: "in_advance", "combined" or "on_the_fly".
        every: seconds between two questions on the fly.
        preset: "topple", or a protocol of a paper such as "iphyre-gpt4"; see
            :mod:`topple.llm.presets`.
    """

    strategy: str = Strategy.IN_ADVANCE.value
    every: float = 1.0
    preset: str = ""

    def __post_init__(self) -> None:
        names = [strategy.value for strategy in Strategy]
        if self.strategy not in names:
            raise ValueError(
                f"strategy is {self.strategy!r}; it has to be one of {', '.join(names)}"
            )
        if not 0.1 <= self.every <= SECONDS:
            raise ValueError(f"every is {self.every} s; it has to be 0.1 to {SECONDS}")
        apply_preset(self, "iphyre")
        super().__post_init__()

    @property
    def traits(self) -> Traits:
        """It reads the exact scene, and learns from its plays of a game within that game."""
        seen = Observation.SCENE
        if self.preset == gpt4_preset.NAME:
            seen = Observation.OBJECTS
        elif self.preset.startswith(deepphy.NAME):
            seen = Observation.IMAGE
        return Traits(self.history_size > 0, seen, strategy=self.strategy)

    def options(self) -> dict[str, Any]:
        """The fields of every request besides its messages."""
        more = gpt4_preset.OPTIONS if self.preset == gpt4_preset.NAME else {}
        return {**super().options(), **more}

    def act(self, testing: Testing) -> None:
        """Play games, several of them concurrently."""
        self.converse(testing, testing.games)

    def puzzle(self, testing: Testing, game: Game) -> IphyrePuzzle:
        """A game as a puzzle for a model.

        Raises:
            ValueError: the preset is for another rate.
        """
        if self.preset == gpt4_preset.NAME and testing.rules.hz != gpt4_preset.RULES.hz:
            raise ValueError(f"preset {self.preset!r} is played at 10 Hz, not {testing.rules.hz}")
        return IphyrePuzzle(self, testing.part(game), game)


class IphyrePuzzle(Puzzle[WatchedPlay]):
    """A game.

    Args:
        settings: the settings of the agent.
        testing: a testing of this game alone, where plays are logged.
        game: the game.
    """

    KIND, ATTEMPT, SECONDS = "game", "play", SECONDS
    settings: IphyreLlm

    def __init__(self, settings: IphyreLlm, testing: Testing, game: Game) -> None:
        super().__init__(settings, game.name, testing, prompt.plan_schema(game, testing.rules))
        self.game = game
        self._strategy = Strategy(settings.strategy)
        self._fresh = True  # the last play has not been told of in a dialogue

    def flow(self) -> Flow:
        """Play until the game is solved, its plays are used up, or the model has given up."""
        if self.settings.preset.startswith(deepphy.NAME):
            yield from deepphy.flow(self)
            return
        if self.settings.preset == gpt4_preset.NAME:
            yield from gpt4_preset.flow(self)
            return
        play_once = {
            Strategy.IN_ADVANCE: self._in_advance,
            Strategy.COMBINED: self._combined,
            Strategy.ON_THE_FLY: self._on_the_fly,
        }[self._strategy]
        for _ in range(self.testing.log.limit):
            notes: list[str] = []
            yield from play_once(notes)
            seen = self.watch_last()
            self.add(seen, prompt.play_text(seen, notes, self.settings.feedback))
            self._fresh = True
            self.result += f"; play {seen.number}: reward {seen.score.reward:.1f}"
            if self.solved or self.given_up:
                return

    def watch_last(self) -> WatchedPlay:
        """The play that was logged last, as it was seen."""
        _, plan, score = self.testing.log.last
        self.solved = score.solved
        return watch_play(self.game, len(self.testing.log), plan, score, self.testing.rules)

    def _in_advance(self, notes: list[str]) -> Asking:
        """Ask for all times, then play."""
        action = yield from self._ask_times(Episode(self.game, self.testing.rules), notes)
        plan = NO_PLAN
        if action is not None:
            plan = plan_in_advance(self.game, action, self.testing.rules)
        self.testing.play(self.game, plan)

    def _combined(self, notes: list[str]) -> Asking:
        """Ask for all times, play to the first removal, and ask again."""
        with self.testing.episode(self.game) as episode:
            while not episode.state.over and episode.removed < len(self.game.eliminable):
                action = yield from self._ask_times(episode, notes)
                if action is None:
                    break
                episode.act(Strategy.COMBINED, action)
            _run_to(episode, self.testing.rules.tick_limit)

    def _ask_times(self, episode: Episode, notes: list[str]) -> Asking:
        """An action with a time for each gray block; None if there was no answer."""
        removed = episode.state.removed
        accept = partial(
            prompt.answer_action,
            rules=self.testing.rules,
            gone=[body in removed for body in self.game.eliminable],
            earliest=max(1, episode.tick),  # a time of 0 would mean never
        )
        return (yield from self._ask(episode, notes, self.schema, accept))

    def _on_the_fly(self, notes: list[str]) -> Asking:
        """Ask at regular intervals whether a block is to be removed now."""
        schema, rules = prompt.choice_schema(self.game), self.testing.rules
        stride = max(1, round(self.settings.every * rules.hz))
        with self.testing.episode(self.game) as episode:
            # When nothing is left to remove, there is nothing to decide.
            while not episode.state.over and episode.removed < len(self.game.eliminable):
                if self.given_up:
                    break
                choose = partial(_chosen, self.game, episode.state.removed)
                body = yield from self._ask(episode, notes, schema, choose)
                if body is not None and body != NOTHING:
                    episode.remove(body)
                _run_to(episode, min(episode.tick + stride, rules.tick_limit))
            _run_to(episode, rules.tick_limit)

    def _ask(
        self, episode: Episode, notes: list[str], schema: Schema, accept: Callable[[Any], Any]
    ) -> Asking:
        """Take a turn; None if it was passed."""
        made = yield from self.ask(self._question(episode, schema, accept))
        second = f"{episode.tick / episode.rules.hz:.1f} s"
        self._fresh = False
        if made is None:
            self.result = f"{second}: passed, no usable answer"
            return None
        self.result = second
        if "note" in made.answer:
            notes.append(made.answer["note"])
        return made.value

    def _question(self, episode: Episode, schema: Schema, accept: Callable[[Any], Any]) -> Question:
        settings, rules = self.settings, self.testing.rules
        plays, made = self.testing.log.limit, len(self.testing.log)
        text = partial(prompt.game_text, episode, self._strategy, plays, made)
        last = self.last
        news = [self.last_ended] if last is not None and self._fresh else []
        return Question(
            prompt.rules_text(self._strategy, rules, settings.every, settings.tools),
            text(self.history()),
            text(news, again=episode.tick == 0 and made > 0),
            schema,
            accept,
            lambda: [*self._now(episode), *self.keyframes(last)],
            lambda: self.keyframes(last) if news else self._now(episode),
        )

    def _now(self, episode: Episode) -> list[Picture]:
        second = episode.tick / episode.rules.hz
        frame = draw_world(self.game, episode.world, self.settings.labels)
        return [(f"The scene at {second:.1f} s:", frame)]

    def describe(self, seen: WatchedPlay | None, second: float) -> str:
        """Describe the bodies at a time of a play, or at the start."""
        return game_lines(self.game) if seen is None else seen.lines(second)

    def draw(self, seen: WatchedPlay | None, second: float) -> Frame:
        """Draw the bodies at a time of a play, or at the start."""
        if seen is None:
            world = Episode(self.game, self.testing.rules).world
            return draw_world(self.game, world, self.settings.labels)
        return draw_play(seen, second, self.settings.labels)

    def contacts(self, seen: WatchedPlay) -> list[str]:
        """List the contacts of a play."""
        return play_contacts(seen)

    def keyframe_times(self, seen: WatchedPlay) -> list[float]:
        """The seconds at which a play is shown."""
        ticks = keyframe_ticks(seen, self.settings.keyframes, self.settings.keyframes_by)
        return [tick / seen.rules.hz for tick in ticks]

    def trial(self, proposal: Any) -> str:
        """Play a whole plan from the start, by any strategy, and describe the result."""
        game, rules = self.game, self.testing.rules
        plan = plan_in_advance(game, prompt.answer_action(proposal, rules), rules)
        self.testing.count_simulations(1)  # makes the run privileged
        seen = watch_play(game, 0, plan, play(game, plan, rules), rules)
        return "\n".join(feedback(seen, self.settings.feedback))


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
