"""Fill the tables of docs/results from the records in results/.

A table stands between the lines ``<!-- table: NAME -->`` and ``<!-- end -->``; NAME is a key of
`TABLES`. ``python website/result_tables.py`` rewrites all of them, and ``--check`` only tells
whether they are up to date.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.cli.iphyre_analyse import JITTERS_MS, oracle_plans
from topple.cli.reproduce_iphyre import ALL_AGENTS, wanted_columns
from topple.iphyre import (
    AT_60_HZ,
    PUBLISHED,
    Average,
    Plan,
    Score,
    Split,
    Strategy,
    average,
    play,
)
from topple.iphyre.agents.classifier_accuracy import CLASSIFIERS
from topple.iphyre.published import (
    IPHYRE_ORACLE,
    IPHYRE_TABLE_A1,
    iphyre_table_a4_means,
)
from topple.iphyre.split import PUBLISHED_SPLITS
from topple.iphyre.tables import (
    Column,
    failure_table,
    game_table,
    published_success,
    summary_table,
    table_a2,
    training_table,
)
from topple.phyre import Setup, Tier, tier_tasks
from topple.phyre.analysis.grid_ceilings import SHIPPED, grid_counts, template_ceilings
from topple.phyre.analysis.solvability import THRESHOLDS, Evidence, Verdict, decide
from topple.phyre.auccess import auccess, success_at
from topple.phyre.dev_figures import VARIANTS, study_named, study_points
from topple.phyre.fold import SEEDS
from topple.phyre.grid import Grid
from topple.phyre.published import published_auccess, published_folds
from topple.phyre.results import PhyreRecord
from topple.phyre.selection import Part
from topple.phyre.yardstick import curves, yardstick_table
from topple.reports.statistics import mean_and_std
from topple.reports.table import Table
from topple.runs.agent import Kind
from topple.runs.record import find_records

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results"
PAGES = ROOT / "docs" / "results"
GOLDEN = ROOT / "tests" / "golden" / "phyre_table2.json"
MARK = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

SETUPS = {
    Setup.BALL_CROSS_TEMPLATE: "one ball, across templates",
    Setup.BALL_WITHIN_TEMPLATE: "one ball, within template",
    Setup.TWO_BALLS_CROSS_TEMPLATE: "two balls, across templates",
    Setup.TWO_BALLS_WITHIN_TEMPLATE: "two balls, within template",
}
SPLITS = {split: split.value.replace("_", "-") for split in PUBLISHED_SPLITS}
RANKED = (10, 100, 1_000, 10_000, 100_000)  # actions in Figure 4
#: As printed for people: reward, games solved, rewards by split.
PEOPLE = ("844.2", "87.6 %", "898.0", "879.2", "798.7", "801.0")
ATTEMPTS = (1, 10, 100)  # at which the share of solved tasks is shown
SOLVED = f"solved within {', '.join(map(str, ATTEMPTS))}"  # the column of these shares

Header = Sequence[str]
Rows = Iterable[Sequence[str]]


# What the tables are made from.


@cache
def _phyre_records() -> tuple[PhyreRecord, ...]:
    return tuple(find_records(RESULTS / "phyre", benchmark="phyre"))


@cache
def _baseline_scores() -> dict[str, dict[Setup, list[float]]]:
    """AUCCESS of every fold for each row of Table 2, from the stored attempts."""
    runs = _read(GOLDEN)["runs"]
    return {
        label: {
            Setup(setup): [auccess(list(bytes.fromhex(folds[str(fold)]))) for fold in SEEDS]
            for setup, folds in setups.items()
        }
        for label, setups in runs.items()
    }


@cache
def _columns() -> tuple[Column, ...]:
    """The agents of I-PHYRE, each with the records of its seeds."""
    return tuple(wanted_columns(ALL_AGENTS, RESULTS / "iphyre"))


def _column(agent: str, variant: str = "", plays: int = 5, hz: int = 10) -> Column:
    wanted = agent, variant, plays, hz
    for column in _columns():
        config = column.records[0].config
        if (config.agent, config.variant, config.attempts, config.selection.hz) == wanted:
            return column
    raise LookupError(f"there are no records of {wanted}")


@cache
def _best_plans() -> dict[str, Plan]:
    return oracle_plans(RESULTS / "iphyre" / "oracle.json", PUBLISHED)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _best_plays(column: Column) -> list[Average]:
    """For each seed, the averages over the best play of each of the forty games."""
    return [_forty(record.results.scores) for record in column.records]


def _first_plays(column: Column) -> list[Average]:
    return [_forty(record.results.passes[0]) for record in column.records]


def _forty(scores: Mapping[str, Score]) -> Average:
    return average({game.name: scores[game.name] for game in PUBLISHED})


# PHYRE.


def _equal_cells() -> tuple[Header, Rows]:
    agents = ("RAND", "MEM", "MEM-O")
    rows = []
    for setup, name in SETUPS.items():
        cells = []
        for agent in agents:
            ours = _baseline_scores()[agent][setup]
            equal = sum(
                f"{score:.4f}" == published_auccess(agent, setup, fold)
                for fold, score in zip(SEEDS, ours, strict=True)
            )
            cells.append(f"{equal} of {len(ours)}")
        rows.append((name, *cells))
    return ("setup", *agents), rows


def _mem_within(tier: Tier) -> tuple[Header, Rows]:
    setup = next(s for s in SETUPS if s.tier is tier and "within" in s.value)
    published = published_folds("MEM", setup)
    assert published is not None
    ours = {label: scores[setup] for label, scores in _baseline_scores().items() if setup in scores}
    first = "MEM, first template only" + ", 100,000 actions" * (tier is Tier.TWO_BALLS)
    rows = [("RAND", ours["RAND"]), ("MEM, published", published), (first, ours["MEM"])]
    rows.append(("MEM, all templates, 1,000 actions", ours["MEM (all templates)"]))
    for actions in (10_000, 100_000):
        found = {
            record.config.selection.fold: record.results.auccess
            for record in _phyre_records()
            if record.config.agent == "mem"
            and record.config.selection.setup is setup
            and record.config.selection.part is Part.TEST
            and record.config.settings["actions"] == actions
        }
        scores = [found[fold] for fold in SEEDS]
        rows.append((f"MEM, all templates, {actions:,} actions", scores))
    return (SETUPS[setup], *map(str, SEEDS), "mean"), [
        (name, *(f"{score:.4f}" for score in scores), _spread([100 * s for s in scores]))
        for name, scores in rows
    ]


def _ranked_actions() -> tuple[Header, Rows]:
    points = study_points(_phyre_records(), study_named("figure4"))
    rows = []
    for setup, name in SETUPS.items():
        for agent in ("OPTIMAL", "DQN", "MEM"):
            line = next(
                (p for (s, label), p in points.items() if s == setup.value and label == agent), None
            )
            if line is not None:
                means = (round(float(np.mean(line[number])), 6) for number in RANKED)
                rows.append((name, agent, *(f"{mean:.1f}" for mean in means)))
    return ("setup", "agent", *(f"{number:,}" for number in RANKED)), rows


def _solvable_tasks() -> tuple[Header, Rows]:
    rows = []
    for tier, name in ((Tier.BALL, "one ball"), (Tier.TWO_BALLS, "two balls")):
        [file] = (RESULTS / "phyre_solvability").glob(f"solvability_{tier.value}_*.json")
        found = [Evidence(**entry) for entry in _read(file)]
        assert len(found) == len(tier_tasks(tier))
        verdicts = [decide(each, THRESHOLDS[tier]) for each in found]
        counts = [verdicts.count(verdict) for verdict in Verdict]
        numbers = (
            len(found),
            *counts,
            sum(each.valid for each in found),
            sum(each.stable for each in found),
            sum(each.stable > 0 for each in found),
        )
        rows.append((name, *(f"{number:,}" for number in numbers)))
    words = {Verdict.OPEN: "undecided"}
    verdicts_shown = (words.get(verdict, verdict.value) for verdict in Verdict)
    found_shown = ("valid attempts", "stable solutions", "tasks with one")
    return ("tier", "tasks", *verdicts_shown, *found_shown), rows


def _learned_from_tasks(record: PhyreRecord) -> bool:
    return bool(record.protocol["training_tasks"])


#: What the supplement of PHYRE changes in DQN, and what that is compared with.
ABLATIONS = tuple(VARIANTS.values())


def _shares(runs: Sequence[npt.NDArray[np.int64]]) -> str:
    """The shares of tasks solved within some numbers of attempts, as means over runs."""
    means = (np.mean([success_at(first, count) for first in runs]) for count in ATTEMPTS)
    return ", ".join(f"{mean:.3f}" for mean in means)


def _dqn_ablations() -> tuple[Header, Rows]:
    """Ablations of DQN that were trained alike, and how far each is from the baseline."""
    scores = {
        record.config.variant: record.results
        for record in _phyre_records()
        if record.config.label == "DQN" and record.config.variant in ABLATIONS
    }
    baseline = scores["Baseline"].auccess
    rows = []
    for variant in (name for name in ABLATIONS if name in scores):
        results = scores[variant]
        difference = 100 * (results.auccess - baseline)
        rows.append(
            (
                variant,
                f"{100 * results.auccess:.1f}",
                "" if variant == "Baseline" else f"{difference:+.1f}",
                _shares([results.first_solved]),
            )
        )
    return ("variant", "AUCCESS", "difference", f"{SOLVED} attempts"), rows


def _learners(*labels: str) -> tuple[Header, Rows]:
    """Learners of PHYRE on test tasks, with what they learned from.

    Left out are those that learned from no task, and ablations.
    """
    rows = []
    for setup, name in SETUPS.items():
        for label in labels:
            for record in _phyre_records():
                config, selection = record.config, record.config.selection
                fold = selection.fold
                wanted = (config.label, selection.setup, selection.part) == (
                    label,
                    setup,
                    Part.TEST,
                )
                if not wanted or fold is None or not _learned_from_tasks(record):
                    continue
                if config.variant in ABLATIONS:
                    continue
                rows.append(
                    (
                        f"{name}, {fold}",
                        ", ".join(filter(None, (label, config.variant))),
                        f"{record.results.auccess:.4f}",
                        "" if config.variant else published_auccess(label, setup, fold) or "",
                        _shares([record.results.first_solved]),
                        f"{config.settings['actions']:,}",
                        f"{config.settings['updates']:,}",
                    )
                )
    header = ("setup, fold", "agent", "AUCCESS", "published", f"{SOLVED} attempts")
    return (*header, "actions per task", "updates"), rows


def _transformer() -> tuple[Header, Rows]:
    header, rows = _learners("Transformer", "Transformer-O", "DQN", "DQN-O")
    measured = {row[0] for row in rows if row[1].startswith("Transformer")}
    return header, [row for row in rows if row[0] in measured]


def _whole_folds(word: str, is_wanted: Callable[[PhyreRecord], bool]) -> tuple[Header, Rows]:
    """Whole folds, by setup and by the variant of the agent, or its label if it has none.

    Args:
        word: what the variants are.
        is_wanted: whether a record is in the table.
    """
    found: dict[tuple[Setup, str], list[PhyreRecord]] = {}
    for record in _phyre_records():
        selection = record.config.selection
        if is_wanted(record) and selection.setup and selection.tasks is None:
            variant = record.config.variant or record.config.label
            found.setdefault((selection.setup, variant), []).append(record)
    rows = []
    for (setup, variant), records in sorted(
        found.items(), key=lambda item: list(SETUPS).index(item[0][0])
    ):
        firsts = [record.results.first_solved for record in records]
        early = [100 * auccess(first, 10) for first in firsts]
        scores = [100 * record.results.auccess for record in records]
        best = [published_folds(agent, setup) for agent in ("DQN", "DQN-O")]
        rows.append(
            (
                SETUPS[setup],
                variant,
                str(len(records)),
                _spread(scores),
                _spread(early),
                _shares(firsts),
                ", ".join(f"{100 * np.mean(folds):.1f}" for folds in best if folds),
            )
        )
    header = ("setup", word, "folds", "AUCCESS", "AUCCESS, 10 attempts")
    return (*header, SOLVED, "published DQN, DQN-O (learned)"), rows


def _gpu_speed(file: str, *columns: str) -> dict[tuple[str, ...], float]:
    """What a benchmark measured on a GPU, by some columns of its results."""
    with (ROOT / "benchmarks" / "results" / file).open(encoding="utf-8") as lines:
        return {
            tuple(row[column] for column in columns): float(row["per_second"])
            for row in csv.DictReader(lines)
            if row["machine"].startswith("NVIDIA")
        }


def _transformer_speed() -> tuple[Header, Rows]:
    speed = _gpu_speed("transformer.csv", "how", "attention")
    kernels = {
        "PyTorch's choice": "PyTorch's choice",
        "cudnn": "cuDNN",
        "efficient": "memory-efficient",
        "math": "plain",
    }
    ways = {
        "one by one": "one by one",
        "graph": "CUDA graph (default)",
        "graph, compiled": "CUDA graph, compiled (`-s compile=true`)",
    }
    return ("updates per second, batch of 4,096", *kernels.values()), [
        (name, *(f"{speed[how, kernel]:.1f}" for kernel in kernels)) for how, name in ways.items()
    ]


def _dqn_speed() -> tuple[Header, Rows]:
    speed = _gpu_speed("dqn.csv", "what", "share")
    names = {
        "eager": "eager",
        "compiled": "compiled (`torch.compile`)",
        "CUDA graph": "CUDA graph (default)",
        "compiled, CUDA graph": "compiled, CUDA graph (`-s compile=true`)",
    }
    return ("updates per second, batch of 64", "an image per attempt", "four attempts per image"), [
        (name, *(f"{speed[f'updates, {what}', share]:.0f}" for share in ("1", "4")))
        for what, name in names.items()
    ]


# I-PHYRE.


def _oracle() -> tuple[Header, Rows]:
    rows = []
    for split in PUBLISHED_SPLITS:
        rewards = [play(game, _best_plans()[game.name]).reward for game in split.games]
        rows.append((SPLITS[split], f"{np.mean(rewards):.2f}", f"{IPHYRE_ORACLE[split]:.2f}"))
    return ("split", "best found", "paper's oracle"), rows


def _timing() -> tuple[Header, Rows]:
    found = {row["game"]: row for row in _read(RESULTS / "iphyre_timing.json")}
    rows = []
    for game in PUBLISHED:
        plan, row = _best_plans()[game.name], found[game.name]
        score = play(game, plan)
        times = {body: f"{tick / AT_60_HZ.hz:.3f}" for tick, body in plan.eliminations}
        rows.append(
            (
                game.name,
                f"{score.reward:.2f}",
                str(score.removed),
                f"{score.ticks / AT_60_HZ.hz:.2f}",
                ", ".join(times.get(body, "never") for body in game.eliminable),
                f"{row['window_ms']:.0f}",
                *(f"{100 * row[f'off_{ms}_ms']:.0f} %" for ms in JITTERS_MS),
            )
        )
    header = ("game", "reward", "removed", "solved at, s", "removal of each gray block, s")
    first, *others = JITTERS_MS
    shifts = (f"off by {first} ms", *(f"{ms} ms" for ms in others))
    return (*header, "narrowest window, ms", *shifts), rows


def _table_a1() -> tuple[Header, Rows]:
    records = [_read(path) for path in sorted((RESULTS / "iphyre_classifiers").glob("*.json"))]
    splits = (*PUBLISHED_SPLITS, Split.UNSEEN_BASIC)
    rows = []
    for name, agent in CLASSIFIERS.items():
        found = [each["accuracy"] for each in records if each["config"]["agent"] == agent]
        ours = [_spread([100 * each[split.value] for each in found]) for split in splits]
        vision = agent == "fusion-vision"
        rows.append((f"{name}{', small transformer' * vision}", *ours))
        theirs = IPHYRE_TABLE_A1[name]
        printed = [f"{theirs[split]:.1f}" if split in theirs else "" for split in splits]
        rows.append((f"published{', with ViT-B/16' * vision}", *printed))
    return ("", *SPLITS.values(), "unseen basic"), rows


#: Agents that learn from data: what a row is called, the agent, and the variant of its settings.
LEARNED = (
    ("`fusion-global`", "fusion-global", ""),
    ("`fusion-object`", "fusion-object", ""),
    ("`fusion-vision`, small transformer", "fusion-vision", ""),
    ("**`fusion-attention`**, our own", "fusion-attention", ""),
    ("the same, failures felt", "fusion-attention", "failures felt"),
    ("the same, plans refined, failures felt", "fusion-attention", "refined, failures felt"),
    ("`decision-transformer`, width 64, two layers", "decision-transformer", ""),
    ("`decision-transformer`, width 128, three layers", "decision-transformer", "full"),
    ("`world-model-ppo`, 60,000 steps", "world-model-ppo", ""),
    ("`world-model-a2c`, 60,000 steps", "world-model-a2c", ""),
    ("`world-model-sac`, 15,000 steps", "world-model-sac", ""),
    ("`world-model-ppo`, 300,000 steps, one seed", "world-model-ppo", "300k"),
    ("`world-model-ppo`, full", "world-model-ppo", "full"),
    ("`world-model-a2c`, full", "world-model-a2c", "full"),
    ("`world-model-sac`, full", "world-model-sac", "full"),
)


def _learned() -> tuple[Header, Rows]:
    rows = []
    for name, agent, variant in LEARNED:
        one, five = (_best_plays(_column(agent, variant, plays)) for plays in (1, 5))
        rows.append((name, *_reward_and_rate(one), *_reward_and_rate(five)))
    imagined = _column("planner-learned")
    one, five = _first_plays(imagined), _best_plays(imagined)
    name = "`planner-learned`, 300 imagined plans"
    rows.append((name, *_reward_and_rate(one), *_reward_and_rate(five)))
    chance = _reward_and_rate(_best_plays(_column("planner", "0 calls")))
    rows.append(("five random plans (`planner` without simulator calls)", "", "", *chance))
    means = iphyre_table_a4_means()
    best = f"{means['PPO-I']:.1f}", f"{100 * published_success('PPO-I'):.1f} %"
    rows.append(("published: PPO-I, the best agent", *best, "", ""))
    rows.append(("published: people", "", "", *PEOPLE[:2]))
    return ("agent", "reward, one play", "solved", "reward, five plays", "solved"), rows


def _planner() -> tuple[Header, Rows]:
    rows = []
    for calls, hz in ((0, 10), (100, 10), (500, 10), (2_000, 10), (2_000, 60)):
        here = _column("planner", f"{calls} calls", hz=hz)
        name = f"{calls:,}{', at 60 Hz, one seed' * (hz == 60)}"
        used = [
            record.protocol["simulator_calls_in_testing"] / len(record.results.scores)
            for record in here.records
        ]
        per_split = (np.mean([m.reward for m in here.means(s)]) for s in PUBLISHED_SPLITS)
        splits = [f"{reward:.1f}" for reward in per_split]
        total = f"{np.mean(used):,.0f}"
        rows.append((name, "5", *_plain(here.means()), *splits, total))
        if calls == 100:
            rows.append((name, "first of them", *_plain(_first_plays(here)), *[""] * 4, total))
    rows.append(("published: people, 60 Hz", "5", *PEOPLE, ""))
    best = [f"{IPHYRE_ORACLE[split]:.1f}" for split in SPLITS]
    rows.append(("published: oracle, 60 Hz", "", "", "100 %", *best, ""))
    return ("calls", "plays", "reward", "solved", *SPLITS.values(), "calls used on a game"), rows


def _iphyre_imagine() -> tuple[Header, Rows]:
    rows = []
    found = [each for each in _columns() if each.noise is not None]
    for column in sorted(found, key=lambda each: each.noise or 0.0):
        splits = [_spread([m.reward for m in column.means(s)]) for s in PUBLISHED_SPLITS]
        noise = f"{column.noise:g}" if column.kind is Kind.IMAGINING else "none: an oracle"
        first, five = _first_plays(column), _best_plays(column)
        rows.append(
            (noise, str(len(column.records)), _plain(first)[1], *_reward_and_rate(five), *splits)
        )
    rows.append(("published: people", "", "", *PEOPLE))
    header = ("noise, px", "seeds", "solved at once", "reward", "solved")
    return (*header, *SPLITS.values()), rows


def _plain(means: Sequence[Average]) -> tuple[str, str]:
    solved = 100 * np.mean([mean.success_rate for mean in means])
    return f"{np.mean([mean.reward for mean in means]):.1f}", f"{solved:.1f} %"


def _reward_and_rate(means: Sequence[Average]) -> tuple[str, str]:
    return _spread([mean.reward for mean in means]), _plain(means)[1]


def _zero_shot() -> Table:
    return _of_kind(Kind.LEARNED)


def _of_kind(kind: Kind) -> Table:
    return summary_table([each for each in _columns() if each.kind is kind])


def _similar_games() -> Table:
    return table_a2([each for each in _columns() if not each.stochastic])


def _failures() -> Table:
    actors = [each for each in _columns() if each.is_learner and not each.stochastic]
    return failure_table(actors, _best_plans())


def _games(strategy: str, variant: str) -> Table:
    """Rewards in every game of the learners of a strategy that have these settings."""
    learners = [each for each in _columns() if each.is_learner and not each.stochastic]
    chosen = [e for e in learners if (e.strategy, e.variant) == (strategy, variant)]
    return game_table("", chosen)


def _spread(values: Sequence[float]) -> str:
    mean, deviation = mean_and_std(values)
    return f"{mean:.1f} ± {deviation:.1f}" if len(values) > 1 else f"{mean:.1f}"


def _grid_ceilings() -> tuple[Header, Rows]:
    """The share of tasks that each grid of the package can solve, by template and in all."""
    tasks = tier_tasks(Tier.BALL)
    grids = sorted(map(Grid.parse, (path.stem for path in SHIPPED.glob("*.json"))), key=_grid_order)
    found = {grid: template_ceilings(tasks, grid_counts(grid, tasks, SHIPPED)) for grid in grids}
    rows = [
        [first.template, *(f"{found[grid][place].solvable:.2f}" for grid in grids)]
        for place, first in enumerate(found[grids[0]])
    ]
    random = [f"{found[grid][-1].random:.3f}" for grid in grids]
    return ["template", *map(str, grids)], [*rows, ["all: AUCCESS of random cells", *random]]


def _grid_order(grid: Grid) -> tuple[bool, int]:
    return grid.deepphy, grid.x


_REMEMBERING = ("neighbours", "neighbours-o", "rehearse")

#: How each table is made.
TABLES: dict[str, Callable[[], Table | tuple[Header, Rows]]] = {
    "phyre/table2": _equal_cells,
    "phyre/mem_within/ball": partial(_mem_within, Tier.BALL),
    "phyre/mem_within/two_balls": partial(_mem_within, Tier.TWO_BALLS),
    "phyre/ranked_actions": _ranked_actions,
    "phyre/adaptive": partial(
        _whole_folds, "agent", lambda record: record.config.agent == "adaptive"
    ),
    "phyre/neighbours": partial(
        _whole_folds, "agent", lambda record: record.config.agent in _REMEMBERING
    ),
    "phyre/solvability": _solvable_tasks,
    "phyre/grids": _grid_ceilings,
    "phyre/dqn": partial(_learners, "DQN", "DQN-O"),
    "phyre/transformer": _transformer,
    "phyre/dqn_ablations": _dqn_ablations,
    "phyre/dqn_speed": _dqn_speed,
    "phyre/transformer_speed": _transformer_speed,
    "phyre/transformer_free": partial(
        _whole_folds,
        "variant",
        lambda record: record.config.agent == "transformer" and not _learned_from_tasks(record),
    ),
    "phyre/imagine": partial(_whole_folds, "mind", lambda record: record.kind is Kind.IMAGINING),
    "phyre/yardstick": lambda: yardstick_table(curves(_phyre_records())),
    "iphyre/oracle": _oracle,
    "iphyre/timing": _timing,
    "iphyre/table_a1": _table_a1,
    "iphyre/learned": _learned,
    "iphyre/planner": _planner,
    "iphyre/imagine": _iphyre_imagine,
    "iphyre/table_a4": _zero_shot,
    "iphyre/searching": partial(_of_kind, Kind.ORACLE),
    "iphyre/training": lambda: training_table(_columns()),
    "iphyre/table_a2": _similar_games,
    "iphyre/failures": _failures,
    **{
        f"iphyre/games/{strategy.value}/{variant or 'published'}": partial(
            _games, strategy.value, variant
        )
        for strategy in Strategy
        for variant in ("", "tuned", *["varied"] * (strategy is Strategy.IN_ADVANCE))
    },
}


def markdown(name: str) -> str:
    """A table without its title and note, which the page gives in its own words."""
    made = TABLES[name]()
    whole = made if isinstance(made, Table) else Table("", made[0], list(made[1]))
    lines = Table("", whole.header, whole.rows).to_markdown().splitlines()
    return "\n".join(lines[2:])


def filled(text: str) -> str:
    """The text of a page with all of its tables made anew."""
    return MARK.sub(lambda found: f"{found[1]}\n{markdown(found[2])}\n\n{found[3]}", text)


def main() -> int:
    """Rewrite the pages, or with --check name those that are out of date."""
    check = "--check" in sys.argv[1:]
    stale = 0
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        fresh = filled(text)
        if fresh != text:
            stale += 1
            print(f"{page.relative_to(ROOT)} {'is out of date' if check else 'was rewritten'}")
            if not check:
                page.write_text(fresh, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
