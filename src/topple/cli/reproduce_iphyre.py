"""`topple reproduce` for I-PHYRE: Tables A1, A2 and A4, and figures from run records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from topple import paths
from topple.cli.errors import resumable
from topple.cli.groups import App, Flag
from topple.cli.iphyre_analyse import oracle_plans
from topple.cli.options import (
    Oracle,
    Seeds,
    Settings,
    Smoke,
    StoredRuns,
    agent_names,
    out_folder,
    parse_numbers,
    parse_settings,
)
from topple.cli.output import Cell, Output, objects, results, rich_table
from topple.cli.progress import progress_bar
from topple.iphyre.agents.classifier_accuracy import (
    CLASSIFIERS,
    HELD_OUT,
    ClassifierConfig,
    sweep_classifiers,
)
from topple.iphyre.agents.rand import paper_games, play_random
from topple.iphyre.figures import Curve, failure_shares, noise_curve, split_bars, training_curves
from topple.iphyre.games import ALL, PUBLISHED
from topple.iphyre.published import (
    IPHYRE_CITATION,
    IPHYRE_HUMAN_AVERAGE,
    IPHYRE_TABLE_A1,
    IPHYRE_TABLE_A2,
    iphyre_table_a4,
    iphyre_table_a4_means,
)
from topple.iphyre.score import Score, average, averages
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import PUBLISHED_SPLITS, Split, split_of
from topple.iphyre.strategy import Strategy
from topple.iphyre.tables import (
    Column,
    columns_of,
    failure_table,
    game_table,
    published_success,
    summary_table,
    table_a2,
    total_failures,
    training_table,
)
from topple.reports.statistics import mean_and_std
from topple.runs.agent import Kind
from topple.runs.config import RunConfig
from topple.runs.record import find_records
from topple.runs.runner import Runner

app = App()

_RANDOM = "random"
ALL_AGENTS = "all"
_RESULTS = Path("results/iphyre")
_PRINTED = 0.05  # rewards are printed to a tenth
_PRINTED_MEAN = 0.005  # averages to a hundredth
_KINDS = {
    Kind.LEARNED: "Table A4",
    Kind.IMAGINING: "Imagining agents, which simulate a game as they perceive it",
    Kind.ORACLE: "Oracles, which simulate a game before they play it",
    Kind.PEOPLE: "People",
}
_STRATEGIES = {strategy.value: strategy.value.replace("_", " ") for strategy in Strategy}


@app.command("tableA4")
def table_a4(
    agents: Annotated[
        str,
        agent_names("agents, such as ppo-i,dqn-o, or `all` for every agent that has run records"),
    ] = ALL_AGENTS,
    runs: StoredRuns = _RESULTS,
) -> Output:
    """Reproduce Tables A2 and A4 of I-PHYRE from run records written by `topple sweep`.

    The random agent needs no record; alone, it is compared digit by digit.

    Examples:
      topple reproduce tableA4
      topple reproduce tableA4 --agents random
    """
    if agents.strip().lower() == _RANDOM:
        return _compare_random()
    return _compare_columns(wanted_columns(agents, runs))


def _compare_random() -> Output:
    """Run the random agent as the paper did, and compare it digit by digit."""
    scores = {name: state.score for name, state in play_random(paper_games()).items()}
    published = {game: row["Random"] for game, row in iphyre_table_a4().items()}
    games = [_game_row(game, scores[game], value) for game, value in published.items()]
    means = _mean_rows(scores, published)
    equal = sum(bool(row[4]) for row in games)
    columns = ("game", "split", "ours", "published", "equal")
    mean_columns = ("average", "ours", "published", "equal")
    return Output(
        {
            "agent": _RANDOM,
            "games": objects(columns, games),
            "averages": objects(mean_columns, means),
            "equal": equal,
            "of": len(games),
            "source": IPHYRE_CITATION,
        },
        rich_table(f"Table A4, Random ({IPHYRE_CITATION})", columns, games),
        rich_table("Averages", mean_columns, means),
        f"{equal} of {len(games)} games equal to the printed tenth",
    )


def _game_row(game: str, score: Score, published: float) -> list[Cell]:
    ours, split = round(score.reward, 6), split_of(game)
    name = split.value if split else None
    return [game, name, ours, published, abs(ours - published) < _PRINTED]


def _mean_rows(scores: dict[str, Score], published: dict[str, float]) -> list[list[Cell]]:
    """Compare the splits that have a printed average, and the forty games together."""
    ours = averages(scores)
    rows: list[list[Cell]] = []
    for split, value in IPHYRE_TABLE_A2["Random"].items():
        mean = ours[split].reward
        rows.append([f"{split.value} (Table A2)", mean, value, _close(mean, value)])
    forty = average({name: scores[name] for name in published}).reward
    printed = iphyre_table_a4_means()["Random"]
    rows.append(["forty games (Table A4)", forty, printed, _close(forty, printed)])
    for split in PUBLISHED_SPLITS:
        if split is not Split.BASIC:
            rows.append([f"{split.value} (not printed)", ours[split].reward, None, None])
    return rows


def _close(ours: float, printed: float) -> bool:
    return abs(ours - printed) <= _PRINTED_MEAN + 1e-9


def wanted_columns(agents: str, records: Path) -> list[Column]:
    """Return the columns of comma-separated agents, or of all that have records and the random one.

    Raises:
        ValueError: An agent has no records.
    """
    games = GameSelection(tuple(game.name for game in ALL))
    random = Runner(paths.cache_folder()).run(RunConfig(_RANDOM, games, label="Random"))
    everybody = columns_of([random, *find_records(records, benchmark="iphyre")])
    if agents == ALL_AGENTS:
        return everybody
    names = [name.strip().lower() for name in agents.split(",")]
    known = sorted({each.records[0].config.agent for each in everybody})
    for name in names:
        if name not in known:
            raise ValueError(
                f"no agent {name!r} has records in {records}; use {', '.join(known)}, or all"
            )
    return [each for each in everybody if each.records[0].config.agent in names]


def _compare_columns(columns: Sequence[Column]) -> Output:
    """Return averages, then the rewards of every game by strategy, then Table A2."""
    tables = []
    for kind, title in _KINDS.items():
        same = [each for each in columns if each.kind is kind]
        if same:
            tables.append(summary_table(same, f"{title}, averages over forty games"))
    for strategy, name in _STRATEGIES.items():
        here = [e for e in columns if e.is_learner and not e.stochastic and e.strategy == strategy]
        for variant in sorted({each.variant for each in here}):
            group = [each for each in here if each.variant == variant]
            settings = variant or "settings as published"
            tables.append(game_table(f"Table A4, {name}, {settings}: ours / published", group))
    others = [each for each in columns if each.player in (None, "Random")]
    if others:
        tables.append(game_table("Other agents", others))
    tables.append(table_a2([each for each in columns if not each.stochastic]))
    data = {"agents": [_data(each) for each in columns], "source": IPHYRE_CITATION}
    return Output(data, *results([*tables, training_table(columns)]).parts)


def _data(column: Column) -> dict[str, Any]:
    config = column.records[0].config
    data: dict[str, Any] = {
        "label": column.label,
        "agent": config.agent,
        "kind": column.kind.value,
        "settings": dict(config.settings),
        "seeds": [record.config.seed for record in column.records],
        "rewards": [mean.reward for mean in column.means()],
        "solved": [mean.success_rate for mean in column.means()],
        "splits": {
            split.value: [mean._asdict() for mean in column.means(split)]
            for split in PUBLISHED_SPLITS
        },
        "games": {game: column.reward(game) for game in iphyre_table_a4()},
    }
    if column.player is not None:
        published = {game: row[column.player] for game, row in iphyre_table_a4().items()}
        data["published"] = {"games": published, "solved": published_success(column.player)}
    return data


@app.command("iphyre-figures")
def iphyre_figures(
    out: Annotated[Path, out_folder("the figures")],
    runs: StoredRuns = _RESULTS,
    oracle: Oracle = _RESULTS / "oracle.json",
) -> Output:
    """Reproduce Figures 2, 3, A6 and A7 of I-PHYRE from run records, and draw agents by noise.

    Examples:
      topple reproduce iphyre-figures --out docs/images/iphyre
    """
    columns = wanted_columns(ALL_AGENTS, runs)
    plain = [each for each in columns if not each.stochastic]
    trained = [each for each in plain if each.records[0].training]
    fly = Strategy.ON_THE_FLY.value
    made: list[Path] = []
    for number, members in (
        # On the fly, best actions are not what the paper's numbers come from.
        ("2", [e for e in columns if e.player and (not e.stochastic or e.strategy == fly)]),
        ("A6", [each for each in plain if not each.player and each.kind is Kind.LEARNED]),
    ):
        if members:
            path = out / f"figure{number}.svg"
            split_bars(_rewards(members), f"Figure {number}: rewards by split", path)
            made.append(path)
    groups = {
        name: [_curve(e) for e in trained if e.is_learner and e.strategy == strategy]
        for strategy, name in _STRATEGIES.items()
    }
    groups = {name: curves for name, curves in groups.items() if curves}
    if groups:
        made.append(out / "figure3.svg")
        training_curves(groups, "Figure 3: training on the basic split", made[-1])
    noises = {each.noise: each.means() for each in plain if each.noise is not None}
    if noises:
        made.append(out / "imagine.svg")
        noise_curve(noises, IPHYRE_HUMAN_AVERAGE, "imagine, five plays", made[-1])
    plans = oracle_plans(oracle, PUBLISHED)
    actors = [each for each in plain if each.player not in (None, "Random") and each.means()]
    if actors:
        made.append(out / "figureA7.svg")
        counts = [
            (each.label, total_failures(each.failures(plans, only_its_blocks=True)))
            for each in actors
        ]
        failure_shares(counts, "Figure A7: where failures come from", made[-1])
    return results([failure_table(actors, plans)], made)


def _rewards(columns: Sequence[Column]) -> dict[str, dict[Split, list[float]]]:
    return {
        each.label: {
            split: [mean.reward for mean in means]
            for split in PUBLISHED_SPLITS
            if (means := each.means(split))
        }
        for each in columns
    }


def _curve(column: Column) -> Curve:
    curves = [record.training["curve"] for record in column.records if record.training]
    count = min(len(curve["steps"]) for curve in curves)
    return Curve(column.label, curves[0]["steps"][:count], [c["reward"][:count] for c in curves])


_CLASSIFIERS = Path("results/iphyre_classifiers")
_SMOKE = {"n_epochs": 3, "samples_per_class": 5}
_COLUMNS = (*(split.value for split in PUBLISHED_SPLITS), Split.UNSEEN_BASIC.value)


@app.command("tableA1")
@resumable()
def table_a1(
    agents: Annotated[
        str, agent_names(f"classifiers: {', '.join(CLASSIFIERS.values())}")
    ] = ",".join(CLASSIFIERS.values()),
    seeds: Seeds = "0,1,2",
    hold_out: Flag = False,
    setting: Settings = None,
    out: Annotated[Path, out_folder("the results")] = _CLASSIFIERS,
    smoke: Smoke = False,
) -> Output:
    """Reproduce Table A1 of I-PHYRE: accuracies of outcome classifiers in per cent.

    The classifiers are trained on basic games. As published, the accuracy on
    basic games is the training accuracy; --hold-out adds the accuracy on plans
    that were held out. Finished results are not computed again.

    Options:
        hold_out: Train on four fifths of the basic plans and also test on the rest.

    Examples:
      topple reproduce tableA1
      topple reproduce tableA1 --agents fusion-global --seeds 0 --hold-out
    """
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
    columns = (*_COLUMNS, "basic_held_out") if hold_out else _COLUMNS
    rows: list[list[Cell]] = []
    for agent in chosen:
        accuracies = [result["accuracy"] for result in found[agent]]
        means = [mean_and_std([100 * each[column] for each in accuracies]) for column in columns]
        rows.append([names[agent], "ours", *(f"{mean:.1f} ± {std:.1f}" for mean, std in means)])
        published = IPHYRE_TABLE_A1[names[agent]]
        printed = {split.value: value for split, value in published.items()}
        rows.append([names[agent], "published", *(printed.get(column) for column in columns)])
    title = f"Table A1 ({IPHYRE_CITATION})"
    data = [result for agent in chosen for result in found[agent]]
    return Output(data, rich_table(title, ("classifier", "whose", *columns), rows))
