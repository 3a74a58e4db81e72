"""The section of a report on I-PHYRE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from topple.iphyre.results import IPhyreRecord
from topple.iphyre.tables import column_label
from topple.reports.html import Section, scores_of
from topple.reports.table import Table


def report_section(records: Sequence[IPhyreRecord]) -> Section:
    """The section of some records."""
    tables = {"games": game_runs_table(records)} if records else {}
    return Section(tables=tables, scores=[scores_of(record) for record in records])


def game_runs_table(records: Iterable[IPhyreRecord]) -> Table:
    """Every run with its averages, split by split."""
    rows = []
    for record in records:
        means = {split.value: mean for split, mean in record.results.averages.items()}
        for name, mean in {**means, "all": record.results.average}.items():
            rows.append(
                [
                    column_label(record),
                    str(record.protocol.get("strategy", "")),
                    str(record.config.selection.hz),
                    name,
                    str(mean.games),
                    f"{mean.reward:.2f}",
                    f"{100 * mean.success_rate:.1f}",
                    str(record.config.attempts),
                ]
            )
    return Table(
        "I-PHYRE",
        ["agent", "strategy", "Hz", "split", "games", "reward", "solved, per cent", "plays"],
        rows,
        "The best play of each game counts.",
    )
