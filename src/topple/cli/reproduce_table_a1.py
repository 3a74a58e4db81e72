"""`topple reproduce tableA1`: accuracies of classifiers that predict which plans succeed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli.errors import resumable, user_errors
from topple.cli.options import (
    Json,
    Seeds,
    Settings,
    Smoke,
    agent_names,
    out_folder,
    parse_numbers,
    parse_settings,
)
from topple.cli.output import Cell, show, show_json
from topple.cli.progress import progress_bar
from topple.iphyre.agents.classifier_accuracy import (
    CLASSIFIERS,
    HELD_OUT,
    ClassifierConfig,
    sweep_classifiers,
)
from topple.iphyre.published import IPHYRE_CITATION, IPHYRE_TABLE_A1
from topple.iphyre.split import PUBLISHED_SPLITS, Split
from topple.reports.statistics import mean_and_std

_RESULTS = Path("results") / "iphyre_classifiers"
_SMOKE = {"epochs": 3, "each": 5}
_COLUMNS = (*(split.value for split in PUBLISHED_SPLITS), Split.UNSEEN_BASIC.value)


def table_a1(
    agents: Annotated[
        str, agent_names(f"classifiers: {', '.join(CLASSIFIERS.values())}")
    ] = ",".join(CLASSIFIERS.values()),
    seeds: Seeds = "0,1,2",
    hold_out: Annotated[
        bool,
        typer.Option(
            "--hold-out", help="Train on four fifths of the basic plans and also test on the rest."
        ),
    ] = False,
    setting: Settings = None,
    out: Annotated[Path, out_folder("the results")] = _RESULTS,
    smoke: Smoke = False,
    as_json: Json = False,
) -> None:
    """Reproduce Table A1 of I-PHYRE: accuracies of outcome classifiers in per cent.

    The classifiers are trained on basic games. As published, the accuracy on
    basic games is the training accuracy; --hold-out adds the accuracy on plans
    that were held out. Finished results are not computed again.

    Examples:
      topple reproduce tableA1

      topple reproduce tableA1 --agents fusion-global --seeds 0 --hold-out
    """
    with user_errors(), resumable():
        names = {agent: row for row, agent in CLASSIFIERS.items()}
        chosen = [agent.strip() for agent in agents.split(",")]
        for agent in chosen:
            if agent not in names:
                raise ValueError(f"no classifier is named {agent!r}; use {', '.join(names)}")
        settings = {**(_SMOKE if smoke else {}), **parse_settings(setting)}
        share = HELD_OUT if hold_out else 0.0
        configs = [
            ClassifierConfig(agent, settings, seed, share)
            for agent in chosen
            for seed in parse_numbers(seeds, "seeds")
        ]
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        with progress_bar("classifiers", len(configs)) as bar:

            def start(config: ClassifierConfig) -> Callable[[int, int], None]:
                ready = configs.index(config)
                bar.describe(f"{names[config.agent]}, seed {config.seed}")
                return lambda done, planned: bar.report(ready + done / planned, len(configs))

            for number, result in enumerate(sweep_classifiers(configs, out, start), start=1):
                found[result["config"]["agent"]].append(result)
                bar.report(number, len(configs))
    if as_json:
        show_json([result for agent in chosen for result in found[agent]])
        return
    columns = (*_COLUMNS, "basic_held_out") if hold_out else _COLUMNS
    rows: list[list[Cell]] = []
    for agent in chosen:
        accuracies = [result["accuracy"] for result in found[agent]]
        means = [mean_and_std([100 * each[column] for each in accuracies]) for column in columns]
        rows.append([names[agent], "ours", *(f"{mean:.1f} ± {std:.1f}" for mean, std in means)])
        published = IPHYRE_TABLE_A1[names[agent]]
        printed = {split.value: value for split, value in published.items()}
        rows.append([names[agent], "published", *(printed.get(column) for column in columns)])
    show(f"Table A1 ({IPHYRE_CITATION})", ("classifier", "whose", *columns), rows)
