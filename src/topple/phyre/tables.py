"""The published tables of PHYRE from run records, ours beside theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from topple.phyre.auccess import success_at
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.published import SOURCE, TABLE_1A, TABLE_1B, published_auccess
from topple.phyre.results import PhyreRecord
from topple.phyre.selection import Part
from topple.reports.statistics import (
    CONFIDENCE,
    SIGNIFICANCE,
    bootstrap_interval,
    is_best,
    mean_and_std,
    wilcoxon_greater,
)
from topple.reports.table import Table
from topple.runs.agent import Kind

EARLY_ATTEMPTS = 10  # of Table 1 (b)

Rows = Mapping[tuple[Setup, str], Mapping[int, PhyreRecord]]  # (setup, label) -> fold -> record


class Cell(NamedTuple):
    """One number of Table 2."""

    setup: Setup
    agent: str
    fold: int
    ours: float
    published: str | None  # as printed

    @property
    def equal(self) -> bool:
        """Whether all printed digits agree."""
        return f"{self.ours:.4f}" == self.published


def by_row(records: Iterable[PhyreRecord]) -> Rows:
    """Test results by setup and agent, each with its folds in order, kinds of agents apart.

    Raises:
        ValueError: Two different records are for the same agent and fold.
    """
    rows: dict[tuple[Setup, str], dict[int, PhyreRecord]] = {}
    for record in records:
        config = record.config
        setup, fold = config.selection.setup, config.selection.fold
        if config.selection.part is not Part.TEST or setup is None or fold is None:
            continue
        folds = rows.setdefault((setup, config.title), {})
        earlier = folds.get(fold)
        if earlier is not None:
            same = earlier.results.first_solved == record.results.first_solved
            if earlier.config == config and same.all():
                continue  # the same run, kept in two folders
            raise ValueError(
                f"there are two records of {config.title!r} on {setup.value} fold {fold}; "
                "give runs with different settings different labels"
            )
        folds[fold] = record
    rows = {key: dict(sorted(folds.items())) for key, folds in rows.items()}
    order = list(Setup)
    places = {key: (order.index(key[0]), _kind(folds).place) for key, folds in rows.items()}
    return {key: rows[key] for key in sorted(rows, key=places.__getitem__)}


def _kind(folds: Mapping[int, PhyreRecord]) -> Kind:
    return next(iter(folds.values())).kind


def cells(records: Iterable[PhyreRecord]) -> list[Cell]:
    """Every number of Table 2 that the records answer."""
    return [
        Cell(setup, agent, fold, record.results.auccess, published_auccess(agent, setup, fold))
        for (setup, agent), folds in by_row(records).items()
        for fold, record in folds.items()
    ]


def table2(records: Iterable[PhyreRecord]) -> Table:
    """AUCCESS of every fold, ours beside the published."""
    records = list(records)
    found = cells(records)
    compared = [cell for cell in found if cell.published is not None]
    rows: list[list[str]] = []
    for (setup, agent), folds in by_row(records).items():
        mine = {cell.fold: cell for cell in found if (cell.setup, cell.agent) == (setup, agent)}
        scores = [record.results.auccess for record in folds.values()]
        summary = _summary(scores)
        ours = [f"{mine[fold].ours:.4f}" if fold in mine else "" for fold in SEEDS]
        kind = _kind(folds).value
        rows.append([setup.value, agent, kind, "ours", *ours, *summary])
        theirs = [published_auccess(agent, setup, fold) or "" for fold in SEEDS]
        if any(theirs):
            marks = [
                text if fold not in mine or mine[fold].equal else f"{text} !"
                for fold, text in zip(SEEDS, theirs, strict=True)
            ]
            rows.append([setup.value, agent, kind, "published", *marks, "", "", ""])
    note = ""
    if compared:
        equal = sum(cell.equal for cell in compared)
        note = (
            f"{equal} of {len(compared)} cells equal the published four digits. Source of the "
            f"published values: {SOURCE}."
        )
        if equal < len(compared):
            note += " A published value marked ! differs from ours."
    return Table(
        "Table 2: AUCCESS on each fold",
        [
            "setup",
            "agent",
            "kind",
            "",
            *map(str, SEEDS),
            "mean",
            "std",
            f"{CONFIDENCE:.0%} bootstrap",
        ],
        rows,
        note,
    )


def _summary(scores: Sequence[float]) -> list[str]:
    """Mean, deviation and interval; of one fold, the mean alone."""
    mean, std = mean_and_std(scores)
    if len(scores) < 2:
        return [f"{mean:.4f}", "", ""]
    low, high = bootstrap_interval(scores)
    return [f"{mean:.4f}", f"{std:.4f}", f"{low:.4f}-{high:.4f}"]


def table1(records: Iterable[PhyreRecord]) -> tuple[Table, Table]:
    """Table 1 (a), mean AUCCESS, and (b), success within ten attempts, in per cent.

    A star marks an agent whose AUCCESS is greater than that of every other agent of its kind
    here by the one-sided Wilcoxon test, if all of them have the same folds.
    """
    rows = by_row(records)
    setups = list(dict.fromkeys(setup for setup, _ in rows))
    kinds = {agent: _kind(folds) for (_, agent), folds in rows.items()}
    agents = sorted(kinds, key=lambda agent: kinds[agent].place)
    note = f"Mean and standard deviation over folds. Published: {SOURCE}."
    tables = []
    for title, published, early in (
        ("Table 1 (a): AUCCESS, per cent", TABLE_1A, False),
        (f"Table 1 (b): solved within {EARLY_ATTEMPTS} attempts, per cent", TABLE_1B, True),
    ):
        body = []
        for agent in agents:
            line = [agent, kinds[agent].value]
            for setup in setups:
                line += [
                    _mean_cell(rows, setup, agent, early),
                    published.get(agent, {}).get(setup, ""),
                ]
            body.append(line)
        header = ["agent", "kind"]
        for setup in setups:
            header += [setup.value, "published"]
        star = "" if early else f" *: better than all others of its kind here, p < {SIGNIFICANCE}."
        tables.append(Table(title, header, body, note + star))
    return tables[0], tables[1]


def _mean_cell(rows: Rows, setup: Setup, agent: str, early: bool) -> str:
    folds = rows.get((setup, agent))
    if folds is None:
        return ""
    if early:
        scores = [
            success_at(record.results.first_solved, EARLY_ATTEMPTS) for record in folds.values()
        ]
    else:
        scores = [record.results.auccess for record in folds.values()]
    mean, std = mean_and_std(scores)
    if len(scores) < 2:
        return f"{100 * mean:.1f}"
    others = [
        [record.results.auccess for record in other.values()]
        for (where, name), other in rows.items()
        if where is setup
        and name != agent
        and list(other) == list(folds)
        and _kind(other) is _kind(folds)
    ]
    star = "*" if not early and is_best(scores, others) else ""
    return f"{100 * mean:.1f}±{100 * std:.1f}{star}"


def comparison_table(records: Iterable[PhyreRecord]) -> Table:
    """Every agent against every other, fold by fold."""
    rows = by_row(records)
    lines: list[Sequence[str]] = []
    for (setup, agent), folds in rows.items():
        for (where, other), other_folds in rows.items():
            shared = [fold for fold in folds if fold in other_folds]
            if where is not setup or other == agent or len(shared) < 2:
                continue
            mine = [folds[fold].results.auccess for fold in shared]
            theirs = [other_folds[fold].results.auccess for fold in shared]
            p_value = wilcoxon_greater(mine, theirs)
            gains = [a - b for a, b in zip(mine, theirs, strict=True)]
            low, high = bootstrap_interval(gains)
            lines.append(
                [
                    setup.value,
                    agent,
                    other,
                    str(len(shared)),
                    f"{sum(gains) / len(gains):+.4f}",
                    f"{low:+.4f} to {high:+.4f}",
                    f"{p_value:.4f}",
                    "yes" if p_value < SIGNIFICANCE else "no",
                ]
            )
    return Table(
        "Is one agent better than another?",
        ["setup", "agent", "other", "folds", "mean gain", "bootstrap", "p", "better"],
        lines,
        "One-sided Wilcoxon signed-rank test over paired folds, with the paper's arguments; "
        f"better means p < {SIGNIFICANCE}. The bootstrap interval is of the mean gain.",
    )
