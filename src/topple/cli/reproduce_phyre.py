"""`topple reproduce` for PHYRE: Tables 1 and 2, Figures 3 to 6, and the human yardstick."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from topple.cli.errors import resumable
from topple.cli.groups import App, Flag
from topple.cli.options import (
    Cache,
    Compute,
    Folds,
    Runs,
    RunsArgument,
    Setups,
    agent_names,
    out_folder,
    parse_numbers,
)
from topple.cli.output import Output, results, save_figure
from topple.cli.runner import open_runner, run_all
from topple.cli.select_tasks import parse_setups
from topple.phyre.dev_figures import ablation_scores, draw_study, study_named, study_points
from topple.phyre.figures import bars_figure, study_figure, success_curves
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.report import report_section, runs_table
from topple.phyre.results import PhyreRecord
from topple.phyre.rows import (
    DEV_FOLDS,
    RANKED_ACTIONS,
    ROWS,
    SETUPS,
    ranked_actions_configs,
    row_configs,
    update_weight_configs,
)
from topple.phyre.tables import comparison_table, table1, table2
from topple.phyre.yardstick import curves, yardstick_figure, yardstick_table
from topple.reports.html import write_report
from topple.runs.config import RunConfig
from topple.runs.record import find_records

app = App()

Out = Annotated[Path, out_folder("the figure and its data")]
_ALL_ROWS = ",".join(ROWS)
_ALL_SETUPS = ",".join(setup.value.removesuffix("_template") for setup in SETUPS)
_ALL_FOLDS = ",".join(map(str, SEEDS))
_DEV_FOLDS = ",".join(map(str, DEV_FOLDS))
_RANKED = ",".join(map(str, RANKED_ACTIONS))
_FIGURES = Path("figures")
_QUICK = Path("runs/quick")


@app.command("table2")
@resumable()
def table2_command(
    *,
    agents: Annotated[str, agent_names(f"rows: {', '.join(ROWS)}")] = _ALL_ROWS,
    setups: Setups = _ALL_SETUPS,
    folds: Folds = _ALL_FOLDS,
    runs: Runs = None,
    keep_attempts: Flag = False,
    out: Annotated[Path | None, out_folder("Figure 3. By default, it is not drawn")] = None,
    compute: Compute,
) -> Output:
    """Reproduce Tables 1 and 2 of PHYRE: AUCCESS of every fold beside the published value.

    Options:
        keep_attempts: Store every attempt with the records.

    Examples:
      topple reproduce table2 --agents rand
      topple reproduce table2 --agents mem,mem-o --setups ball_cross_template --ray
    """
    names = [name.strip() for name in agents.split(",")]
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        raise ValueError(f"there is no row {unknown[0]!r}: use {', '.join(ROWS)}")
    wanted = parse_setups(setups), parse_numbers(folds, "folds")
    configs = [config for name in names for config in row_configs(ROWS[name], *wanted)]
    with open_runner(compute) as (runner, bar):
        records = run_all(configs, runner, bar, runs, keep_attempts)
    files: list[Path] = []
    if out is not None:
        files = save_figure(out, "figure3", runs_table(records), success_curves(records))
    return results([table2(records), *table1(records), comparison_table(records)], files)


@dataclass(frozen=True)
class DevFigure:
    """Options of figures of runs on dev tasks.

    Options:
        also: Folder of further run records on dev tasks, such as those of DQN. Can be repeated.
    """

    setups: Setups = _ALL_SETUPS
    folds: Folds = _DEV_FOLDS
    also: list[Path] | None = None
    out: Out = _FIGURES
    runs: Runs = None

    def selection(self) -> tuple[list[Setup], list[int]]:
        """Return the setups and folds."""
        return parse_setups(self.setups), parse_numbers(self.folds, "folds")

    def records(self, configs: Iterable[RunConfig[Any]], compute: Compute) -> list[PhyreRecord]:
        """Return the records of some runs, and the further ones."""
        further = list(
            find_records(*self.also or (), benchmark="phyre")
        )  # first, since a run takes long
        with open_runner(compute) as (runner, bar):
            return [*run_all(configs, runner, bar, self.runs), *further]


@app.command("figure4")
@resumable()
def figure4_command(
    *,
    figure: DevFigure,
    actions: str = _RANKED,
    compute: Compute,
) -> Output:
    """Reproduce Figure 4 of PHYRE: AUCCESS on dev tasks by the number of ranked actions.

    Options:
        actions: Number of ranked actions. Comma-separated numbers draw several points.

    Examples:
      topple reproduce figure4 --setups ball_within_template --actions 10,100,1000,10000
    """
    counts = parse_numbers(actions, "numbers")
    records = figure.records(ranked_actions_configs(*figure.selection(), counts), compute)
    return results([], _save_study(figure.out, "figure4", records))


@app.command("figure5")
@resumable()
def figure5_command(*, figure: DevFigure, compute: Compute) -> Output:
    """Reproduce Figure 5 of PHYRE: AUCCESS on dev tasks by the weight of online updates.

    Examples:
      topple reproduce figure5 --setups ball_cross_template --folds 0
    """
    records = figure.records(update_weight_configs(*figure.selection()), compute)
    files = _save_study(figure.out, "figure5_mem", records)
    if draw_study(records, study_named("figure5_dqn")) is not None:
        files += _save_study(figure.out, "figure5_dqn", records)
    return results([], files)


@app.command("figure6")
def figure6_command(
    runs: RunsArgument,
    out: Out = _FIGURES,
) -> Output:
    """Reproduce Figure 6 of PHYRE: AUCCESS of DQN and six ablations on dev tasks.

    For each configuration, run `topple train --part dev` with
    `--agent configs/phyre/NAME.toml`, and then `topple evaluate`.

    Examples:
      topple reproduce figure6 runs
    """
    records = list(find_records(*runs, benchmark="phyre"))
    scores = ablation_scores(records)
    if not scores:
        raise ValueError("there are no records of ablations of DQN on dev tasks")
    figure = bars_figure(scores, "AUCCESS, %")
    return results([], save_figure(out, "figure6", runs_table(records), figure))


@app.command("yardstick")
def yardstick_command(runs: RunsArgument, out: Out = _FIGURES) -> Output:
    """Draw AUCCESS over the noise of perception, with people and published agents as lines.

    A second panel shows how many tasks are solved within so many attempts.
    The points are records of the imagining agent with the exact engine on
    misperceived scenes, as made with `configs/phyre/imagine-percept-4.toml`.

    Examples:
      topple reproduce yardstick results/phyre
    """
    records = list(find_records(*runs, benchmark="phyre"))
    found = curves(records)
    if not found:
        raise ValueError(
            "there are no two records of the imagining agent with different noise; make some "
            "with `topple evaluate --agent configs/phyre/imagine-percept-4.toml`"
        )
    tables = [yardstick_table(found)]
    files = save_figure(out, "yardstick", tables[0], yardstick_figure(found))
    return results(tables, files)


def _save_study(out: Path, name: str, records: list[PhyreRecord]) -> list[Path]:
    study = study_named(name)
    figure = study_figure(study_points(records, study), study.axis, study.linear)
    return save_figure(out, name, runs_table(records), figure)


@app.command("quick")
@resumable()
def quick_command(
    out: Annotated[Path, out_folder("the report")] = _QUICK,
    cache: Cache = None,
) -> Output:
    """Evaluate RAND, MEM and MEM-O on fold 0 of all four setups and write a report.

    Every number of these rows is as published. Outcomes come from the solutions
    that the package ships, so this takes about a minute on two cores.

    Examples:
      topple reproduce quick --out runs/quick
    """
    configs = [config for row in ROWS.values() for config in row_configs(row, folds=[0])]
    with open_runner(Compute(cache=cache)) as (runner, bar):
        records = run_all(configs, runner, bar, out / "records", keep_attempts=True)
    page = write_report(out, "PHYRE baselines on fold 0", [report_section(records, 8)])
    output = results([table2(records), *table1(records)], [page])
    return Output(output.data, *output.parts[:-1], f"open {page.resolve()} in a browser")
