"""The design of a study: its file, the puzzles it draws, and the order for each participant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from topple.iphyre.split import split_named
from topple.phyre.fold import Setup, load_fold
from topple.phyre.numbering import stable_shuffle
from topple.phyre.task import template_task_ids, tier_task_ids
from topple.phyre.templates import MODULES
from topple.phyre.tier import Tier
from topple.player.errors import InvalidError, raised_as
from topple.player.models.base import Benchmark, Model
from topple.player.models.studies import (
    MAX_PUZZLES,
    AttentionCheck,
    Block,
    Draw,
    Order,
    Question,
    StudyIn,
)
from topple.player.puzzles import FIND
from topple.player.store import Store
from topple.runs.spec import parse_toml, read_toml

_TABLES: dict[str, type[Model]] = {
    "blocks": Block,
    "before": Question,
    "after": Question,
    "checks": AttentionCheck,
}

T = TypeVar("T")


def read_design(path: Path) -> StudyIn:
    """Read the design of a study from a TOML file.

    ``consent_file`` may name a text file beside it instead of ``consent``.

    Raises:
        ValueError: the file cannot be read, or has a wrong key or value, which is named.
    """
    data = read_toml(path)
    if "consent_file" in data:
        if "consent" in data:
            raise ValueError(f"{path}: give either consent or consent_file")
        data["consent"] = (path.parent / str(data.pop("consent_file"))).read_text("utf-8")
    return _design(data, str(path))


def parse_design(text: str) -> StudyIn:
    """Read the design of a study from TOML.

    Raises:
        InvalidError: it has a wrong key or value, which is named.
    """
    with raised_as(InvalidError, ValueError):
        return _design(parse_toml(text, "the design"), "the design")


def _design(data: dict[str, Any], source: str) -> StudyIn:
    try:
        return StudyIn.model_validate(data)
    except ValidationError as error:
        raise ValueError(f"{source}: {first_fault(error)}") from None


def first_fault(error: ValidationError) -> str:
    """The first wrong value of a design, with the place where it stands and what is wrong."""
    fault = error.errors()[0]
    # The branches of a union, such as "function-after[...]", are no part of the place.
    where = [str(part) for part in fault["loc"] if isinstance(part, int) or part.isidentifier()]
    place, reason = ".".join(where), fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "missing":
        return f"{place} is missing"
    if fault["type"] == "extra_forbidden":
        model = _TABLES.get(str(fault["loc"][0]), StudyIn) if len(fault["loc"]) > 1 else StudyIn
        close = difflib.get_close_matches(where[-1], model.model_fields, n=1)
        return f"there is no key {place!r}" + (f"; did you mean {close[0]!r}?" if close else "")
    if not place or isinstance(fault["input"], dict):
        return reason
    shown = repr(fault["input"])
    return f"{place} is {shown if len(shown) <= 80 else shown[:77] + '...'}: {reason}"


def drawn(store: Store, design: StudyIn) -> StudyIn:
    """The same design with its puzzles listed by name in blocks.

    Raises:
        InvalidError: there are none or too many, one occurs twice, or a word names no puzzles.
        NotFoundError: a puzzle is unknown.
    """
    asked = design.blocks or [Block(**design.model_dump(include=set(Draw.model_fields)))]
    blocks = []
    for number, block in enumerate(asked):
        salt = f"study {design.seed}" + (f" block {number}" if number else "")
        names = _draw(design.benchmark, block, salt)
        if not names:
            raise InvalidError(f"blocks.{number} has no puzzles; give it puzzles or pools")
        listed = {"puzzles": names, "pools": [], "count": None, "shuffle": False}
        blocks.append(block.model_copy(update=listed))
    every = [*design.practice, *(name for block in blocks for name in block.puzzles)]
    if len(every) > MAX_PUZZLES:
        raise InvalidError(f"a study has at most {MAX_PUZZLES} puzzles; this one has {len(every)}")
    if twice := [name for name in dict.fromkeys(every) if every.count(name) > 1]:
        raise InvalidError(f"{twice[0]!r} occurs twice, in practice or in blocks; list it once")
    for name in every:
        FIND[design.benchmark](store, name)
    count = len(every) - len(design.practice)
    for check in design.checks:
        if check.after > count:
            raise InvalidError(
                f"check {check.id!r} comes after {check.after} puzzles, but only {count} count"
            )
    return design.model_copy(update={"puzzles": [], "pools": [], "count": None, "blocks": blocks})


def _draw(benchmark: Benchmark, wanted: Draw, salt: str) -> list[str]:
    with raised_as(InvalidError, ValueError):
        drawn_names = [name for word in wanted.pools for name in _pool(benchmark, word)]
    unique = list(dict.fromkeys([*wanted.puzzles, *drawn_names]))
    return (stable_shuffle(unique, salt) if wanted.shuffle else unique)[: wanted.count]


def _pool(benchmark: Benchmark, word: str) -> list[str]:
    """The puzzles that a word stands for."""
    if benchmark is Benchmark.IPHYRE:
        return [game.name for game in split_named(word).games]
    if word in MODULES:
        return [str(task) for task in template_task_ids(word)]
    if word.lower() in (tier.value for tier in Tier):
        return [str(task) for task in tier_task_ids(Tier.parse(word))]
    setup, slash, fold = word.partition("/")
    if slash and fold.isdecimal():
        return [str(task) for task in load_fold(Setup.parse(setup), int(fold)).test]
    raise ValueError(
        f"{word!r} names no tasks; use 'ball', 'two_balls', a template such as '00001', or a "
        "setup and fold such as 'ball_within/0' for its test tasks"
    )


def latin_square_row(size: int, row: int) -> list[int]:
    """A row of a balanced Latin square, from 0; rows beyond the last begin again.

    In the rows together, every number stands in every place equally often, and every number
    follows every other equally often (Williams 1949). An odd size needs twice as many rows, the
    second half reversed.
    """
    row %= size * (2 if size % 2 else 1)
    first = [0]
    for step in range(1, size):
        first.append((step + 1) // 2 if step % 2 else size - step // 2)
    numbers = [(number + row) % size for number in first]
    return numbers[::-1] if row >= size else numbers


def _ordered(items: Sequence[T], order: Order, number: int, salt: str) -> list[T]:
    if order is Order.LATIN_SQUARE:
        return [items[place] for place in latin_square_row(len(items), number - 1)]
    if order is Order.RANDOM:
        places = stable_shuffle(range(len(items)), f" {salt} participant {number}")
        return [items[place] for place in places]
    return list(items)


def ordered_blocks(design: StudyIn, number: int) -> list[Block]:
    """The blocks of a drawn design, each with its puzzles, in the order of a participant.

    Args:
        design: the design.
        number: the participant's number, from 1.
    """
    salt = f"study {design.seed}"
    return [
        block.model_copy(
            update={
                "puzzles": _ordered(
                    block.puzzles, block.order or design.order, number, f"{salt} {block.name}"
                )
            }
        )
        for block in _ordered(design.blocks, design.block_order, number, f"{salt} blocks")
    ]


def schedule(design: StudyIn, number: int) -> list[str]:
    """The puzzles of a participant in order, practice first."""
    blocks = ordered_blocks(design, number)
    return [*design.practice, *(name for block in blocks for name in block.puzzles)]
