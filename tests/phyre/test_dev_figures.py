"""Figures 4, 5 and 6: which records they are drawn from."""

from __future__ import annotations

import re

import numpy as np
import pytest

from topple.phyre import TaskId
from topple.phyre.dev_figures import (
    VARIANTS,
    ablation_scores,
    dev_figures,
    draw_study,
    study_named,
    study_points,
)
from topple.phyre.fold import Setup
from topple.phyre.report import report_section
from topple.phyre.results import PhyreRecord, TaskResults
from topple.phyre.selection import Part, TaskSelection
from topple.reports.html import report_page
from topple.runs import RunConfig, RunRecord
from topple.runs.agent import Setting

SETUP = Setup.BALL_WITHIN_TEMPLATE
TASKS = (TaskId("00000", 0), TaskId("00000", 1))


def record(
    label: str,
    candidates: int | None = 10,
    first_solved: tuple[int, int] = (1, 0),
    fold: int = 0,
    part: Part = Part.DEV,
    learning: str = "offline",
    variant: str = "",
    **settings: Setting,
) -> PhyreRecord:
    selection = TaskSelection(SETUP, fold, part)
    config = RunConfig(label.lower(), selection, settings, label=label, variant=variant)
    protocol = {
        "learning": learning,
        "candidates": candidates,
        "privileged": False,
        "oracle_ceiling": None,
    }
    solved = np.array(first_solved, np.int64)
    return RunRecord(config, {"engine": "e"}, protocol, TaskResults(TASKS, solved))


def test_agents_lie_where_they_ranked_not_where_they_learned() -> None:
    records = [
        record("DQN", 10, actions=100_000),
        record("DQN", 1_000, (1, 1), actions=100_000),
        record("DQN", 1_000, (0, 0), fold=1, actions=100_000),
        record("DQN", 1_000, (0, 0), part=Part.TEST),  # no test result
        record("DQN", 1_000, (0, 0), min_distance=0.1),  # a study of its own
        record("DQN-O", 1_000, (0, 0), learning="online"),
        record("RAND", None),
    ]
    points = study_points(records, study_named("figure4"))
    assert points == {
        (SETUP.value, "DQN"): {10.0: [50.0], 1_000.0: [100.0, 0.0]},
        (SETUP.value, "RAND"): {100.0: [50.0]},
    }


def test_online_updates_and_distances_have_their_own_figures() -> None:
    records = [
        record("DQN-O", online_updates=0),
        record("DQN-O", learning="online", online_updates=5),
        record("DQN", online_updates=0, min_distance=0.0),
        record("DQN", online_updates=0, min_distance=0.1),
        record("DQN", 500, (0, 0), online_updates=0, min_distance=0.0),  # ranked more actions
        record("MEM-O", learning="online", weight=10.0),
    ]
    online = study_points(records, study_named("figure5_dqn"))
    assert {key: list(line) for key, line in online.items()} == {(SETUP.value, "DQN-O"): [0.0, 5.0]}
    apart = study_points(records, study_named("distance"))
    assert apart == {(SETUP.value, "DQN"): {0.0: [50.0], 0.1: [50.0]}}
    assert draw_study(records, study_named("figure5_mem")) is None  # one point is no line
    titles = [re.sub(":.*", "", title) for title in dev_figures(records)]
    assert titles == ["Figure 4", "Figure 5", "Diversity"]


def test_ablations_are_compared_with_as_many_ranked_actions() -> None:
    records = [
        record("DQN", 10, (0, 0)),
        record("DQN", 1_000, (1, 1)),
        record("DQN", 1_000, variant="NoBalancing"),
        record("DQN", 1_000, (0, 0), fold=1, variant="NoBalancing"),
    ]
    assert ablation_scores(records) == {
        SETUP.value: {"Baseline": [100.0], "NoBalancing": [50.0, 0.0]}
    }
    assert ablation_scores(records[:2]) == {}
    assert len(VARIANTS) == 7


@pytest.mark.parametrize("variant", ["FuseAll", "Act1024x2"])
def test_a_report_shows_what_there_are_records_for(variant: str) -> None:
    page = report_page(
        "title", [report_section([record("DQN"), record("DQN", variant=variant)], 0)]
    )
    assert "Figure 6: ablations of DQN" in page
    assert "Figure 4" not in page
