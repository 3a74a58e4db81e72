"""The README: one screen, and the results in it are those of the records."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topple.iphyre import PUBLISHED, average, plan_from_ticks, play
from topple.iphyre.agents.rand import paper_games, play_random
from topple.iphyre.analysis.oracle import read_plans
from topple.iphyre.published import IPHYRE_ORACLE, iphyre_table_a4_means
from topple.iphyre.tables import column_label
from topple.phyre import Setup, Tier
from topple.phyre.auccess import auccess
from topple.phyre.fold import Split
from topple.phyre.published import published_folds
from topple.phyre.selection import Part
from topple.runs import find_records

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES = {game.name for game in PUBLISHED}
WITHIN = Setup.BALL_WITHIN_TEMPLATE
MEANS = iphyre_table_a4_means()


def golden(name: str) -> Any:
    return json.loads((ROOT / "tests" / "golden" / name).read_text())


def cells(start: str) -> list[str]:
    """What a row of the results says: ours, and published."""
    [row] = re.findall(rf"^\| {re.escape(start)}.*? \| (.*?) \|$", TEXT, re.MULTILINE)
    return [cell.strip() for cell in row.split("|")]


def test_it_is_one_screen() -> None:
    assert len(TEXT.splitlines()) <= 85
    assert (ROOT / "docs" / "images" / "both.gif").stat().st_size < 600_000


def test_mem_is_that_of_the_stored_runs() -> None:
    folds = golden("phyre_table2.json")["runs"]["MEM (all templates)"][WITHIN.value]
    ours = np.mean([auccess(list(bytes.fromhex(text))) for text in folds.values()])
    printed = published_folds("MEM", WITHIN)
    assert printed is not None
    assert cells("MEM, one ball") == [f"{100 * ours:.1f}", f"{100 * np.mean(printed):.1f}"]


@pytest.mark.parametrize(("row", "tier"), [("one ball", Tier.BALL), ("two balls", Tier.TWO_BALLS)])
def test_dqn_is_that_of_the_records(row: str, tier: Tier) -> None:
    ours = {
        record.config.selection.setup: record.results.auccess
        for record in find_records(ROOT / "results" / "phyre")
        if (record.config.agent, record.config.selection.fold) == ("dqn", 0)
        and (record.config.selection.tier, record.config.selection.part) == (tier, Part.TEST)
    }
    setups = sorted(ours, key=lambda setup: setup.split is Split.CROSS_TEMPLATE)  # within first
    printed = [published_folds("DQN", setup) for setup in setups]
    assert cells(f"DQN, {row}") == [
        ", ".join(f"{100 * ours[setup]:.1f}" for setup in setups),
        ", ".join(f"{100 * folds[0]:.1f}" for folds in printed if folds),
    ]


def test_imagining_is_that_of_the_records() -> None:
    found: dict[Split, list[float]] = {}
    for record in find_records(ROOT / "results" / "phyre"):
        selection, variant = record.config.selection, record.config.variant
        if (record.config.agent, variant, selection.tier) == ("imagine", "coarse", Tier.BALL):
            found.setdefault(selection.setup.split, []).append(100 * record.results.auccess)
    means = [np.mean(found[split]) for split in (Split.WITHIN_TEMPLATE, Split.CROSS_TEMPLATE)]
    assert cells("[IMAGINE]") == [", ".join(f"{mean:.1f}" for mean in means), ""]


def test_neighbours_are_those_of_the_records() -> None:
    found: dict[str, list[float]] = {"neighbours": [], "neighbours-o": []}
    for record in find_records(ROOT / "results" / "phyre"):
        if record.config.agent in found and record.config.selection.tier is Tier.BALL:
            found[record.config.agent].append(100 * record.results.auccess)
    assert {len(folds) for folds in found.values()} == {10}
    online = published_folds("DQN-O", Setup.BALL_CROSS_TEMPLATE)
    assert online is not None
    printed = f"86.2, {100 * np.mean(online):.1f}"  # the first is of no paper reproduced here
    means = ", ".join(f"{np.mean(folds):.1f}" for folds in found.values())
    assert cells("[NEIGHBOURS]") == [means, printed]


def test_games_are_those_of_the_records() -> None:
    played = {name: state.score for name, state in play_random(paper_games()).items()}
    chance = average({name: played[name] for name in NAMES}).reward
    assert cells("Random") == [f"{chance:.2f}", f"{MEANS['Random']:.2f}"]
    rewards = defaultdict(list)  # of each seed
    for record in find_records(ROOT / "results" / "iphyre"):
        if column_label(record) in ("PPO-I (tuned)", "SAC-I (tuned)", "fusion-attention"):
            scores = {name: record.results.scores[name] for name in NAMES}
            rewards[column_label(record)].append(average(scores).reward)
    assert {len(seeds) for seeds in rewards.values()} == {3}
    assert cells("PPO-I, SAC-I") == [
        ", ".join(f"{np.mean(rewards[name]):.1f}" for name in ("PPO-I (tuned)", "SAC-I (tuned)")),
        f"{MEANS['PPO-I']:.2f}, {MEANS['SAC-I']:.2f}",
    ]
    own = rewards["fusion-attention"]
    assert cells("[Attention Fusion]") == [f"{np.mean(own):.1f}", f"{MEANS['PPO-I']:.2f}"]
    assert min(own) > max(reward for name, reward in MEANS.items() if name != "Human")


def test_plans_are_the_stored_ones() -> None:
    plans = read_plans(ROOT / "results" / "iphyre" / "oracle.json")
    best = average({g.name: play(g, plan_from_ticks(g, plans[g.name])) for g in PUBLISHED}).reward
    paper = np.mean(list(IPHYRE_ORACLE.values()))
    assert cells("Best plans known") == [f"{best:.1f}", f"{paper:.1f}"]
