"""Templates: a grid of parameters and a function that builds a scene from them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pickle import PicklingError
from typing import NamedTuple

from topple.phyre.builder import SceneBuilder, SkippedTuple, TemplateError
from topple.phyre.draft import Context, Value
from topple.phyre.scene import Scene
from topple.phyre.tier import Tier

DEFAULT_SEARCH = 200
ID_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


class Selection(NamedTuple):
    """How the 100 published instances were chosen from a template's numbered ones.

    The choice rests on millions of random actions by the authors of PHYRE. It
    cannot be made again without their statistics, so the numbers chosen are
    package data and this record says what they stand for.
    """

    search: int = DEFAULT_SEARCH  # how many instances were candidates, from number 0
    solvable: bool = False  # keep those with stable solutions, by a binomial test
    not_trivial: bool = False  # drop those that a tenth of all actions solve
    needs_two_balls: bool = False  # drop those with stable solutions of a single ball
    diverse: bool = False  # thin out those that are solved by the same actions


FIRST_HUNDRED = Selection()  # no choice was made


@dataclass(frozen=True, eq=False)
class Template:
    """A family of puzzles: one function, called with each tuple of a grid."""

    id: str
    tier: Tier
    selection: Selection
    grid: Mapping[str, tuple[Value, ...]]  # in the order of the names
    build: Callable[..., None]  # takes a SceneBuilder and the parameters by name
    idea: str  # what the puzzle is about

    def __reduce__(self) -> tuple[Callable[..., Template], tuple[str, ...]]:
        """Pickle a template as the place of its function, which defines it again."""
        code = self.build.__code__
        place = (self.build.__module__, self.build.__name__, code.co_filename)
        try:
            found = _find_again(*place)
        except (ImportError, AttributeError, OSError, TemplateError) as error:
            raise PicklingError(f"template {self.id} cannot be pickled: {error}") from None
        if not isinstance(found, Template) or found.id != self.id:
            raise PicklingError(
                f"template {self.id} cannot be pickled: @template has to stand before a function "
                "of a module, or of a file that load_template reads"
            )
        return _find_again, place

    @property
    def tuple_count(self) -> int:
        """How many tuples the grid has, also those that are skipped."""
        return math.prod(len(values) for values in self.grid.values())

    def parameters(self, tuple_number: int) -> dict[str, Value]:
        """The values of one tuple. The last name varies fastest."""
        if not 0 <= tuple_number < self.tuple_count:
            raise IndexError(
                f"template {self.id} has tuples 0 to {self.tuple_count - 1}, not {tuple_number}"
            )
        chosen: dict[str, Value] = {}
        rest = tuple_number
        for name, values in reversed(list(self.grid.items())):
            rest, index = divmod(rest, len(values))
            chosen[name] = values[index]
        return {name: chosen[name] for name in self.grid}

    def make(self, parameters: Mapping[str, Value], name: str) -> tuple[Scene, str] | None:
        """The scene and its description, or None where the template skips.

        Raises:
            TemplateError: The template breaks a rule, or fails in its own code.
        """
        builder = SceneBuilder(self.id, parameters)
        try:
            self.build(builder, **parameters)
            return builder.finish(name)
        except SkippedTuple:
            return None
        except TemplateError:
            raise
        except Exception as error:
            Context(self.id, parameters).fail(f"{type(error).__name__}: {error}")


def _find_again(module: str, name: str, file: str) -> Template:
    """The template that a module defines, or else a file of the user's own."""
    if module in sys.modules or module.startswith("topple."):
        found: Template = getattr(import_module(module), name)
        return found
    from topple.phyre.own import load_template

    return load_template(file)


def template(
    id: str, tier: Tier, selection: Selection = FIRST_HUNDRED, /, **grid: Sequence[Value]
) -> Callable[[Callable[..., None]], Template]:
    """Make a template of a function that takes a builder and these parameters.

    Args:
        id: The first half of the ids of its tasks: letters, digits, ``-`` and ``_``.
        tier: What the player may place.
        selection: How the published tasks were chosen; leave it out of your own.
        **grid: For each parameter its values, in order.
    """

    def decorate(build: Callable[..., None]) -> Template:
        context = Context(id, {})
        if not ID_PATTERN.fullmatch(id):
            context.fail("an id is made of letters, digits, '-' and '_'")
        code = build.__code__
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        for name in grid:
            if name not in names:
                context.fail(f"unknown parameter {name!r}, the function takes {list(names)}")
            if not grid[name]:
                context.fail(f"parameter {name!r} has no values")
        for name in names:
            if name not in grid:
                context.fail(f"parameter {name!r} of the function has no values in the grid")
        idea = build.__doc__ or build.__globals__.get("__doc__") or ""
        ordered = {name: tuple(grid[name]) for name in sorted(grid)}
        return Template(id, tier, selection, ordered, build, " ".join(idea.split()))

    return decorate


def lin(first: float, last: float, count: int) -> tuple[float, ...]:
    """Evenly spaced values, both ends included; the rounding is the published one."""
    if count == 1:
        return (float(first),)
    step = (last - first) / (count - 1)
    return (*(k * step + first for k in range(count - 1)), float(last))


def multiples(unit: float, first: int, last: int) -> tuple[float, ...]:
    """The products of a unit and the whole numbers from ``first`` to ``last``."""
    return tuple(unit * k for k in range(first, last + 1))


def only_template(names: Mapping[str, object], where: str) -> Template:
    """The one template among the names of a module."""
    found = {name: value for name, value in names.items() if isinstance(value, Template)}
    if len(found) != 1:
        listed = ", ".join(sorted(found)) or "none"
        raise TemplateError(f"{where}: a file holds one function with @template, found {listed}")
    return next(iter(found.values()))
