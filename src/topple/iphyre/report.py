"""The section of a report on I-PHYRE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from topple.iphyre.results import IPhyreRecord
from topple.iphyre.tables import column_label
from topple.reports.html import KINDS, Section, scores_of
from topple.reports.study import StudyRun, group_curves, group_table
from topple.reports.table import Table

#: Words of every report on I-PHYRE.
TERMS = {
    "reward": "1000 for getting every ball out of a scene, less 1 for every second and 10 for "
    "every block removed; a game that is not solved costs 15 seconds.",
    **KINDS,
    "split": "Ten games of a kind. Agents learn from the basic games alone; noisy ones have more "
    "blocks, compositional ones combine two ideas, and multi-ball ones have several balls.",
}


def report_section(records: Sequence[IPhyreRecord]) -> Section:
    """The section of some records."""
    tables = {"games": game_runs_table(records)} if records else {}
    people = [_study_run(record) for record in records if record.config.selection.study]
    figures = {}
    if people:
        figures["Studies: games solved"] = group_curves(people)
        tables["game_studies"] = group_table(people, "mean reward")
    return Section(
        figures,
        tables=tables,
        scores=[scores_of(record) for record in records],
        terms=TERMS if records else {},
    )


def _study_run(record: IPhyreRecord) -> StudyRun:
    results, plays = record.results, range(1, record.config.attempts + 1)
    curve = [results.solved_within(number) for number in plays]
    return StudyRun.of(record, results.average.reward, curve, results.average.games)


def game_runs_table(records: Iterable[IPhyreRecord]) -> Table:
    """Every run with its averages, split by split, kinds of agents apart."""
    rows = []
    for record in sorted(records, key=lambda record: record.kind.place):
        means = {split.value: mean for split, mean in record.results.averages.items()}
        for name, mean in {**means, "all": record.results.average}.items():
            rows.append(
                [
                    column_label(record),
                    record.kind.value,
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
        [
            "agent",
            "kind",
            "strategy",
            "Hz",
            "split",
            "games",
            "reward",
            "solved, per cent",
            "plays",
        ],
        rows,
        "The best play of each game counts.",
    )
