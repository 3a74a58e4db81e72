"""Folds: which tasks to learn from and which to be tested on.

PHYRE publishes two setups for each tier. *Within template*, train and test
tasks come from the same 25 templates; *cross template*, the test templates are
new. Seeds 0 to 9 give ten folds of each, always 1,600 train, 400 dev and 500
test tasks.

The published cross-template folds draw their five test templates anew for each
seed, so some templates are tested in five of ten folds and others in none. The
balanced setups beside them cut the 25 templates into five groups of five: seeds
0 to 4 test each group once, seeds 5 to 9 do so again with other groups. Every
template is then tested exactly twice.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from topple.phyre.numbering import published, stable_shuffle
from topple.phyre.task import TaskId
from topple.phyre.tier import TEMPLATES_PER_TIER, Tier

SEEDS = range(10)
TEST_TEMPLATES = 5  # of 25 in a cross-template fold
DEV_TEMPLATES = 4  # of the 20 that are left
TRAIN_SHARE = 0.8  # of a template's tasks, and of train and dev together, within template
BALANCED_ROUND = TEMPLATES_PER_TIER // TEST_TEMPLATES  # folds that test every template once


class Split(Enum):
    """How a setup divides its tasks."""

    WITHIN_TEMPLATE = "within_template"
    CROSS_TEMPLATE = "cross_template"
    CROSS_TEMPLATE_BALANCED = "cross_template_balanced"


class Setup(Enum):
    """A tier and a split; the first four are PHYRE's, under their published names."""

    BALL_WITHIN_TEMPLATE = "ball_within_template"
    BALL_CROSS_TEMPLATE = "ball_cross_template"
    TWO_BALLS_WITHIN_TEMPLATE = "two_balls_within_template"
    TWO_BALLS_CROSS_TEMPLATE = "two_balls_cross_template"
    BALL_CROSS_TEMPLATE_BALANCED = "ball_cross_template_balanced"
    TWO_BALLS_CROSS_TEMPLATE_BALANCED = "two_balls_cross_template_balanced"

    @classmethod
    def parse(cls, text: str) -> Setup:
        """The setup with this name; ``_template`` may be left out."""
        for setup in cls:
            if text in (setup.value, setup.value.replace("_template", "")):
                return setup
        names = ", ".join(setup.value for setup in cls)
        raise ValueError(f"unknown setup {text!r}: use one of {names}")

    @property
    def tier(self) -> Tier:
        """The tier its tasks belong to."""
        return _PARTS[self][0]

    @property
    def split(self) -> Split:
        """How its tasks are divided."""
        return _PARTS[self][1]


_PARTS = {
    Setup.BALL_WITHIN_TEMPLATE: (Tier.BALL, Split.WITHIN_TEMPLATE),
    Setup.BALL_CROSS_TEMPLATE: (Tier.BALL, Split.CROSS_TEMPLATE),
    Setup.TWO_BALLS_WITHIN_TEMPLATE: (Tier.TWO_BALLS, Split.WITHIN_TEMPLATE),
    Setup.TWO_BALLS_CROSS_TEMPLATE: (Tier.TWO_BALLS, Split.CROSS_TEMPLATE),
    Setup.BALL_CROSS_TEMPLATE_BALANCED: (Tier.BALL, Split.CROSS_TEMPLATE_BALANCED),
    Setup.TWO_BALLS_CROSS_TEMPLATE_BALANCED: (Tier.TWO_BALLS, Split.CROSS_TEMPLATE_BALANCED),
}


class Fold(NamedTuple):
    """Task ids to train on, to choose settings on, and to be tested on; each in order."""

    setup: Setup
    seed: int
    train: tuple[TaskId, ...]
    dev: tuple[TaskId, ...]
    test: tuple[TaskId, ...]


def load_fold(setup: Setup, seed: int) -> Fold:
    """The fold of a setup and a seed from 0 to 9.

    Train and dev are disjoint; for test results the published agents use both.
    """
    if seed not in SEEDS:
        raise ValueError(f"folds have seeds {SEEDS[0]} to {SEEDS[-1]}, not {seed}")
    if setup.split is Split.WITHIN_TEMPLATE:
        return _within(setup, seed)
    # PHYRE salts both tiers with the word "ball".
    templates = setup.tier.template_ids
    salt = f"ball_cross_template_half_{seed}"
    if setup.split is Split.CROSS_TEMPLATE:
        order = stable_shuffle(templates, salt)
        known, new = order[:-TEST_TEMPLATES], order[-TEST_TEMPLATES:]
    else:
        round_number, group = divmod(seed, BALANCED_ROUND)
        order = stable_shuffle(templates, f"balanced_cross_template_{round_number}")
        new = order[group * TEST_TEMPLATES : (group + 1) * TEST_TEMPLATES]
        known = sorted(set(templates) - set(new))
    known = stable_shuffle(known, f"dev_{salt}")
    return Fold(
        setup,
        seed,
        train=_tasks(known[:-DEV_TEMPLATES]),
        dev=_tasks(known[-DEV_TEMPLATES:]),
        test=_tasks(new),
    )


def _within(setup: Setup, seed: int) -> Fold:
    """Split every template's tasks, then the training tasks of all of them once more."""
    known: list[TaskId] = []
    test: list[TaskId] = []
    for template_id in setup.tier.template_ids:
        order = stable_shuffle(_tasks([template_id]), f"ball_online_ind_tasks{seed}")
        cut = round(TRAIN_SHARE * len(order))
        known += order[:cut]
        test += order[cut:]
    known = stable_shuffle(known, f"make_dev{seed}")
    cut = int(TRAIN_SHARE * len(known))
    return Fold(
        setup,
        seed,
        train=tuple(sorted(known[:cut])),
        dev=tuple(sorted(known[cut:])),
        test=tuple(sorted(test)),
    )


def _tasks(template_ids: list[str]) -> tuple[TaskId, ...]:
    """The published tasks of some templates, in order."""
    return tuple(
        TaskId(template_id, number)
        for template_id in sorted(template_ids)
        for number in published(template_id).numbers
    )
