"""A simulated study: participants who imagine with a known noise, which the fit recovers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from topple.iphyre.analysis.people import game_candidates, played_games
from topple.iphyre.results import IPhyreRecord
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import Split
from topple.reports.noise import NoiseFit, puzzle_likelihoods
from topple.runs.agent import HUMAN, Kind
from topple.runs.config import RunConfig
from topple.runs.runner import Runner

LEVELS = (1.0, 4.0, 16.0)
GAMES = tuple(game.name for game in Split.BASIC.games)


def participant(noise: float) -> IPhyreRecord:
    blur = {"place_noise": noise, "angle_noise": noise / 2, "size_noise": noise / 2}
    few = {**blur, "imagined": 240, "generations": 4}
    played = Runner(Path("unused")).run(RunConfig("imagine", GameSelection(GAMES), few, attempts=3))
    who = replace(played.config, agent=HUMAN, settings={}, variant=f"P-{noise:g}")
    return replace(played, config=who, protocol={"attempts": 3})


def test_the_noise_of_simulated_participants_is_recovered() -> None:
    records = [participant(noise) for noise in (1.0, 16.0)]
    assert {record.kind for record in records} == {Kind.PEOPLE}
    puzzles = list(game_candidates(records, percepts=8, candidates=60, seed=0))
    assert [puzzle.name for puzzle in puzzles] == played_games(records)
    fit = NoiseFit.of(LEVELS, [puzzle_likelihoods(puzzle, LEVELS) for puzzle in puzzles])
    assert fit.best("P-1") == 1.0
    assert fit.best("P-16") == 16.0
