"""Results of I-PHYRE agents from their records: Table A4, Table A2, failures.

Reports read records only. Agents of one label with several seeds are one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from topple.iphyre.analysis.failures import Attempted, FailureCounts, failures_by_split
from topple.iphyre.benchmark import STOCHASTIC
from topple.iphyre.games import PUBLISHED
from topple.iphyre.plan import Plan
from topple.iphyre.play_log import Play
from topple.iphyre.published import (
    IPHYRE_CITATION,
    IPHYRE_TABLE_A2,
    IPHYRE_TABLE_A4_PLAYERS,
    iphyre_table_a4,
    iphyre_table_a4_means,
)
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.score import Average, Score, average, averages
from topple.iphyre.split import PUBLISHED_SPLITS, Split
from topple.reports.statistics import mean_and_std
from topple.reports.table import Table
from topple.runs.agent import Kind

_FORTY = {game.name for game in PUBLISHED}


def counted_plays(record: IPhyreRecord) -> dict[str, Play]:
    """The play of each game that counts.

    Where an agent draws its actions, it is that of the pass over all games which earned most in
    the basic ones, as the released evaluation chooses; otherwise the best, as for people.
    """
    scores = record.results.scores
    if record.config.settings.get(STOCHASTIC):
        scores = max(record.results.passes, key=_basic_reward)
    found: dict[str, Play] = {}
    for play in record.results.plays:
        if play.game not in found and play.score == scores[play.game]:
            found[play.game] = play
    return found


def _basic_reward(scores: Mapping[str, Score]) -> float:
    basic = averages(scores).get(Split.BASIC)
    return basic.reward if basic is not None else average(scores).reward


def column_label(record: IPhyreRecord) -> str:
    """The agent, and what distinguishes its runs from others: variant, sampling, plays, rate."""
    config = record.config
    details = [config.variant] if config.variant else []
    if config.settings.get(STOCHASTIC):
        details.append("sampled")
    elif config.attempts > 1:
        details.append(f"{config.attempts} plays")
    if config.selection.hz != AT_10_HZ.hz:
        details.append(f"{config.selection.hz} Hz")
    return f"{config.label} ({', '.join(details)})" if details else config.label


@dataclass(frozen=True)
class Column:
    """What the runs of one label scored, a run for each seed."""

    label: str
    records: tuple[IPhyreRecord, ...]

    @property
    def player(self) -> str | None:
        """The agent's name in Table A4, if it is there."""
        name = self.records[0].config.agent
        return next((p for p in IPHYRE_TABLE_A4_PLAYERS if p.lower() == name), None)

    @property
    def stochastic(self) -> bool:
        """Whether actions were sampled from the policy."""
        return bool(self.records[0].config.settings.get(STOCHASTIC))

    @property
    def is_learner(self) -> bool:
        """Whether it is one of the learners of Table A4."""
        return self.player not in (None, "Random")

    @property
    def variant(self) -> str:
        """The variant of the settings; "" for those as published."""
        return self.records[0].config.variant

    @property
    def strategy(self) -> str:
        """When the agent decides, a value of Strategy."""
        return str(self.records[0].protocol.get("strategy", ""))

    @property
    def kind(self) -> Kind:
        """Where its knowledge comes from; only a learned one is a zero-shot agent."""
        return max((record.kind for record in self.records), key=lambda kind: kind.place)

    @property
    def noise(self) -> float | None:
        """How far off an agent that imagines perceives places, in pixels; None of others."""
        knobs = self.records[0].protocol.get("imagination")
        return None if knobs is None else float(knobs["place_noise"])

    @property
    def scores(self) -> list[dict[str, Score]]:
        """Of each seed."""
        return [
            {game: play.score for game, play in counted_plays(record).items()}
            for record in self.records
        ]

    def means(self, split: Split | None = None) -> list[Average]:
        """Averages of each seed over a split, or over the forty games; those it has."""
        names = _FORTY if split is None else {game.name for game in split.games}
        found = ({g: s for g, s in scores.items() if g in names} for scores in self.scores)
        return [average(scores) for scores in found if len(scores) == len(names)]

    def reward(self, game: str) -> float | None:
        """Mean over seeds."""
        found = [scores[game].reward for scores in self.scores if game in scores]
        return sum(found) / len(found) if found else None

    def failures(
        self, oracle: Mapping[str, Plan], only_its_blocks: bool = False
    ) -> dict[Split, FailureCounts]:
        """Of all seeds together.

        Args:
            oracle: the best plan of each game.
            only_its_blocks: whether other blocks than the oracle's may have gone, too; the
                paper does not say.
        """
        orders = {name: plan.order for name, plan in oracle.items()}
        total: dict[Split, FailureCounts] = {}
        for record in self.records:
            plays = counted_plays(record)
            tried = {
                name: Attempted(
                    tuple(
                        body
                        for body in plays[name].plan.order
                        if not only_its_blocks or body in orders[name]
                    ),
                    plays[name].score.solved,
                )
                for name in plays
                if name in orders
            }
            for split, counts in failures_by_split(tried, orders).items():
                before = total.get(split, FailureCounts(0, 0, 0, 0))
                total[split] = FailureCounts(*map(sum, zip(before, counts, strict=True)))
        return total


def columns_of(records: Iterable[IPhyreRecord]) -> list[Column]:
    """Columns in the order of Table A4, others after them by label."""
    found: dict[str, list[IPhyreRecord]] = {}
    for record in records:
        found.setdefault(column_label(record), []).append(record)
    columns = [
        Column(label, tuple(sorted(runs, key=lambda record: record.config.seed)))
        for label, runs in found.items()
    ]
    places = {player: place for place, player in enumerate(IPHYRE_TABLE_A4_PLAYERS)}
    last = len(places)
    return sorted(columns, key=lambda each: (places.get(each.player or "", last), each.label))


def published_success(player: str) -> float:
    """Of the forty games of Table A4; a reward above 0 is a success."""
    table = iphyre_table_a4()
    return sum(row[player] > 0 for row in table.values()) / len(table)


def summary_table(
    columns: Sequence[Column], title: str = "Table A4, averages over forty games"
) -> Table:
    """A row for each label: rewards by split and over forty games, ours beside the published."""
    header = ("agent", "seeds", *(split.value.replace("_", "-") for split in PUBLISHED_SPLITS))
    rows = []
    for column in columns:
        overall = column.means()
        cells = [_spread([mean.reward for mean in column.means(s)]) for s in PUBLISHED_SPLITS]
        theirs, rate = "", ""
        if column.player is not None:
            theirs = f"{iphyre_table_a4_means()[column.player]:.2f}"
            rate = f"{100 * published_success(column.player):.1f}"
        rewards = _spread([mean.reward for mean in overall])
        solved = _spread([100 * mean.success_rate for mean in overall])
        seeds = str(len(column.records))
        rows.append((column.label, seeds, *cells, rewards, theirs, solved, rate))
    return Table(
        title,
        (*header, "reward", "published", "solved %", "published %"),
        rows,
        f"Mean and deviation over seeds. Published: {IPHYRE_CITATION}.",
    )


def game_table(title: str, columns: Sequence[Column]) -> Table:
    """Every game: our mean over seeds / the published reward."""
    table = iphyre_table_a4()
    rows = []
    for game, published in table.items():
        cells = []
        for column in columns:
            ours = column.reward(game)
            theirs = f" / {published[column.player]:g}" if column.player else ""
            cells.append("-" if ours is None else f"{ours:.1f}{theirs}")
        rows.append((game, *cells))
    return Table(title, ("game", *(each.label for each in columns)), rows)


def table_a2(columns: Sequence[Column]) -> Table:
    """Rewards on the basic and the unseen basic games, ours beside the published."""
    rows = []
    for column in columns:
        if not column.means(Split.UNSEEN_BASIC):
            continue
        theirs = IPHYRE_TABLE_A2.get(column.player or "", {})
        cells = []
        for split in (Split.BASIC, Split.UNSEEN_BASIC):
            cells.append(_spread([mean.reward for mean in column.means(split)]))
            cells.append(f"{theirs[split]:.2f}" if split in theirs else "")
        rows.append((column.label, *cells))
    header = ("agent", "basic", "published", "unseen basic", "published")
    return Table("Table A2, rewards on similar games", header, rows)


def training_table(columns: Sequence[Column]) -> Table:
    """What trainings took, and how they ended: means over the last tenth of their curves."""
    rows = []
    for column in columns:
        for record in column.records:
            if not record.training or column.stochastic:
                continue
            curve = record.training["curve"]
            last = -(-len(curve["reward"]) // 10)
            reward, solved = (sum(curve[key][-last:]) / last for key in ("reward", "solved"))
            steps, minutes = record.training["steps"], record.training["seconds"] / 60
            cells = (f"{steps:,}", f"{minutes:.0f}", f"{reward:.0f}", f"{100 * solved:.0f}")
            rows.append((column.label, str(record.config.seed), *cells))
    header = ("agent", "seed", "steps", "minutes", "reward", "solved %")
    note = "Episodes of training on the basic games, with exploration."
    return Table("Training", header, rows, note)


def failure_table(columns: Sequence[Column], oracle: Mapping[str, Plan]) -> Table:
    """Figure A7 in numbers: of the failures, those of timing, in per cent, by split."""
    rows = []
    for column in columns:
        counts = column.failures(oracle, only_its_blocks=True)
        strict = total_failures(column.failures(oracle))
        total = total_failures(counts)
        shares = [counts[split].timing_share for split in PUBLISHED_SPLITS]
        failed = str(total.total - total.success_number)
        every = [*shares, total.timing_share, strict.timing_share]
        rows.append((column.label, failed, *map(_per_cent, every)))
    names = (split.value for split in PUBLISHED_SPLITS)
    header = ("agent", "failures", *names, "all", "all, no other block gone")
    return Table("Failures of timing: the oracle's blocks in its order, %", header, rows)


def total_failures(counts: Mapping[Split, FailureCounts]) -> FailureCounts:
    """Of all splits together."""
    return FailureCounts(*map(sum, zip(*counts.values(), strict=True)))


def _per_cent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}"


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    mean, deviation = mean_and_std(values)
    return f"{mean:.1f} ± {deviation:.1f}" if len(values) > 1 else f"{mean:.1f}"
