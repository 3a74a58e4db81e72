"""Specs: what a data set holds, as a TOML file, a preset or values.

A spec names the benchmark, the tasks of each split, how attempts are drawn, what is kept of
them, and the format. Two equal specs give the same bytes on any machine, with any number of
workers::

    benchmark = "phyre"
    format = "parquet"

    [tasks]
    setup = "ball_within"
    fold = 0

    [actions]
    per_task = 10
    shares = { random = 0.5, solutions = 0.25, near_misses = 0.25 }

    [keep]
    stride = 6
    states = true
"""

from __future__ import annotations

import difflib
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
from topple.phyre.engine.request import MAX_STEPS
from topple.phyre.fold import Setup
from topple.runs.agent import Setting
from topple.runs.benchmark import find_benchmark
from topple.threads import check_count

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SPLITS = ("train", "dev", "test")
#: How attempts may be drawn: see :class:`Actions`.
DRAWS = ("random", "listed", "solutions", "near_misses", "failures", "nothing", "agent")
FORMATS = ("parquet", "arrow", "webdataset", "hdf5", "minari", "rpin", "phyworld", "nff")
PICTURES = ("png", "mp4", "npy")
ARRAYS = ("lists", "bytes")
STRATEGIES = ("on_the_fly", "combined", "in_advance")
_MAX_SIZE = 2048  # pixels; a typo should not fill a disk


class SpecError(ValueError):
    """A spec describes no data set; the message names the field, its value and the fix."""


@dataclass(frozen=True)
class Tasks:
    """The tasks or games of each split: by fold, or by name. No task is in two splits.

    Attributes:
        setup: PHYRE setup, such as ball_within; splits are then the parts of its fold.
        fold: PHYRE fold, from 0 to 9.
        parts: the parts of the fold that become splits.
        train: names of training tasks: PHYRE tiers, templates, tasks, ``combinations:0-59``
            (scenes of four kinds of bodies), or files of your own; I-PHYRE splits, games or files.
        dev: names of tasks to choose settings on.
        test: names of tasks to be tested on.
        limit: at most so many tasks in a split, spread evenly over it.
        variants: I-PHYRE: so many variants of each training game.
        scrambled: so many training tasks or games put together from pieces of the training ones.
    """

    setup: str = ""
    fold: int = 0
    parts: tuple[str, ...] = SPLITS
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    limit: int = 0
    variants: int = 0
    scrambled: int = 0

    def renamed(self, rename: Callable[[str, str], str]) -> Tasks:
        """The same with other names, each made from a split and a name."""
        train, dev, test = (
            tuple(rename(split, name) for name in getattr(self, split)) for split in SPLITS
        )
        return replace(self, train=train, dev=dev, test=test)

    def check(self, benchmark: str) -> None:
        """Refuse what names no tasks."""
        if bool(self.setup) == any((self.train, self.dev, self.test)):
            raise SpecError(
                "tasks has to name a setup, such as ball_within, or tasks of train, dev or test, "
                "and not both"
            )
        if self.setup:
            if benchmark != "phyre":
                raise SpecError(f"tasks.setup is {self.setup!r}, but {benchmark} has no setups")
            Setup.parse(self.setup)
            if not self.parts or set(self.parts) - set(SPLITS):
                raise SpecError(f"tasks.parts is {list(self.parts)}; use some of {SPLITS}")
        if benchmark == "phyre" and self.variants:
            raise SpecError("tasks.variants is for I-PHYRE; leave it out, or use tasks.scrambled")
        for name in ("limit", "variants", "scrambled"):
            check_count(f"tasks.{name}", getattr(self, name), 0)


@dataclass(frozen=True)
class Actions:
    """How the attempts of each task are drawn.

    Attributes:
        per_task: attempts of a task; fewer where there are not enough of a kind.
        shares: the share of each kind of draw. ``random`` draws uniformly among what fits;
            ``listed`` takes the fixed list from its beginning (PHYRE); ``solutions`` and
            ``failures`` draw among what is known to solve the task or not to; ``near_misses``
            takes failures beside solutions; ``nothing`` acts not at all; ``agent`` takes an
            agent's attempts.
        candidates: length of the list, or number of random plans of a game, that solutions and
            failures are taken from.
        keep_invalid: also keep random PHYRE actions that do not fit their task.
        agent: an agent's name, "module:Class" or file, whose attempts are made for ``agent``.
        settings: settings of the agent.
        records: run records, or folders of them, whose attempts are taken for ``agent``.
    """

    per_task: int = 10
    shares: Mapping[str, float] = field(default_factory=lambda: {"random": 1.0})
    candidates: int = 10_000
    keep_invalid: bool = False
    agent: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    records: tuple[str, ...] = ()

    def check(self, benchmark: str) -> None:
        """Refuse shares that are none."""
        check_count("actions.per_task", self.per_task, 1)
        check_count("actions.candidates", self.candidates, 1)
        for name, share in self.shares.items():
            if name not in DRAWS:
                raise SpecError(f"actions.shares has {_meant(name, DRAWS)}")
            if not isinstance(share, (int, float)) or not 0 <= share <= 1:
                raise SpecError(f"actions.shares.{name} is {share!r}; use a number from 0 to 1")
        if not abs(sum(self.shares.values()) - 1) < 1e-6:
            raise SpecError(f"actions.shares add up to {sum(self.shares.values())}; make it 1")
        if self.shares.get("agent") and not (self.agent or self.records):
            raise SpecError("actions.shares.agent needs actions.agent or actions.records")
        if benchmark == "iphyre" and self.shares.get("listed"):
            raise SpecError("actions.shares.listed is for PHYRE; I-PHYRE has no fixed list")

    def counts(self) -> dict[str, int]:
        """How many attempts of each kind a task has: shares by largest remainders."""
        exact = {name: share * self.per_task for name, share in self.shares.items() if share}
        counts = {name: int(count) for name, count in exact.items()}
        rest = sorted(exact, key=lambda name: (counts[name] - exact[name], DRAWS.index(name)))
        for name in rest[: self.per_task - sum(counts.values())]:
            counts[name] += 1
        return {name: counts[name] for name in DRAWS if counts.get(name)}


@dataclass(frozen=True)
class Keep:
    """What is kept of an attempt, beside its task, action and outcome.

    Pictures have their first row on top, like image files.

    Attributes:
        stride: steps or ticks between two frames.
        max_steps: PHYRE: steps of an attempt that is not solved.
        hz: I-PHYRE: ticks a second, 60 or 10.
        states: x, y, angle and velocities of every body.
        features: PHYRE's 14 object features, or I-PHYRE's object table of 9 columns.
        codes: PHYRE's pictures of 256 pixels in colour codes.
        rgb: width of RGB pictures in pixels; 0 keeps none.
        background: PHYRE: "white", or "black" with white in place of black, for RGB.
        masks: width of pictures with the number of the body at each pixel, from 1; 0 keeps none.
        contacts: PHYRE's contact events.
        text: the goal and the scene in words.
        after_solved: PHYRE: go on to max_steps after the goal is reached.
    """

    stride: int = 6
    max_steps: int = MAX_STEPS
    hz: int = 60
    states: bool = False
    features: bool = False
    codes: bool = False
    rgb: int = 0
    background: str = "white"
    masks: int = 0
    contacts: bool = False
    text: bool = True
    after_solved: bool = False

    def check(self, benchmark: str) -> None:
        """Refuse what cannot be kept."""
        check_count("keep.stride", self.stride, 1)
        check_count("keep.max_steps", self.max_steps, 1, 100_000)
        check_count("keep.rgb", self.rgb, 0, _MAX_SIZE)
        check_count("keep.masks", self.masks, 0, _MAX_SIZE if benchmark == "iphyre" else 256)
        if self.background not in ("white", "black"):
            raise SpecError(f"keep.background is {self.background!r}; use white or black")
        if self.background == "black" and (benchmark == "iphyre" or self.rgb > 256):
            raise SpecError("keep.background is black; that is for PHYRE and up to 256 pixels")
        if self.hz not in (10, 60):
            raise SpecError(f"keep.hz is {self.hz}; I-PHYRE is played at 60 or at 10")
        if benchmark == "iphyre" and (self.codes or self.contacts or self.after_solved):
            raise SpecError("keep.codes, keep.contacts and keep.after_solved are for PHYRE")


@dataclass(frozen=True)
class Spec:
    """What a data set holds.

    Attributes:
        benchmark: "phyre" or "iphyre".
        tasks: the tasks of each split.
        actions: how attempts are drawn.
        keep: what is kept of them.
        format: how files are written, one of ``FORMATS``.
        pictures: WebDataset: how RGB frames are stored, one of ``PICTURES``.
        arrays: Parquet and Arrow: how states and features are stored, one of ``ARRAYS``.
        strategy: Minari: the I-PHYRE environment, one of ``STRATEGIES``.
        shard_size: attempts in a file.
        shuffle: whether the attempts of a split are shuffled over its files.
        seed: seed of all random choices.
        name: what the data set is called.
    """

    benchmark: str = "phyre"
    tasks: Tasks = field(default_factory=lambda: Tasks(setup="ball_within"))
    actions: Actions = field(default_factory=Actions)
    keep: Keep = field(default_factory=Keep)
    format: str = "parquet"
    pictures: str = "png"
    arrays: str = "lists"
    strategy: str = "on_the_fly"
    shard_size: int = 256
    shuffle: bool = True
    seed: int = 0
    name: str = "topple"

    def __post_init__(self) -> None:
        find_benchmark(self.benchmark)
        for name, choices in (
            ("format", FORMATS),
            ("pictures", PICTURES),
            ("arrays", ARRAYS),
            ("strategy", STRATEGIES),
        ):
            if getattr(self, name) not in choices:
                raise SpecError(f"{name} is {_meant(getattr(self, name), choices)}")
        check_count("shard_size", self.shard_size, 1)
        check_count("seed", self.seed, 0, 2**63 - 1)
        if not self.name.replace("_", "").replace("-", "").isalnum():
            raise SpecError(f"name is {self.name!r}; use letters, digits, - and _")
        for part in (self.tasks, self.actions, self.keep):
            part.check(self.benchmark)
        if self.format == "minari" and self.keep.hz != AT_10_HZ.hz:
            raise SpecError("format minari keeps episodes at 10 Hz; set keep.hz = 10")
        if self.format in ("rpin", "phyworld", "nff"):
            self._check_layout()
        needs = {"rpin": "phyre", "phyworld": "phyre", "nff": "iphyre", "minari": "iphyre"}
        if needs.get(self.format, self.benchmark) != self.benchmark:
            raise SpecError(
                f"format {self.format!r} is for {needs[self.format]}, not for {self.benchmark}"
            )

    def _check_layout(self) -> None:
        """Refuse a spec that lacks what other people's code reads."""
        keep, kinds = self.keep, set(self.actions.counts())
        if self.format == "rpin" and not (keep.codes and keep.masks == 256):
            raise SpecError("format rpin needs keep.codes = true and keep.masks = 256")
        if self.format == "phyworld" and not (keep.features and keep.rgb and keep.after_solved):
            raise SpecError("format phyworld needs keep.features, keep.rgb and keep.after_solved")
        if self.format == "nff" and (kinds - {"solutions", "failures"} or keep.hz != AT_60_HZ.hz):
            raise SpecError("format nff needs shares of solutions and failures, and keep.hz = 60")
        if kinds & {"nothing"} or self.actions.keep_invalid:
            raise SpecError(f"format {self.format} has a valid action in every attempt")

    @property
    def by_task(self) -> bool:
        """Whether the format has files for each task, in order, as other people's code has."""
        return self.format in ("rpin", "phyworld", "nff")

    def to_data(self) -> dict[str, Any]:
        """The spec as plain values for JSON and TOML."""
        return dict(_plain(self))

    @property
    def digest(self) -> str:
        """A name for all of its values."""
        text = json.dumps(self.to_data(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def with_values(self, values: Mapping[str, Any]) -> Spec:
        """The spec with other values by their dotted names, such as ``keep.rgb``."""
        data = self.to_data()
        for name, value in values.items():
            place = data
            *parents, last = name.split(".")
            for parent in parents:
                place = place[parent] if isinstance(place.get(parent), dict) else {}
            if last not in place and not (parents and parents[-1] in ("shares", "settings")):
                raise SpecError(f"{name} is no field of a spec; see docs/guides/datasets.md")
            place[last] = value
        return spec_from_data(data)


def spec_from_data(data: Mapping[str, Any]) -> Spec:
    """The spec of plain values.

    Raises:
        SpecError: A field is unknown or has a wrong value.
    """
    return _read(Spec, data, "")


def read_spec(path: Path) -> Spec:
    """The spec of a TOML file; names of files in it are relative to it.

    Raises:
        SpecError: The file is no TOML, or no spec.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: {error}") from None
    try:
        spec = spec_from_data(data)
    except ValueError as error:
        raise SpecError(f"{path}: {error}") from None

    def found(name: str) -> str:
        return str((path.parent / name).resolve())

    records = tuple(map(found, spec.actions.records))
    tasks = spec.tasks.renamed(lambda _, name: found(name) if is_file(name) else name)
    return replace(spec, tasks=tasks, actions=replace(spec.actions, records=records))


def is_file(name: str) -> bool:
    """Whether a name of tasks is that of a file with puzzles of your own."""
    return name.endswith((".py", ".json"))


def parse_values(texts: Iterable[str]) -> dict[str, Any]:
    """Values of fields given as NAME=VALUE, such as ``keep.rgb=128`` or ``tasks.train=["00001"]``.

    A value is written as in TOML; a word needs no quotes.

    Raises:
        SpecError: A text is not of this form.
    """
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise SpecError(f"{text!r} is no value; write NAME=VALUE, such as keep.rgb=128")
        try:
            values[name] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            values[name] = value
    return values


T = TypeVar("T")


def _read(kind: type[T], data: object, where: str) -> T:
    """A dataclass from a table, checked field by field."""
    if not isinstance(data, Mapping):
        raise SpecError(f"{where.rstrip('.')} is {data!r}; it has to be a table")
    hints = get_type_hints(kind)
    names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in data.items():
        if name not in names:
            raise SpecError(f"{where}{_meant(name, names)}")
        values[name] = _value(hints[name], value, f"{where}{name}")
    return kind(**values)


def _value(kind: Any, value: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _read(kind, value, f"{where}.")  # type: ignore[arg-type]
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind is str and isinstance(value, str):
        return value
    if kind == tuple[str, ...] and isinstance(value, (list, tuple)):
        if all(isinstance(word, str) for word in value):
            return tuple(value)
    elif getattr(kind, "__origin__", None) is Mapping and isinstance(value, Mapping):
        return dict(value)
    names = {bool: "true or false", int: "a whole number", str: "a text"}
    wanted = names.get(kind, "a table" if "Mapping" in str(kind) else "a list of texts")
    raise SpecError(f"{where} is {value!r}; it has to be {wanted}")


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in sorted(value.items())}
    return list(value) if isinstance(value, tuple) else value


def _meant(word: str, choices: Any) -> str:
    near = difflib.get_close_matches(word, choices, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(choices)}"
    return f"{word!r}, which is unknown; {hint}"
