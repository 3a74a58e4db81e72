"""Tables of the scores of runs, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from topple.cli.llm import LlmRun, account_table
from topple.cli.output import Cell, Output, rich_table
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.tables import column_label
from topple.phyre.results import PhyreRecord
from topple.runs.agent import Kind
from topple.runs.record import RunRecord

ACCOUNT = "accounting"  # in JSON
_CURVE = (1, 10, 100)  # attempts at which the share of solved tasks is shown


def runs_output(records: Iterable[RunRecord[Any, Any]], llm: LlmRun | None = None) -> Output:
    """Return the scores of runs and, for a language model, its requests, tokens and cost."""
    records = list(records)
    tasks = [record for record in records if record.config.benchmark == "phyre"]
    games = [record for record in records if record.config.benchmark == "iphyre"]
    found = [*map(_task_data, tasks), *map(_game_data, games)]
    parts = []
    if tasks:
        rows = [_printed(data) for data in found[: len(tasks)]]
        parts.append(rich_table("PHYRE", tuple(rows[0]), [list(row.values()) for row in rows]))
    if games:
        columns = ("agent", "seed", "split", "games", "best of", "reward", "solved")
        rows_of_games = [row for record in games for row in _game_rows(record)]
        parts.append(rich_table("I-PHYRE", columns, rows_of_games))
    if llm is not None:
        names = [f"fold {each.config.selection.fold}" for each in tasks]
        names += [each.config.title for each in games]
        accounts = [llm.account(each.config) for each in (*tasks, *games)]
        parts.append(account_table(dict(zip(names, accounts, strict=True))))
        for data, account in zip(found, accounts, strict=True):
            data[ACCOUNT] = asdict(account)
    return Output(found, *parts)


def _printed(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a row, with the kind of an agent in its name, for narrow terminals."""
    name = _name(data["agent"], data["kind"])
    return {"agent": name, **{key: data[key] for key in data if key not in ("agent", "kind")}}


def _name(label: str, kind: str) -> str:
    """The label of an agent, with its kind if it may simulate what it is scored on."""
    return f"{label}, {kind}" if kind in (Kind.IMAGINING.value, Kind.ORACLE.value) else label


def _task_data(record: PhyreRecord) -> dict[str, Any]:
    selection, results = record.config.selection, record.results
    place: dict[str, Any] = {"setup": selection.group, "fold": selection.fold}
    count: dict[str, Any] = {"tasks": len(results.tasks)}
    if selection.study:
        place = {"study": selection.study}
        count["missing"] = record.protocol.get("missing_tasks", 0)
    data: dict[str, Any] = {
        "agent": record.config.title,
        "kind": record.kind.value,
        **place,
        **count,
        "AUCCESS": results.auccess,
        **{f"solved@{k}": float(results.curve[k - 1]) for k in _CURVE},
    }
    if record.protocol.get("grid"):
        data["grid's ceiling"] = record.protocol["oracle_ceiling"]["auccess"]
    return data


def _game_data(record: IPhyreRecord) -> dict[str, Any]:
    results, study = record.results, record.config.selection.study
    return {
        "agent": column_label(record),
        "kind": record.kind.value,
        **({"missing": record.protocol.get("missing_tasks", 0)} if study else {}),
        **results.average._asdict(),
        **{f"solved@{k}": results.solved_within(k) for k in _CURVE},
        "splits": {split.value: mean._asdict() for split, mean in results.averages.items()},
        "scores": {game: score._asdict() for game, score in results.scores.items()},
    }


def _game_rows(record: IPhyreRecord) -> list[list[Cell]]:
    config, results = record.config, record.results
    means = {split.value: mean for split, mean in results.averages.items()}
    return [
        [
            _name(column_label(record), record.kind.value),
            config.seed,
            name,
            mean.games,
            config.attempts,
            mean.reward,
            mean.success_rate,
        ]
        for name, mean in {**means, "all": results.average}.items()
    ]
