"""Scores published for PHYRE, for comparison; nothing is computed from them.

Source: A. Bakhtin, L. van der Maaten, J. Johnson, L. Gustafson and R. Girshick, "PHYRE: A New
Benchmark for Physical Reasoning", NeurIPS 2019, arXiv:1908.05656; Table 1 and, in the
supplement, Table 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from topple.phyre.fold import SEEDS, Setup

SOURCE = "Bakhtin et al. 2019 (arXiv:1908.05656)"

#: Table 2: AUCCESS of folds 0 to 9, as printed.
_TABLE_2: Mapping[Setup, Mapping[str, str]] = {
    Setup.BALL_CROSS_TEMPLATE: {
        "RAND": "0.1178 0.1242 0.1818 0.1242 0.0381 0.2250 0.1173 0.1329 0.0894 0.1460",
        "MEM": "0.2059 0.1656 0.2004 0.2263 0.1159 0.2488 0.1416 0.2467 0.1055 0.1881",
        "MEM-O": "0.2578 0.2551 0.2443 0.2552 0.2327 0.2508 0.1469 0.2801 0.1281 0.2273",
        "DQN": "0.4369 0.3096 0.4305 0.4391 0.2277 0.4440 0.3453 0.3920 0.1898 0.4646",
        "DQN-O": "0.6859 0.4867 0.6671 0.5995 0.4916 0.6560 0.5100 0.6573 0.3733 0.4884",
    },
    Setup.BALL_WITHIN_TEMPLATE: {
        "RAND": "0.1344 0.1401 0.1379 0.1380 0.1275 0.1334 0.1395 0.1430 0.1336 0.1433",
        "MEM": "0.0198 0.0258 0.0230 0.0269 0.0223 0.0286 0.0237 0.0214 0.0223 0.0288",
        "MEM-O": "0.0198 0.0258 0.0230 0.0269 0.0223 0.0286 0.0237 0.0214 0.0223 0.0288",
        "DQN": "0.7682 0.7972 0.7822 0.7586 0.7703 0.7842 0.7801 0.7734 0.7804 0.7687",
        "DQN-O": "0.7682 0.7972 0.7822 0.7586 0.7703 0.7842 0.7801 0.7734 0.7804 0.7687",
    },
    Setup.TWO_BALLS_CROSS_TEMPLATE: {
        "RAND": "0.0517 0.0212 0.0099 0.0442 0.0038 0.0356 0.0178 0.0177 0.0264 0.0275",
        "MEM": "0.0728 0.0289 0.0135 0.0783 0.0090 0.0463 0.0186 0.0387 0.0376 0.0274",
        "MEM-O": "0.0967 0.0371 0.0164 0.0933 0.0094 0.0815 0.0242 0.0451 0.0535 0.0345",
        "DQN": "0.3818 0.1944 0.1072 0.3051 0.0732 0.2703 0.2388 0.2216 0.2528 0.2730",
        "DQN-O": "0.5149 0.2682 0.2596 0.5298 0.2809 0.5313 0.4828 0.3330 0.3581 0.3987",
    },
    Setup.TWO_BALLS_WITHIN_TEMPLATE: {
        "RAND": "0.0271 0.0367 0.0428 0.0301 0.0394 0.0452 0.0336 0.0287 0.0380 0.0335",
        "MEM": "0.0325 0.0336 0.0315 0.0371 0.0304 0.0314 0.0282 0.0320 0.0330 0.0347",
        "MEM-O": "0.0325 0.0336 0.0315 0.0371 0.0304 0.0314 0.0282 0.0320 0.0330 0.0347",
        "DQN": "0.6447 0.6829 0.6747 0.6763 0.6999 0.6700 0.6879 0.6704 0.6877 0.6824",
        "DQN-O": "0.6447 0.6829 0.6747 0.6763 0.6999 0.6700 0.6879 0.6704 0.6877 0.6824",
    },
}


def _by_setup(rows: Mapping[str, str]) -> Mapping[str, Mapping[Setup, str]]:
    """The cells of each agent by setup, in the order of Table 2; a dash is no cell."""
    split = {agent: zip(_TABLE_2, row.split(), strict=True) for agent, row in rows.items()}
    return {
        agent: {setup: cell for setup, cell in row if cell != "-"} for agent, row in split.items()
    }


#: Table 1 (a): mean and standard deviation of AUCCESS over the folds, in per cent, as printed.
#: A dash stands for an online agent that was best without updates.
TABLE_1A = _by_setup(
    {
        "RAND": "13.0±5.0 13.7±0.5 2.6±1.5 3.6±0.6",
        "MEM": "18.5±5.1 2.4±0.3 3.7±2.3 3.2±0.2",
        "MEM-O": "22.8±5.0 - 4.9±3.1 -",
        "DQN": "36.8±9.7 77.6±1.1 23.2±9.1 67.8±1.5",
        "DQN-O": "56.2±10.5 - 39.6±11.1 -",
    }
)

#: Table 1 (b): the same of the percentage of tasks solved within 10 attempts.
TABLE_1B = _by_setup(
    {
        "RAND": "6.8±5.0 7.7±0.8 2.2±1.8 3.2±0.9",
        "MEM": "15.2±5.9 2.7±0.5 1.9±1.6 3.4±0.3",
        "MEM-O": "20.1±5.6 - 3.8±3.2 -",
        "DQN": "34.5±10.2 81.4±1.9 22.4±10.0 74.9±1.7",
        "DQN-O": "58.2±10.9 - 41.6±11.7 -",
    }
)


def published_agents() -> tuple[str, ...]:
    """The agents of Table 2, in its order."""
    return tuple(_TABLE_2[Setup.BALL_CROSS_TEMPLATE])


def published_auccess(agent: str, setup: Setup, fold: int) -> str | None:
    """A cell of Table 2 as printed, four digits; None if the paper has no such cell."""
    row = _TABLE_2.get(setup, {}).get(agent)
    return row.split()[SEEDS.index(fold)] if row else None


def published_folds(agent: str, setup: Setup) -> tuple[float, ...] | None:
    """A row of Table 2 as numbers."""
    row = _TABLE_2.get(setup, {}).get(agent)
    return tuple(map(float, row.split())) if row else None


class PeopleScore(NamedTuple):
    """What people reached."""

    score: float  # AUCCESS in per cent
    deviation: float  # standard deviation over people
    attempts: int  # that count
    people: int
    source: str


#: By setup, as far as it is published.
PEOPLE: Mapping[Setup, PeopleScore] = {
    Setup.BALL_CROSS_TEMPLATE: PeopleScore(36.6, 10.2, 10, 50, "Causal-PIK, ICML 2025"),
}
