"""What runs scored, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from topple.cli.llm_options import LlmRun, show_accounts
from topple.cli.messages import Cell, show, show_json
from topple.runs.game_store import GameRunRecord
from topple.runs.store import RunRecord

ACCOUNT = "accounting"  # in JSON
_CURVE = (1, 10, 100)  # attempts at which the share of solved tasks is told


def show_runs(records: Iterable[RunRecord], as_json: bool, llm: LlmRun | None = None) -> None:
    """Print what runs of PHYRE scored, and what a model took for it."""
    records = list(records)
    columns = ["agent", "setup", "fold", "tasks", "AUCCESS", *(f"solved@{k}" for k in _CURVE)]
    rows: list[list[Cell]] = [
        [
            record.config.label,
            record.config.setup.value,
            record.config.fold,
            len(record.tasks),
            record.auccess,
            *(float(record.curve[k - 1]) for k in _CURVE),
        ]
        for record in records
    ]
    if any(record.protocol.get("grid") for record in records):
        columns.append("grid's ceiling")
        for row, record in zip(rows, records, strict=True):
            row.append(record.protocol["oracle_ceiling"]["auccess"])
    if not as_json or llm is None:
        show("PHYRE", columns, rows, as_json)
        if llm is not None:
            show_accounts(
                {f"fold {each.config.fold}": llm.account(each.config) for each in records}
            )
        return
    show_json(
        [
            {
                **dict(zip(columns, row, strict=True)),
                ACCOUNT: asdict(llm.account(each.config)),
            }
            for row, each in zip(rows, records, strict=True)
        ]
    )


def show_game_runs(
    records: Iterable[GameRunRecord], as_json: bool, llm: LlmRun | None = None
) -> None:
    """Print what runs of I-PHYRE scored, split by split, and what a model took for it."""
    records = list(records)
    if as_json:
        show_json(
            [
                {
                    "agent": record.config.label,
                    **record.average._asdict(),
                    **{f"solved@{k}": record.solved_within(k) for k in _CURVE},
                    "splits": {key.value: mean._asdict() for key, mean in record.averages.items()},
                    "scores": {game: score._asdict() for game, score in record.scores.items()},
                    **({ACCOUNT: asdict(llm.account(record.config))} if llm else {}),
                }
                for record in records
            ]
        )
        return
    rows: list[list[Cell]] = []
    for record in records:
        means = {split.value: mean for split, mean in record.averages.items()}
        for name, mean in {**means, "all": record.average}.items():
            config = record.config
            where: list[Cell] = [config.label, config.seed, name, mean.games, config.plays]
            rows.append([*where, mean.reward, mean.success_rate])
    columns = ("agent", "seed", "split", "games", "best of", "reward", "solved")
    show("I-PHYRE", columns, rows)
    if llm is not None:
        show_accounts({record.config.label: llm.account(record.config) for record in records})
