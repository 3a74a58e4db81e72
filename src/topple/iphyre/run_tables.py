"""Tables of I-PHYRE runs."""

from __future__ import annotations

from collections.abc import Iterable

from topple.reports.table import Table
from topple.runs.game_store import GameRunRecord


def game_runs_table(records: Iterable[GameRunRecord]) -> Table:
    """Every run with its averages, split by split."""
    rows = []
    for record in records:
        means = {split.value: mean for split, mean in record.averages.items()}
        for name, mean in {**means, "all": record.average}.items():
            rows.append(
                [
                    record.config.label,
                    str(record.protocol.get("strategy", "")),
                    str(record.config.hz),
                    name,
                    str(mean.games),
                    f"{mean.reward:.2f}",
                    f"{100 * mean.success_rate:.1f}",
                    str(record.config.plays),
                ]
            )
    return Table(
        "I-PHYRE",
        ["agent", "strategy", "Hz", "split", "games", "reward", "solved, per cent", "plays"],
        rows,
        "The best play of each game counts.",
    )
