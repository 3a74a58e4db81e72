"""Reinforcement learning on I-PHYRE, with the algorithms of stable-baselines3.

An agent is an algorithm (see :mod:`topple.iphyre.agents.rl_agents`) that acts by one of the three
strategies. From top to bottom: the settings, training, checkpoints, testing.

It learns from episodes of the training games, sampled uniformly, in native vector environments,
and then plays other games without learning. On a CPU, equal seeds give equal weights, also when
training was interrupted and resumed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from torch import nn

from topple.iphyre.agents.rl_state import GlobalRng, capture, load_trained, restore
from topple.iphyre.agents.vec_env import GameVecEnv, to_times
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing, Training
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.split import Split
from topple.iphyre.strategy import Strategy
from topple.iphyre.variants import vary
from topple.runs.agent import UNSAVED, Observation, Report, TrainingOptions, Traits
from topple.runs.checkpoint import CheckpointError, check_settings, read_state, write_state
from topple.runs.settings import above_zero, at_least, settings_of

REPORTS = 100  # evenly spaced in a training: the points of its curve
SAVE_SECONDS = 60.0  # between checkpoints, at least

_KIND = "topple rl 1"
_PARTS = {"agent", "settings", "run", "games", "seed", "done", "history", "seconds", "state"}
_PLAYING = ("stochastic",)  # settings that can be changed after training
_SEEDS = 2**31

Algorithm = TypeVar("Algorithm", bound=BaseAlgorithm)


@dataclass
class RlAgent:
    """What the agents of all algorithms share.

    Attributes:
        total_timesteps: steps of all environments together; in advance, a step is an episode.
        learning_rate: learning rate of all networks.
        n_envs: environments that run in parallel.
        gamma: discount factor.
        reward_scale: factor by which rewards are multiplied before learning.
        hidden_size: units of each of the two hidden layers.
        variants: variants of every training game that are added to it; see `iphyre.variants`.
        stochastic: whether actions are sampled from the policy in play, as in training, and not
            the most likely ones.
    """

    smoke: ClassVar[Mapping[str, Any]] = {"total_timesteps": 2_000}
    strategy: ClassVar[Strategy]

    total_timesteps: int = 800_000
    learning_rate: float = 1e-6
    n_envs: int = 8
    gamma: float = 0.99
    reward_scale: float = 1.0
    hidden_size: int = 256
    variants: int = 0
    stochastic: bool = False
    #: Points of the training curve so far.
    history: list[Report] = field(default_factory=list, init=False, repr=False)
    #: Seconds spent on training, resumed parts included.
    seconds: float = field(default=0.0, init=False, repr=False)
    _model: BaseAlgorithm | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "total_timesteps", "n_envs", "hidden_size")
        at_least(self, 0, "variants")
        above_zero(self, "learning_rate", "reward_scale")
        above_zero(self, "gamma", at_most=1)

    @property
    def traits(self) -> Traits:
        """It looks at the table of objects."""
        return Traits(observation=Observation.OBJECTS, strategy=self.strategy.value)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name."""
        return settings_of(self)

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """Create the algorithm with these settings for an environment."""
        raise NotImplementedError

    def _new(
        self,
        algorithm: type[Algorithm],
        env: GameVecEnv,
        policy: Mapping[str, Any],
        **more: Any,
    ) -> Algorithm:
        """Create an algorithm; settings with the names of its arguments are passed on to it."""
        accepted = signature(algorithm).parameters
        own = {name: value for name, value in self.settings.items() if name in accepted}
        arguments = {"policy_kwargs": {"activation_fn": nn.Tanh, **policy}, **own, **more}
        return algorithm("MlpPolicy", env, device="cpu", **arguments)

    # Training.

    def train(self, training: Training) -> None:
        """Take all steps, unless a finished checkpoint was loaded."""
        if self._model is None:
            for _ in self.learn(training):
                pass

    def learn(self, training: Training, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Take the remaining steps, with a report after every hundredth of them.

        Args:
            training: the games to learn from, their rules, and the generator of the seed.
            options: where to save it and the library's logs; the number of steps is a setting.
        """
        checkpoint, tensorboard = options.checkpoint, options.tensorboard
        if tensorboard is not None and find_spec("tensorboard") is None:
            raise ValueError("logs for tensorboard need it: pip install tensorboard")
        games = training.games
        seed = int(training.rng.integers(_SEEDS))
        env, global_rng = self._env(games, training.rules, seed), GlobalRng(seed)
        with global_rng:
            model = self._model = self.new_model(env)
            model.action_space.seed(seed)
            model.tensorboard_log = None if tensorboard is None else str(tensorboard)
            # The first steps of the library's own `learn`, whose loop is written out below.
            _, callback = model._setup_learn(self.total_timesteps, None, True, type(self).__name__)
        names = [game.name for game in games]
        if checkpoint is not None and checkpoint.exists():
            self._resume(checkpoint, model, env, global_rng, names, seed)
        saved = time.monotonic()
        while model.num_timesteps < self.total_timesteps:
            reported = model.num_timesteps * REPORTS // self.total_timesteps
            due = self.total_timesteps * (reported + 1) // REPORTS
            start, first = time.monotonic(), model.num_timesteps
            env.finished.clear()
            with global_rng:
                while model.num_timesteps < due or not env.finished:
                    _iterate(model, callback)
                if tensorboard is not None:
                    model.logger.dump(model.num_timesteps)
            spent = time.monotonic() - start
            self.seconds += spent
            self._report(env, model.num_timesteps, (model.num_timesteps - first) / spent)
            last = model.num_timesteps >= self.total_timesteps
            if checkpoint is not None and (last or time.monotonic() - saved > SAVE_SECONDS):
                saved = time.monotonic()
                state = capture(model, env, global_rng)
                self._save(checkpoint, options.run or {}, names, seed, state)
            yield self.history[-1]

    def _env(self, games: Sequence[Game], rules: Rules, seed: int) -> GameVecEnv:
        rng = np.random.default_rng(seed)
        varied = [
            vary(game, f"{game.name}_{number}", rng)
            for game in games
            for number in range(self.variants)
        ]
        trained = [*games, *varied]
        return GameVecEnv(trained, self.n_envs, self.strategy, rules, seed, self.reward_scale)

    def _report(self, env: GameVecEnv, done: int, rate: float) -> None:
        count = len(env.finished)
        reward = sum(each.reward for each in env.finished) / count
        solved = sum(each.solved for each in env.finished) / count
        self.history.append(Report(done, self.total_timesteps, rate, reward=reward, solved=solved))

    # Checkpoints.

    def _save(
        self,
        path: Path,
        run: dict[str, Any],
        games: list[str],
        seed: int,
        state: dict[str, Any],
    ) -> None:
        content = {
            "agent": type(self).__name__,
            "settings": self.settings,
            "run": run,
            "games": games,
            "seed": seed,
            "done": self.history[-1].done,
            "history": [list(point) for point in self.history],
            "seconds": self.seconds,
            "state": state,
        }
        write_state(path, _KIND, content)

    def _read(self, path: Path) -> dict[str, Any]:
        found = read_state(path, _KIND, _PARTS)
        if found["agent"] != type(self).__name__:
            raise CheckpointError(f"{path} is of agent {found['agent']}, not {type(self).__name__}")
        self.history = [Report(*point) for point in found["history"]]
        self.seconds = found["seconds"]
        return found

    def _resume(
        self,
        path: Path,
        model: BaseAlgorithm,
        env: GameVecEnv,
        global_rng: GlobalRng,
        games: list[str],
        seed: int,
    ) -> None:
        """Continue the training of a checkpoint, which has to be the same one."""
        found = self._read(path)
        fixed = {name: value for name, value in self.settings.items() if name not in _PLAYING}
        check_settings(found["settings"], fixed)
        if found["games"] != games or found["seed"] != seed:
            raise CheckpointError(
                "the checkpoint is of other games or another seed; use another folder"
            )
        restore(model, env, global_rng, found["state"])

    def load(self, path: Path) -> dict[str, Any]:
        """Load the weights and all settings of training from a finished checkpoint.

        Returns:
            What it was trained for, if that is known.

        Raises:
            CheckpointError: The file cannot be used, or its training was not finished.
        """
        found = self._read(path)
        steps = found["settings"]["total_timesteps"]
        if found["done"] < steps:
            raise CheckpointError(
                f"{path} has {found['done']} of {steps} steps; finish it with `topple train`"
            )
        for name, value in found["settings"].items():
            if name not in _PLAYING:
                setattr(self, name, value)
        with GlobalRng(0):
            self._model = self.new_model(self._env(Split.BASIC.games, AT_10_HZ, 0))
        load_trained(self._model, found["state"])
        return dict(found["run"])

    # Playing.

    def act(self, testing: Testing) -> None:
        """Play every game in turn, as often as allowed."""
        if self._model is None:
            raise ValueError("the agent has no weights; train it or load a checkpoint first")
        seed = int(testing.rng.integers(_SEEDS))
        self._model.action_space.seed(seed)
        with GlobalRng(seed):
            for _ in range(testing.log.limit):
                self._play_all(testing)

    def _play_all(self, testing: Testing) -> None:
        """Play all games once, side by side, so that the network sees them together."""
        with ExitStack() as stack:
            # Plays are logged as the stack is taken down, from its top.
            opened = [stack.enter_context(testing.episode(game)) for game in testing.games[::-1]]
            running = opened[::-1]
            while running:
                seen = np.stack([episode.observe(self.strategy) for episode in running])
                for episode, action in zip(running, self.choose(seen), strict=True):
                    episode.act(self.strategy, action)
                running = [episode for episode in running if not episode.state.over]

    def choose(self, seen: NDArray[np.float32]) -> NDArray[Any]:
        """Actions of the strategy's space for observations, one in each row."""
        assert self._model is not None
        actions, _ = self._model.predict(seen, deterministic=not self.stochastic)
        if self.strategy is Strategy.ON_THE_FLY:
            return actions
        return to_times(actions, np.empty(actions.shape, np.float32))


def _iterate(model: BaseAlgorithm, callback: BaseCallback) -> None:
    """Collect experience and learn from it: one iteration of the library's loop."""
    assert model.env is not None
    if isinstance(model, OnPolicyAlgorithm):
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
        model._update_current_progress_remaining(model.num_timesteps, model._total_timesteps)
        model.train()
        return
    assert isinstance(model, OffPolicyAlgorithm)
    assert model.replay_buffer is not None
    model.collect_rollouts(
        model.env,
        callback,
        model.train_freq,  # type: ignore[arg-type]  # made ready by the library
        model.replay_buffer,
        model.action_noise,
        model.learning_starts,
    )
    if model.num_timesteps > model.learning_starts:
        model.train(model.gradient_steps, model.batch_size)
