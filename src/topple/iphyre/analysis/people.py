"""What an imagining agent would do in the games that people played: see `topple.reports.noise`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from topple.iphyre.agents.imagine import Imagine, Mind
from topple.iphyre.engine.batch import NEVER
from topple.iphyre.game import Game
from topple.iphyre.games import game_named
from topple.iphyre.plan import Plan, Rows, random_rows
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.rules import Rules
from topple.reports.noise import Bools, Candidates, First

_SHARE = 0.5  # of the noise in pixels: that of angles in degrees, and of sizes in per cent


def played_games(records: Sequence[IPhyreRecord]) -> list[str]:
    """The games that somebody played, in order."""
    return list(dict.fromkeys(play.game for record in records for play in record.results.plays))


def game_candidates(
    records: Sequence[IPhyreRecord], percepts: int, candidates: int, seed: int
) -> Iterator[Candidates]:
    """Random plans for each game that somebody played, and what people did first.

    Args:
        records: those of the participants of a study.
        percepts: of each game, at each level of noise.
        candidates: plans drawn for each game.
        seed: of everything that is drawn.
    """
    rules = records[0].config.selection.rules
    for number, name in enumerate(played_games(records)):
        game = game_named(name)
        rng = np.random.default_rng((seed, number))
        rows = [random_rows(rng, candidates, len(game.eliminable), rules)]
        firsts = []
        for record in records:
            plays = [play for play in record.results.plays if play.game == name]
            if not plays:
                continue
            solved = [place for place, play in enumerate(plays, 1) if play.score.solved]
            firsts.append(First(record.config.variant, len(plays), solved[0] if solved else 0))
            rows.append(_row(game, plays[0].plan)[None])
        every = np.concatenate(rows)

        def imagine(
            level: float, game: Game = game, every: Rows = every, number: int = number
        ) -> Bools:
            agent = Imagine(level, level * _SHARE, level * _SHARE, percepts=percepts)
            mind = Mind(agent, game, rules, np.random.default_rng((seed, number, 1)))
            return np.array([mind.imagine(each, every)[0] > 0 for each in mind.percepts])

        real = _really(game, rules, rows[0])
        yield Candidates(name, real, np.ones(candidates), firsts, imagine)


def _really(game: Game, rules: Rules, rows: Rows) -> Bools:
    exact = Mind(Imagine(0.0, 0.0, 0.0, 0.0, 0.0), game, rules, np.random.default_rng(0))
    return np.asarray(exact.imagine(exact.percepts[0], rows)[0] > 0)


def _row(game: Game, plan: Plan) -> Rows:
    row = np.full(len(game.eliminable), NEVER, np.int32)
    for tick, body in plan.eliminations:
        row[game.eliminable.index(body)] = max(tick, 1)
    return row
