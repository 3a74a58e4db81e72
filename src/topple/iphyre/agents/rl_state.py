"""The whole state of a stable-baselines3 algorithm, as tensors and plain values.

The library's own files hold pickled objects and leave out the replay buffer, the environment and
the random generators, so training resumed from them differs. Resumed from this state, it does not.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from topple.iphyre.agents.vec_env import GameVecEnv

_COUNTERS = ("num_timesteps", "_n_updates", "_episode_num", "_n_calls", "exploration_rate")
_BUFFER = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


class GlobalRng:
    """The global random generators that the library uses, isolated from the rest of the program.

    Within the context, torch and NumPy have the state of these generators, and torch uses one
    thread, so that results do not depend on the number of cores. Afterwards both have their
    earlier state again.
    """

    def __init__(self, seed: int) -> None:
        self._torch = torch.Generator().manual_seed(seed).get_state()
        self._numpy: Any = np.random.RandomState(seed).get_state()
        self._outside: Any = None

    def __enter__(self) -> None:
        self._outside = torch.get_rng_state(), np.random.get_state(), torch.get_num_threads()  # noqa: NPY002
        torch.set_rng_state(self._torch)
        np.random.set_state(self._numpy)  # noqa: NPY002
        torch.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        self._torch, self._numpy = torch.get_rng_state(), np.random.get_state()  # noqa: NPY002
        state, numpy_state, threads = self._outside
        torch.set_rng_state(state)
        np.random.set_state(numpy_state)  # noqa: NPY002
        torch.set_num_threads(threads)

    def state(self) -> dict[str, Any]:
        """The generators' state."""
        name, keys, *rest = self._numpy
        return {"torch": self._torch, "numpy": json.dumps([name, keys.tolist(), *rest])}

    def restore(self, state: dict[str, Any]) -> None:
        """Set the generators' state."""
        name, keys, *rest = json.loads(state["numpy"])
        self._torch = state["torch"]
        self._numpy = (name, np.array(keys, np.uint32), *rest)


def capture(model: BaseAlgorithm, env: GameVecEnv, global_rng: GlobalRng) -> dict[str, Any]:
    """Everything needed to continue training, between two iterations."""
    state: dict[str, Any] = {
        "weights": model.get_parameters(),
        "variables": {name: getattr(model, name).detach() for name in _variables(model)},
        "counters": {name: getattr(model, name) for name in _COUNTERS if hasattr(model, name)},
        "env": {name: _to_tensor(value) for name, value in env.state().items()},
        "global_rng": global_rng.state(),
        "action_space": json.dumps(model.action_space.np_random.bit_generator.state),
    }
    if isinstance(model, OffPolicyAlgorithm):
        buffer: Any = model.replay_buffer
        filled = buffer.buffer_size if buffer.full else buffer.pos
        state["buffer"] = {
            **{name: torch.from_numpy(getattr(buffer, name)[:filled]) for name in _BUFFER},
            "pos": buffer.pos,
            "full": buffer.full,
        }
    return state


def restore(
    model: BaseAlgorithm, env: GameVecEnv, global_rng: GlobalRng, state: dict[str, Any]
) -> None:
    """Load a captured state into an algorithm with the same settings that is set up to learn."""
    load_trained(model, state)
    saved = {name: _to_array(value) for name, value in state["env"].items()}
    # Attributes of the algorithm that the library keeps to itself.
    hidden: Any = model
    hidden._last_obs = env.restore(saved)
    if isinstance(model, OnPolicyAlgorithm):
        hidden._last_episode_starts = saved["ages"] == 0
    global_rng.restore(state["global_rng"])
    model.action_space.np_random.bit_generator.state = json.loads(state["action_space"])
    if isinstance(model, OffPolicyAlgorithm):
        buffer: Any = model.replay_buffer
        for name in _BUFFER:
            rows = state["buffer"][name].numpy()
            getattr(buffer, name)[: len(rows)] = rows
        buffer.pos, buffer.full = state["buffer"]["pos"], state["buffer"]["full"]


def load_trained(model: BaseAlgorithm, state: dict[str, Any]) -> None:
    """Load the learned parameters and counters of a captured state into an algorithm."""
    for name, value in state["counters"].items():
        setattr(model, name, value)
    model.set_parameters(state["weights"], exact_match=True)
    for name in _variables(model):
        getattr(model, name).data = state["variables"][name].clone()


def _variables(model: BaseAlgorithm) -> list[str]:
    listed = model._get_torch_save_params()[1]
    return [name for name in listed if getattr(model, name, None) is not None]


def _to_tensor(value: Any) -> Any:
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def _to_array(value: Any) -> Any:
    return value.numpy() if isinstance(value, torch.Tensor) else value
