"""Agents by name. Nothing is imported until an agent is made."""

from __future__ import annotations

import dataclasses
import difflib
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from topple.runs.agent import Agent

if TYPE_CHECKING:
    from topple.iphyre.phases import GameAgent

#: PHYRE: name -> "module:Class". Your own needs no entry: give its "module:Class" as the name.
AGENTS: Mapping[str, str] = {
    "rand": "topple.phyre.agents.rand:Rand",
    "mem": "topple.phyre.agents.mem:Mem",
    "mem-o": "topple.phyre.agents.mem:MemOnline",
    "optimal": "topple.phyre.agents.optimal:Optimal",
    "object-prior": "topple.phyre.agents.object_prior:ObjectPrior",
    "llm": "topple.llm.phyre.agent:PhyreLlm",
    "dqn": "topple.phyre.agents.dqn:Dqn",
    "dqn-o": "topple.phyre.agents.dqn:DqnOnline",
}

#: I-PHYRE, likewise.
GAME_AGENTS: Mapping[str, str] = {
    "random": "topple.iphyre.agents.rand:Random",
    "ppo-i": "topple.iphyre.agents.rl_agents:PpoI",
    "ppo-o": "topple.iphyre.agents.rl_agents:PpoO",
    "ppo-c": "topple.iphyre.agents.rl_agents:PpoC",
    "a2c-i": "topple.iphyre.agents.rl_agents:A2cI",
    "a2c-o": "topple.iphyre.agents.rl_agents:A2cO",
    "a2c-c": "topple.iphyre.agents.rl_agents:A2cC",
    "sac-i": "topple.iphyre.agents.rl_agents:SacI",
    "sac-o": "topple.iphyre.agents.rl_agents:SacO",
    "sac-c": "topple.iphyre.agents.rl_agents:SacC",
    "ddpg-i": "topple.iphyre.agents.rl_agents:DdpgI",
    "dqn-o": "topple.iphyre.agents.rl_agents:DqnO",
    "llm": "topple.llm.iphyre.agent:IphyreLlm",
    "fusion-global": "topple.iphyre.agents.fusion:Fusion",
    "fusion-object": "topple.iphyre.agents.fusion:ObjectFusionAgent",
    "fusion-vision": "topple.iphyre.agents.fusion:VisionFusionAgent",
    "fusion-attention": "topple.iphyre.agents.attention_fusion:AttentionFusionAgent",
    "world-model-ppo": "topple.iphyre.agents.world_model:WorldModelPpo",
    "world-model-a2c": "topple.iphyre.agents.world_model:WorldModelA2c",
    "world-model-sac": "topple.iphyre.agents.world_model:WorldModelSac",
    "decision-transformer": "topple.iphyre.agents.decision_transformer:DecisionTransformer",
    "planner": "topple.iphyre.agents.planner:Planner",
    "planner-learned": "topple.iphyre.agents.learned_planner:LearnedPlanner",
}

#: What an agent may need beside the package -> the extra that brings it.
_EXTRAS: Mapping[str, str] = {"torch": "agents", "stable_baselines3": "agents"}
_KINDS: Mapping[type, str] = {
    bool: "a truth value",
    int: "a whole number",
    float: "a number",
    str: "a word",
}


def create_agent(name: str, settings: Mapping[str, object] | None = None) -> Agent:
    """A fresh agent of PHYRE.

    Args:
        name: one of ``AGENTS``, or "module:Class" of any class that is an agent, in a module that
            is installed or lies in the current folder.
        settings: arguments of the class.

    Raises:
        LookupError: There is no such agent.
        ValueError: The agent has no such setting.
    """
    return cast(Agent, _create(AGENTS, name, settings or {}))


def create_game_agent(name: str, settings: Mapping[str, object] | None = None) -> GameAgent:
    """A fresh agent of I-PHYRE, from ``GAME_AGENTS``; otherwise like :func:`create_agent`."""
    return cast("GameAgent", _create(GAME_AGENTS, name, settings or {}))


def _create(agents: Mapping[str, str], name: str, settings: Mapping[str, object]) -> object:
    target = agents.get(name, name)
    module_name, separator, class_name = target.partition(":")
    if not separator:
        near = difflib.get_close_matches(name, agents, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(agents)}."
        raise LookupError(f"unknown agent {name!r}: {hint} Or give 'module:Class' of your own")
    if name not in agents and "" not in sys.path:
        sys.path.append("")  # your own may lie in the folder you are in, also for a command
    try:
        made = getattr(import_module(module_name), class_name)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "")
        if extra is None:
            raise LookupError(f"agent {name!r} cannot be loaded: {error}") from error
        raise LookupError(
            f"agent {name!r} needs {error.name}: pip install 'topple[{extra}]'"
        ) from None
    except (ImportError, AttributeError) as error:
        raise LookupError(f"agent {name!r} cannot be loaded: {error}") from error
    if dataclasses.is_dataclass(made):
        known = {field.name: field.default for field in dataclasses.fields(made) if field.init}
        for setting, value in settings.items():
            if setting not in known:
                raise ValueError(
                    f"agent {name!r} has no setting {setting!r}: "
                    f"it has {', '.join(known) or 'none'}"
                )
            _check_kind(name, setting, value, known[setting])
    return cast(Any, made)(**settings)


def _check_kind(name: str, setting: str, value: object, default: object) -> None:
    """Refuse a value of another kind than the default; a float may be given as an int."""
    kind = type(default)
    if kind not in _KINDS or type(value) is kind or (kind is float and type(value) is int):
        return
    raise ValueError(
        f"setting {setting!r} of agent {name!r} is {value!r}; it has to be {_KINDS[kind]}, "
        f"such as {default!r}"
    )
