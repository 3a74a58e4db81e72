"""Scenes of four kinds of bodies out of eight, for asking what a model makes of new combinations.

The seventy combinations are those of *How Far is Video Generation from World Model* (phyworld),
in the order of its templates, of which it holds the last ten out. Sizes and places are drawn
here, from a seed, so that no two bodies' boxes overlap: the scenes are not its scenes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from topple.datasets.sample import generator
from topple.datasets.spec import SpecError
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.scene import Scene

BODIES = 4  # of a scene
SCENES = 100  # of a combination
_ORDER_SEED = 4  # of phyworld's templates
_TRIES = 200  # at placing a body
_GAP = 2.0  # pixels between boxes


def _ball(s: SceneBuilder, rng: np.random.Generator, dynamic: bool = True) -> list[BodyDraft]:
    return [(s.dynamic if dynamic else s.static).ball(float(rng.uniform(0.06, 0.16)))]


def _static_ball(s: SceneBuilder, rng: np.random.Generator) -> list[BodyDraft]:
    return _ball(s, rng, dynamic=False)


def _bar(s: SceneBuilder, rng: np.random.Generator) -> list[BodyDraft]:
    return [s.dynamic.bar(float(rng.uniform(0.1, 0.3)), angle=float(rng.uniform(-60, 60)))]


def _standing_bars(s: SceneBuilder, rng: np.random.Generator) -> list[BodyDraft]:
    return [s.dynamic.bar(float(rng.uniform(0.1, 0.3)), angle=90.0, bottom=0.0) for _ in range(2)]


def _static_bar(s: SceneBuilder, rng: np.random.Generator) -> list[BodyDraft]:
    return [s.static.bar(float(rng.uniform(0.15, 0.4)), angle=float(rng.uniform(-30, 30)))]


def _jar(s: SceneBuilder, rng: np.random.Generator) -> list[BodyDraft]:
    return [s.dynamic.jar(float(rng.uniform(0.15, 0.3)), bottom=0.0)]


def _sticks(s: SceneBuilder, rng: np.random.Generator) -> list[BodyDraft]:
    return [s.dynamic.standing_sticks(float(rng.uniform(0.15, 0.3)), bottom=0.0)]


#: The kinds of bodies, in phyworld's order; its two balls are two kinds.
KINDS: dict[str, Callable[[SceneBuilder, np.random.Generator], list[BodyDraft]]] = {
    "ball": _ball,
    "second ball": _ball,
    "static ball": _static_ball,
    "bar": _bar,
    "standing bars": _standing_bars,
    "static bar": _static_bar,
    "jar": _jar,
    "standing sticks": _sticks,
}


def kind_combinations() -> list[tuple[str, ...]]:
    """The seventy combinations, in the order of phyworld's templates."""
    found = list(combinations(KINDS, BODIES))
    random.Random(_ORDER_SEED).shuffle(found)
    return found


def combination_tasks(text: str, seed: int) -> Iterator[Scene]:
    """The scenes of some combinations, named such as ``combination-07:012``.

    Args:
        text: numbers of combinations: one, or the first and last such as ``0-59``.
        seed: of sizes and places.

    Raises:
        SpecError: There is no such combination.
    """
    every = kind_combinations()
    first, _, last = text.partition("-")
    if not first.isdigit() or not (last or first).isdigit() or int(last or first) >= len(every):
        raise SpecError(
            f"'combinations:{text}' names none; use numbers from 0 to {len(every) - 1}, "
            "such as combinations:0-59"
        )
    for number in range(int(first), int(last or first) + 1):
        for scene in range(SCENES):
            yield combination_scene(every[number], f"combination-{number:02d}:{scene:03d}", seed)


def combination_scene(kinds: tuple[str, ...], name: str, seed: int) -> Scene:
    """A scene with these kinds of bodies; the first that moves has to touch another."""
    rng = generator(seed, name)
    while True:
        s = SceneBuilder(name.split(":")[0], {})
        bodies = [body for kind in kinds for body in KINDS[kind](s, rng)]
        if all(_placed(body, bodies[:k], rng) for k, body in enumerate(bodies)):
            break
    first = next(body for body in bodies if body.dynamic)
    others = [body for body in bodies if body is not first]
    s.goal(first, others[int(rng.integers(len(others)))])
    return s.finish(name)[0]


def _placed(body: BodyDraft, others: list[BodyDraft], rng: np.random.Generator) -> bool:
    """Find a free place for a body: anywhere, or along the floor for what stands on it."""
    stands = body.bottom == 0.0
    for _ in range(_TRIES):
        body.place(left=float(rng.uniform(0, W - body.width)))
        if not stands:
            body.place(bottom=float(rng.uniform(0, H - body.height)))
        if all(_apart(body, other) for other in others):
            return True
    return False


def _apart(one: BodyDraft, other: BodyDraft) -> bool:
    return (
        one.right + _GAP < other.left
        or other.right + _GAP < one.left
        or one.top + _GAP < other.bottom
        or other.top + _GAP < one.bottom
    )
