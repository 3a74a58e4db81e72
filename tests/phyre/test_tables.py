"""Tables, figures and pages from records, without simulating."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes

from topple.phyre import TaskId, figures, load_task
from topple.phyre.analysis.difficulty import RandomCurve, TemplateDifficulty
from topple.phyre.analysis.diversity import TemplateDiversity
from topple.phyre.attempt import Attempt
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.published import published_auccess
from topple.phyre.report import TERMS, protocol_table, report_section, sample_clips, template_table
from topple.phyre.results import PhyreRecord, TaskResults
from topple.phyre.rows import MEM_CORRECTED, ranked_actions_configs, update_weight_configs
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.tables import by_row, cells, comparison_table, table1, table2
from topple.reports.html import report_page, write_report
from topple.reports.table import Table
from topple.runs import RunConfig, RunRecord
from topple.runs.agent import Setting

SETUP = Setup.BALL_CROSS_TEMPLATE
TASKS = tuple(TaskId(template, number) for template in ("00000", "00001") for number in (0, 1))
PROTOCOL = {"learning": "offline", "candidates": 10, "privileged": False}


def record(
    label: str,
    fold: int,
    first_solved: tuple[int, ...] = (1, 0, 3, 50),
    part: Part = Part.TEST,
    settings: dict[str, Setting] | None = None,
) -> PhyreRecord:
    config = RunConfig("mem", TaskSelection(SETUP, fold, part), settings or {}, label=label)
    ceiling = {"auccess": 0.75, "undecided_tasks": 1}
    protocol = {**PROTOCOL, "oracle_ceiling": ceiling}
    attempts = (Attempt(load_task("00002:007").id, (0.5, 0.5, 0.5), Outcome.NOT_SOLVED),)
    solved = np.array(first_solved, np.int64)
    return RunRecord(config, {"engine": "e"}, protocol, TaskResults(TASKS, solved, attempts))


def test_published_cells_are_compared_as_printed() -> None:
    ours = record("RAND", 0)
    (cell,) = cells([ours])
    assert cell.published == published_auccess("RAND", SETUP, 0) == "0.1178"
    assert not cell.equal
    assert cell._replace(ours=0.11784).equal
    assert not cell._replace(ours=0.11786).equal
    table = table2([ours])
    assert "0 of 1 cells equal" in table.note
    assert table.rows[1][4] == "0.1178 !"
    assert table2([record("mine", 0)]).note == ""  # nothing was published of it
    assert published_auccess("RAND", Setup.BALL_CROSS_TEMPLATE_BALANCED, 0) is None


def test_rows_keep_their_folds_apart() -> None:
    rows = by_row([record("A", 1), record("A", 0), record("B", 0), record("A", 0, part=Part.DEV)])
    assert {key: list(folds) for key, folds in rows.items()} == {
        (SETUP, "A"): [0, 1],
        (SETUP, "B"): [0],
    }
    assert len(by_row([record("A", 0), record("A", 0)])[SETUP, "A"]) == 1
    with pytest.raises(ValueError, match="two records of 'A' on ball_cross_template fold 0"):
        by_row([record("A", 0), record("A", 0, (1, 1, 1, 1))])


def test_the_better_agent_gets_the_star() -> None:
    good = [record("GOOD", fold, (1, 1, 1, 1 + fold)) for fold in SEEDS]
    bad = [record("BAD", fold, (0, 0, 0, 1 + fold)) for fold in SEEDS]
    auccess_table, early_table = table1([*good, *bad])
    assert auccess_table.rows[0][2].endswith("*")
    assert not auccess_table.rows[1][2].endswith("*")
    assert early_table.rows[0][2] == "100.0±0.0"
    comparisons = comparison_table([*good, *bad]).rows
    assert [(row[1], row[2], row[-1]) for row in comparisons] == [
        ("GOOD", "BAD", "yes"),
        ("BAD", "GOOD", "no"),
    ]


def test_kinds_of_agents_are_kept_apart() -> None:
    learned = [record("LEARNED", fold, (0, 0, 1, 9 + fold)) for fold in SEEDS]
    worse = [record("WORSE", fold, (0, 0, 0, 9 + fold)) for fold in SEEDS]
    sees = {"privileged": True, "imagination": {"place_noise": 0.0}}
    blurs = {"imagination": {"place_noise": 4.0}}
    oracle = [
        replace(each, config=replace(each.config, label="ORACLE"), protocol=sees)
        for each in learned
    ]
    imagining = [
        replace(each, config=replace(each.config, label="IMAGINING"), protocol=blurs)
        for each in learned
    ]
    everybody = [*oracle, *imagining, *worse, *learned]
    assert [row[:2] for row in table1(everybody)[0].rows] == [
        ["WORSE", "learned"],
        ["LEARNED", "learned"],
        ["IMAGINING", "imagining"],
        ["ORACLE", "oracle"],
    ]
    # The best learned agent keeps its star beside an oracle that is as good.
    assert table1(everybody)[0].rows[1][2].endswith("*")
    protocols = protocol_table(everybody)
    assert [row[2] for row in protocols.rows] == ["learned", "learned", "imagining", "oracle"]
    assert protocols.rows[2][-1] == "place_noise=4.0"
    assert "IMAGINING (imagining)" in figures.success_curves(everybody)


def test_templates_and_protocol() -> None:
    table = template_table([record("A", 0), record("A", 1)])
    assert [row[:2] for row in table.rows] == [[SETUP.value, "00000"], [SETUP.value, "00001"]]
    assert "at least 0.750 (1 tasks undecided)" in protocol_table([record("A", 0)]).rows[0]


@given(st.lists(st.lists(st.text("ab|,\"<&\n'", max_size=5), min_size=2, max_size=2), max_size=4))
def test_tables_come_back_from_csv(rows: list[list[str]]) -> None:
    table = Table("title", ["x", "y"], rows)
    assert list(csv.reader(io.StringIO(table.to_csv(), newline=""))) == [["x", "y"], *rows]
    assert len(re.findall("<td>", table.to_html())) == 2 * len(rows)
    assert table.to_markdown().count("\n") == 4 + len(rows)


def test_a_page_opens_offline(tmp_path: Path) -> None:
    task = load_task("00002:007")
    solved = record("A<b>", 0)
    attempt = Attempt(task.id, (0.1, 0.9, 0.1), Outcome.SOLVED)
    results = TaskResults(TASKS, solved.results.first_solved, (attempt,))
    shown = RunRecord(solved.config, solved.provenance, solved.protocol, results)
    clips = list(sample_clips([shown], 3))
    assert [clip.caption for clip in clips] == ["A<b>, task 00002:007, attempt 1: solved"]
    assert clips[0].gif.startswith(b"GIF89a")
    page = write_report(tmp_path, "A & B", [report_section([shown], 3)])
    text = page.read_text()
    assert "A &amp; B" in text
    assert "A&lt;b&gt;" in text
    assert "A<b>" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)
    # Nothing is loaded from elsewhere: addresses are data, or names of SVG namespaces.
    links = re.findall(r"(?:src|href)=['\"]([^'\"]+)", text)
    assert all(link.startswith(("data:", "#")) for link in links)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"index.html", "scores.json", "table2.csv", "templates.csv", "protocol.csv"} <= names


def test_a_page_explains_its_words() -> None:
    shown = [record("RAND", 0), record("MEM", 0), record("MEM (all templates)", 0)]
    page = report_page("title", [report_section(shown, 0)])
    terms = re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    assert [term for term, _ in terms] == [*TERMS, "RAND", "MEM", "MEM (all templates)"]
    assert all(text.endswith(".") for _, text in terms)
    assert page.count("<table>") == page.count("<div class='wide'><table>")
    assert "<dl>" not in report_page("title", [report_section([], 0)])
    assert f"{MEM_CORRECTED.label} ({MEM_CORRECTED.variant})" in dict(terms)


def test_curves_end_with_the_attempts() -> None:
    def lengths(*attempts: int) -> list[int]:
        runs = [
            replace(run, config=replace(run.config, attempts=count))
            for run, count in zip((record("A", 0), record("A", 1)), attempts, strict=True)
        ]
        drawn: list[int] = []
        plot = Axes.plot

        def count_points(axis: Axes, x: Any, *rest: Any, **style: Any) -> Any:
            drawn.append(len(x))
            return plot(axis, x, *rest, **style)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Axes, "plot", count_points)
            figures.success_curves(runs)
        return drawn

    assert lengths(100, 100) == [100]
    assert lengths(20, 50) == [20]


def test_figures_are_equal_for_equal_data() -> None:
    curve = RandomCurve(np.array([1, 10, 100]), np.array([0.1, 0.2, 0.5]), np.zeros(3))
    bars = [TemplateDifficulty("00000", 0.01, 0.001, 0)]
    histogram = [TemplateDiversity("00000", 3, 10, np.array([5, 3, 1, 1]), 4)]
    points = {("ball", "MEM"): {10.0: [1.0, 2.0], 100.0: [3.0]}}
    drawings: list[Callable[[], str]] = [
        lambda: figures.random_curves({"ball": curve}),
        lambda: figures.difficulty_bars({"ball": bars}),
        lambda: figures.diversity_histograms(histogram),
        lambda: figures.success_curves([record("A", 0), record("A", 1)]),
        lambda: figures.study_figure(points, "actions", 10),
        lambda: figures.bars_figure({"ball": {"Baseline": [1.0, 2.0]}}, "AUCCESS, %"),
        lambda: figures.solvability_figure({"00000": [0.0, 1e-3]}, 1e-5),
    ]
    for draw in drawings:
        first = draw()
        assert first.startswith("<svg")
        assert first == draw()


def test_every_run_of_a_figure_has_its_own_name() -> None:
    for make in (ranked_actions_configs, update_weight_configs):
        configs = list(make([SETUP]))
        assert len({config.name for config in configs}) == len(configs)
        assert all(config.selection.part is Part.DEV for config in configs)
