"""The runs behind the published tables and figures of PHYRE's baselines.

The number of ranked actions and the weight of online updates are those of the released
experiment scripts, which differ from the 10,000 actions that the paper's text mentions; with them
Table 2 comes out to the digit. Figures 4 and 5 train on train, are scored on dev, and take the
first three folds, like the paper's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import Part, TaskSelection
from topple.runs.spec import AgentSpec

SETUPS = (
    Setup.BALL_CROSS_TEMPLATE,
    Setup.BALL_WITHIN_TEMPLATE,
    Setup.TWO_BALLS_CROSS_TEMPLATE,
    Setup.TWO_BALLS_WITHIN_TEMPLATE,
)

RAND = AgentSpec("rand", "RAND")
MEM = AgentSpec(
    "mem",
    "MEM",
    settings={"actions": 1_000},
    groups={
        Setup.BALL_WITHIN_TEMPLATE.value: {"first_template_only": True},
        Setup.TWO_BALLS_WITHIN_TEMPLATE.value: {"actions": 100_000, "first_template_only": True},
    },
)
MEM_O = AgentSpec(
    "mem-o",
    "MEM-O",
    settings={"actions": 1_000},
    groups={
        Setup.BALL_CROSS_TEMPLATE.value: {"weight": 10.0},
        Setup.BALL_WITHIN_TEMPLATE.value: {"weight": 0.0, "first_template_only": True},
        Setup.TWO_BALLS_CROSS_TEMPLATE.value: {"weight": 1.0},
        Setup.TWO_BALLS_WITHIN_TEMPLATE.value: {
            "actions": 100_000,
            "weight": 0.0,
            "first_template_only": True,
        },
    },
)
#: MEM within template on all 25 templates, 24 of which the published row leaves out.
MEM_CORRECTED = AgentSpec(
    "mem",
    "MEM",
    "all templates",
    settings={"actions": 1_000},
    groups={Setup.BALL_WITHIN_TEMPLATE.value: {}, Setup.TWO_BALLS_WITHIN_TEMPLATE.value: {}},
    only_groups=True,
    published=False,
)

#: By the names of the command line.
ROWS: Mapping[str, AgentSpec] = {
    "rand": RAND,
    "mem": MEM,
    "mem-o": MEM_O,
    "mem-corrected": MEM_CORRECTED,
}

DEV_FOLDS = (0, 1, 2)
RANKED_ACTIONS = (10, 100, 1_000)  # the paper goes on to 10,000 and 100,000
UPDATE_WEIGHTS = (0.0, 0.5, 1.0, 10.0, 100.0, 1_000.0, 10_000.0)
WEIGHED_ACTIONS = 1_000  # ranked by MEM-O while its weight is varied


def row_configs(
    row: AgentSpec, setups: Iterable[Setup] = SETUPS, folds: Iterable[int] = SEEDS
) -> Iterator[PhyreConfig]:
    """The runs of a row, setup by setup."""
    chosen = [each for each in setups if not row.only_groups or each.value in row.groups]
    for setup, fold in product(chosen, folds):
        yield row.config(TaskSelection(setup, fold))


def ranked_actions_configs(
    setups: Iterable[Setup] = SETUPS,
    folds: Iterable[int] = DEV_FOLDS,
    counts: Iterable[int] = RANKED_ACTIONS,
) -> Iterator[PhyreConfig]:
    """Figure 4: RAND, MEM and OPTIMAL with more and more actions."""
    counts = tuple(counts)
    for setup, fold in product(setups, folds):
        selection = TaskSelection(setup, fold, Part.DEV)
        for count, agent in product(counts, ("mem", "optimal")):
            yield AgentSpec(agent, agent.upper(), settings={"actions": count}).config(selection)
        for count in sorted({min(count, MAX_ATTEMPTS) for count in counts}):
            yield RAND.config(selection, attempts=count)


def update_weight_configs(
    setups: Iterable[Setup] = SETUPS,
    folds: Iterable[int] = DEV_FOLDS,
    weights: Iterable[float] = UPDATE_WEIGHTS,
) -> Iterator[PhyreConfig]:
    """Figure 5: MEM-O with more and more weight on its attempts on scored tasks."""
    spec = AgentSpec("mem-o", "MEM-O", settings={"actions": WEIGHED_ACTIONS})
    for setup, fold, weight in product(setups, folds, weights):
        yield spec.config(TaskSelection(setup, fold, Part.DEV), {"weight": weight})
