"""I-PHYRE as Gymnasium environments, one for each strategy: an episode is a play of a game.

Observation: by default a vector: the 12 x 9 object table of `topple.iphyre.observe`, scaled and
clipped to 0 to 1, followed by the positions an action speaks of. Images are RGB pictures of the
scene.

Reward: -1 a second, -10 for each block removed and +1000 for getting every ball out.

End: an episode terminates when it is solved and is truncated after 15 seconds, 150 ticks at the
published 10 Hz (combined, sometimes 151: see `Quirk.EXTRA_TICK`). An action that is given
afterwards raises `ResetNeeded`.
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete, Space
from numpy.typing import NDArray

from topple.iphyre.env_slots import EpisodeOverError, Slots
from topple.iphyre.game import MAX_ELIMINABLE, Game, GameError
from topple.iphyre.games import game_named
from topple.iphyre.observe import ACTIONS, observation_size
from topple.iphyre.pictures import SIZE
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.split import Split, split_named
from topple.iphyre.strategy import Strategy

Observation = NDArray[np.float32] | NDArray[np.uint8]
#: What `info` holds.
INFO = {
    "game": "Name of the game.",
    "tick": "Ticks played; there are ten a second.",
    "removed": "Blocks removed.",
    "solved": "Whether every ball is out.",
}

ObservationKind = Literal["symbolic", "image"]


def games_of(game: str | Game | None, split: str | Split | None) -> tuple[Game, ...]:
    """The games an environment plays: one, or those of a split; BASIC by default.

    Raises:
        GameError: both were given, or there is no such game.
        ValueError: there is no such split.
    """
    if game is not None:
        if split is not None:
            raise GameError(f"give the game {game!r} or the split {split!r}, not both")
        return (game if isinstance(game, Game) else game_named(game),)
    if split is None:
        return Split.BASIC.games
    return (split if isinstance(split, Split) else split_named(split)).games


def action_space(strategy: Strategy) -> Space[Any]:
    """What an agent chooses from."""
    if strategy is Strategy.ON_THE_FLY:
        return Discrete(ACTIONS)
    return Box(0.0, 1.0, (MAX_ELIMINABLE,), np.float32)


def observation_space(strategy: Strategy, kind: ObservationKind) -> Space[Any]:
    """What an agent sees.

    Raises:
        ValueError: there is no such kind of observation.
    """
    if kind == "symbolic":
        return Box(0.0, 1.0, (observation_size(strategy),), np.float32)
    if kind == "image":
        return Box(0, 255, (SIZE, SIZE, 3), np.uint8)
    raise ValueError(f"observation is {kind!r}; it must be 'symbolic' or 'image'")


def checked_render_mode(mode: str | None) -> str | None:
    """The render mode.

    Raises:
        ValueError: there is no such mode.
    """
    if mode not in (None, "rgb_array"):
        raise ValueError(f"render_mode is {mode!r}; it must be 'rgb_array' or None")
    return mode


class IPhyreEnv(gym.Env[Observation, Any]):
    """One episode at a time; see the module for spaces and rewards.

    The game is sampled at each reset from those given, or chosen with
    `reset(options={"game": name})`. `info` holds what `INFO` names. Use an environment in one
    thread at a time.

    Args:
        strategy: what an action means.
        game: the only game to play, by name or as a value.
        split: the games to sample from; BASIC if nothing is said.
        observation: "symbolic" or "image".
        render_mode: "rgb_array" or None.
        rules: published at 10 Hz by default.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": 10,
    }

    def __init__(
        self,
        strategy: Strategy,
        game: str | Game | None = None,
        split: str | Split | None = None,
        observation: ObservationKind = "symbolic",
        render_mode: str | None = None,
        rules: Rules = AT_10_HZ,
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self.action_space = action_space(strategy)
        self.observation_space = observation_space(strategy, observation)
        self._kind = observation
        self._home = self._slots = Slots(games_of(game, split), 1, strategy, rules)
        self._into = self._slots.arrays()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode; `options={"game": name}` chooses the game."""
        super().reset(seed=seed)
        choice = (options or {}).get("game")
        slots = self._home
        if choice is None:
            number = int(self.np_random.integers(len(slots.games)))
        else:
            game = choice if isinstance(choice, Game) else game_named(choice)
            if game not in slots.games:
                slots = Slots((game,), 1, slots.strategy, slots.rules)
            number = slots.games.index(game)
        self._slots = slots
        slots.start((0,), (number,), self._into)
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action; see the module for what it means.

        Raises:
            ResetNeeded: the episode is over.
            PlanError: the action is outside its space.
        """
        into = self._into
        try:
            self._slots.step((action,), into)
        except EpisodeOverError as error:
            raise ResetNeeded(str(error)) from None
        return (
            self._observe(),
            into.rewards.item(),
            into.terminated.item(),
            into.truncated.item(),
            self._info(),
        )

    def render(self) -> NDArray[np.uint8] | None:
        """(600, 600, 3) the scene now, if the render mode asks for it."""
        return self._slots.picture(0, smooth=2) if self.render_mode else None

    def _observe(self) -> Observation:
        if self._kind == "image":
            return self._slots.picture(0)
        seen: NDArray[np.float32] = self._into.observations[0].copy()
        return seen

    def _info(self) -> dict[str, Any]:
        game, tick, removed, solved = self._slots.slot(0)
        name = self._slots.games[game].name
        return {"game": name, "tick": tick, "removed": removed, "solved": solved}


class IPhyreInAdvanceEnv(IPhyreEnv):
    """Plan everything before the start: one step is a whole episode.

    Action: the time of removal of each gray block, in the game's order, as a fraction of 15
    seconds; 0 and 1 mean never. Games have up to six gray blocks; further numbers mean nothing.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(Strategy.IN_ADVANCE, **options)


class IPhyreOnTheFlyEnv(IPhyreEnv):
    """Act while the game runs: a block or nothing, at every tick, up to 150 steps.

    Action: 0 does nothing, and 1 to 6 remove a gray block, in the game's order. A block that is
    gone, or that the game does not have, costs nothing.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(Strategy.ON_THE_FLY, **options)


class IPhyreCombinedEnv(IPhyreEnv):
    """Plan all removals, and plan anew after each: up to seven steps.

    Action: as in advance, the time of removal of each gray block as a fraction of 15 seconds. A
    step ends one tick after the next removal, or with the episode.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(Strategy.COMBINED, **options)
