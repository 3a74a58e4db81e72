"""The section of a report on PHYRE: figures, attempts, and tables that any records answer."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.media.files import save_frames
from topple.phyre.attempt import Attempt
from topple.phyre.auccess import MAX_ATTEMPTS, auccess, success_at
from topple.phyre.dev_figures import dev_figures
from topple.phyre.figures import success_curves
from topple.phyre.pictures import film
from topple.phyre.results import PhyreRecord
from topple.phyre.selection import Part
from topple.phyre.tables import EARLY_ATTEMPTS, comparison_table, table1, table2
from topple.phyre.task import TaskId, load_task
from topple.reports.html import KINDS, Clip, Section, scores_of
from topple.reports.study import StudyRun, group_curves, group_table
from topple.reports.table import Table

#: Words of every report on PHYRE.
TERMS = {
    "AUCCESS": "How soon tasks are solved, from 0 to 1 or to 100 per cent: the share of tasks "
    "solved within k attempts, averaged over k from 1 to 100 with weights log(k + 1) - log(k), so "
    "that the first attempts count most.",
    "fold": "One of ten published ways to divide the tasks: an agent learns from the train and dev "
    "tasks of a fold and is scored on its test tasks; results are means over folds.",
    **KINDS,
    "within template, across templates": "Within template, an agent has learned from other tasks "
    "of the templates that it is scored on; across templates, it has never seen them.",
}
#: Baselines by their titles in tables.
BASELINES = {
    "RAND": "Tries random actions.",
    "MEM": "Tries a fixed list of actions, those first that solved most training tasks. Within "
    "template its published score is about 2 per cent, because the released evaluation tries only "
    "one of the 25 templates and divides by all of them; with the setting first_template_only, "
    "this row repeats that.",
    "MEM (all templates)": "The same agent, corrected: all 25 templates are tried.",
    "MEM-O": "As MEM, and goes on learning from its attempts on test tasks.",
    "OPTIMAL": "Knows the outcomes and ranks the same list perfectly: the ceiling of such agents.",
}


def report_section(records: Sequence[PhyreRecord], clips: int) -> Section:
    """The section of some records.

    Args:
        records: the records.
        clips: how many solved attempts to show.
    """
    tested = [record for record in records if record.config.selection.part is Part.TEST]
    figures = {"Success curves": success_curves(tested)} if tested else {}
    tables = {}
    if tested:
        tables["table1a"], tables["table1b"] = table1(tested)
        tables["table2"] = table2(tested)
        tables["comparisons"] = comparison_table(tested)
    people = [_study_run(record) for record in records if record.config.selection.study]
    if people:
        figures["Studies: success curves"] = group_curves(people)
        tables["studies"] = group_table(people, "AUCCESS, %", 100)
    if records:
        tables["templates"] = template_table(records)
        tables["protocol"] = protocol_table(records)
        tables["runs"] = runs_table(records)
    return Section(
        {**figures, **dev_figures(records)},
        sample_clips(records, clips),
        tables,
        [scores_of(record) for record in records],
        terms=_terms(records),
    )


def _terms(records: Sequence[PhyreRecord]) -> dict[str, str]:
    """The words of a report on some records."""
    titles = {record.config.title for record in records}
    baselines = {title: text for title, text in BASELINES.items() if title in titles}
    return {**TERMS, **baselines} if records else {}


def _study_run(record: PhyreRecord) -> StudyRun:
    results = record.results
    curve = results.curve[: record.config.attempts].tolist()
    return StudyRun.of(record, results.auccess, curve, len(results.tasks))


def runs_table(records: Iterable[PhyreRecord]) -> Table:
    """Every run with its scores."""
    rows = []
    for record in records:
        config = record.config
        rows.append(
            [
                config.title,
                record.kind.value,
                config.selection.group,
                config.selection.part.value,
                str(config.selection.fold if config.selection.fold is not None else ""),
                " ".join(f"{name}={value}" for name, value in config.settings.items()),
                str(config.attempts),
                f"{record.results.auccess:.4f}",
                f"{success_at(record.results.first_solved, EARLY_ATTEMPTS):.4f}",
                f"{success_at(record.results.first_solved, MAX_ATTEMPTS):.4f}",
                str(record.provenance.get("engine", "")),
            ]
        )
    header = ["agent", "kind", "setup", "part", "fold", "settings", "attempts", "AUCCESS"]
    header += ["solved@10", "solved@100", "engine"]
    return Table("Runs", header, rows)


def template_table(records: Iterable[PhyreRecord]) -> Table:
    """AUCCESS of each template, over all folds that score it."""
    found: dict[tuple[str, str, str], list[npt.NDArray[np.int64]]] = {}
    for record in records:
        for template, solved in record.results.templates().items():
            key = (record.config.selection.group, template, record.config.title)
            found.setdefault(key, []).append(solved)
    agents = list(dict.fromkeys(agent for _, _, agent in found))
    places = list(dict.fromkeys((setup, template) for setup, template, _ in sorted(found)))
    rows = []
    for setup, template in places:
        line = [setup, template]
        for agent in agents:
            parts = found.get((setup, template, agent))
            line.append(f"{auccess(np.concatenate(parts)):.4f}" if parts else "")
        rows.append(line)
    return Table(
        "AUCCESS by template",
        ["setup", "template", *agents],
        rows,
        "A task that several folds score counts once for each.",
    )


def protocol_table(records: Iterable[PhyreRecord]) -> Table:
    """The conditions of each agent in each setup, by kind; compare only what agrees on them."""
    names = {
        "learning": "learning",
        "observation": "observation",
        "candidates": "candidates",
        "attempts_per_task": "attempts",
        "trained_on": "trained on",
        "tried_tasks": "tasks tried",
        "scored_tasks": "tasks scored",
        "simulator_calls_in_training": "calls in training",
        "simulator_calls_in_testing": "calls in testing",
    }
    rows: dict[tuple[str, str], list[str]] = {}
    for record in sorted(records, key=lambda record: record.kind.place):
        key = (record.config.title, record.config.selection.group)
        if key in rows:
            continue
        protocol = record.protocol
        ceiling = protocol.get("oracle_ceiling")
        text = "none"
        if ceiling:
            text = f"{ceiling['auccess']:.3f}"
            if ceiling["undecided_tasks"]:
                text = f"at least {text} ({ceiling['undecided_tasks']} tasks undecided)"
        values = [_text(protocol.get(name)) for name in names]
        knobs = protocol.get("imagination", {}).items()
        settings = " ".join(f"{name}={value}" for name, value in knobs)
        rows[key] = [*key, record.kind.value, *values, text, settings]
    return Table(
        "Protocol",
        ["agent", "setup", "kind", *names.values(), "oracle ceiling", "imagination"],
        list(rows.values()),
        "Numbers are of the first fold. The oracle ceiling is the AUCCESS of a perfect ranking "
        "of the same candidates.",
    )


def _text(value: object) -> str:
    if value is None:
        return "any"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


_CLIP_SIZE = 256  # pixels
_CLIP_FPS = 10
_CLIP_HOLD = 1.5  # seconds on the last frame


def filmed(attempt: Attempt) -> bytes:
    """An attempt as a GIF."""
    frames = film(load_task(attempt.task).scene, attempt.action, _CLIP_SIZE, _CLIP_FPS).frames
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "attempt.gif")
        save_frames(frames, file, _CLIP_FPS, _CLIP_HOLD)
        return file.read_bytes()


def sample_clips(records: Iterable[PhyreRecord], count: int) -> Iterator[Clip]:
    """Films of some attempts: solutions, spread over templates and agents.

    Records that were written without their attempts have none to show.
    """
    solutions: dict[tuple[str, str], tuple[Attempt, int]] = {}
    for record in records:
        tries: Counter[TaskId] = Counter()
        for attempt in record.results.attempts:
            tries[attempt.task] += 1
            key = (attempt.task.template, record.config.title)
            if attempt.outcome.is_solved and key not in solutions:
                solutions[key] = (attempt, tries[attempt.task])
    chosen = sorted(solutions)
    places = np.unique(np.linspace(0, len(chosen) - 1, min(count, len(chosen))).astype(int))
    for key in (chosen[place] for place in places):
        attempt, number = solutions[key]
        yield Clip(f"{key[1]}, task {attempt.task}, attempt {number}: solved", filmed(attempt))
