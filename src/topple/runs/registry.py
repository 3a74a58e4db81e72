"""Agents by name. Nothing is imported until an agent is made."""

from __future__ import annotations

import dataclasses
import difflib
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from topple.runs.agent import Agent, Learner
from topple.runs.benchmark import find_benchmark

#: A module that an agent may need -> the extra that installs it.
_EXTRAS: Mapping[str, str] = {"torch": "agents", "stable_baselines3": "agents"}
_KINDS: Mapping[type, str] = {
    bool: "a truth value",
    int: "a whole number",
    float: "a number",
    str: "a word",
}


def create_agent(
    benchmark: str, name: str, settings: Mapping[str, object] | None = None
) -> Agent[Any, Any]:
    """Make a fresh agent.

    Args:
        benchmark: "phyre" or "iphyre".
        name: a name that the benchmark registers, or "module:Class" of any class that follows
            the agent protocol, in a module that is installed or lies in the current folder.
        settings: arguments of the class.

    Raises:
        LookupError: There is no such agent.
        ValueError: The agent has no such setting.
    """
    made = _find_class(find_benchmark(benchmark).agents, name)
    if not callable(made):
        raise LookupError(f"agent {name!r} is not a class; give 'module:Class' of your own")
    settings = settings or {}
    if dataclasses.is_dataclass(made):
        known = {field.name: field.default for field in dataclasses.fields(made) if field.init}
        for setting, value in settings.items():
            if setting not in known:
                raise ValueError(
                    f"agent {name!r} has no setting {setting!r}: "
                    f"it has {', '.join(known) or 'none'}"
                )
            _check_kind(name, setting, value, known[setting])
    return cast("Agent[Any, Any]", made(**settings))


def create_learner(
    benchmark: str, name: str, settings: Mapping[str, object] | None = None
) -> Learner[Any, Any]:
    """Make a fresh agent that can be trained with checkpoints.

    Raises:
        LookupError: There is no such agent.
        ValueError: The agent has no training of its own, or no such setting.
    """
    agent = create_agent(benchmark, name, settings)
    if not isinstance(agent, Learner):
        raise ValueError(f"agent {name!r} needs no training beforehand; use `topple evaluate`")
    return agent


def _find_class(agents: Mapping[str, str], name: str) -> Any:
    target = agents.get(name, name)
    module_name, separator, class_name = target.partition(":")
    if not separator:
        near = difflib.get_close_matches(name, agents, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(agents)}."
        raise LookupError(f"unknown agent {name!r}: {hint} Or give 'module:Class' of your own")
    if name not in agents and "" not in sys.path:
        sys.path.append("")  # so that a command finds a module in the current folder
    try:
        return getattr(import_module(module_name), class_name)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "")
        if extra is None:
            raise LookupError(f"agent {name!r} cannot be loaded: {error}") from error
        raise LookupError(
            f"agent {name!r} needs {error.name}: pip install 'topple[{extra}]'"
        ) from None
    except (ImportError, AttributeError) as error:
        raise LookupError(f"agent {name!r} cannot be loaded: {error}") from error


def _check_kind(name: str, setting: str, value: object, default: object) -> None:
    """Refuse a value of another type than the default; a float may be given as an int."""
    kind = type(default)
    if kind not in _KINDS or type(value) is kind or (kind is float and type(value) is int):
        return
    raise ValueError(
        f"setting {setting!r} of agent {name!r} is {value!r}; it has to be {_KINDS[kind]}, "
        f"such as {default!r}"
    )
