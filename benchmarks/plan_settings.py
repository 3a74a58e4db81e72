"""Choose how a classifier of plans plays, on games that nobody is scored on.

Scrambles games from the ten basic ones with a seed that no training uses, keeps those that some
but fewer than 60 % of random plans solve, and lets a trained agent play each of them five times
with several values of a setting. Prints rewards and solved games in one play and in five, and how
well the agent foresees the outcomes of random plans. That cross-entropy has far less noise than
rewards have, so it tells trainings apart.

    topple train --agent fusion-attention --games basic --out TRAINING
    python benchmarks/plan_settings.py TRAINING/checkpoint.pt --set refined=3000 \
        --vary failure_penalty=0,2,4,8
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from machine import say
from settings import read_setting, varied_settings
from topple.iphyre.agents.outcome_data import play_examples, widened
from topple.iphyre.agents.plan_classifier import PlanClassifier
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing
from topple.iphyre.rules import AT_10_HZ, Rules, rules_at
from topple.iphyre.sampling import play_draws
from topple.iphyre.split import Split
from topple.runs.training import load_trained

DRAWS, MOST_SOLVED = 256, 0.6
PLAYS = 5


def puzzles(count: int, seed: int, rules: Rules) -> Iterator[Game]:
    """Games that random plans solve now and then."""
    scrambled = widened(Split.BASIC.games, 0, 100 * count, seed)
    for game in islice(scrambled, len(Split.BASIC.games), None):
        draws = islice(play_draws(game, seed, rules), DRAWS)
        if 0 < np.mean([draw.score.solved for draw in draws]) < MOST_SOLVED:
            yield game


def cross_entropies(
    agent: PlanClassifier, games: list[Game], seed: int, rules: Rules
) -> list[float]:
    """How badly an agent foresees the outcomes of random plans, by game."""
    errors = []
    for game in games:
        examples = play_examples(game, DRAWS, DRAWS, seed, rules)
        right = np.where(examples.solved, 1, -1) * agent.logits(examples).double().numpy()
        errors.append(float(np.logaddexp(0, -right).mean()))
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", type=Path, help="Checkpoint of a finished training.")
    parser.add_argument("--agent", default="fusion-attention", help="Agent that plays.")
    parser.add_argument("--games", type=int, default=200, help="Number of games to play.")
    parser.add_argument("--hz", type=int, default=AT_10_HZ.hz, help="Ticks per second, 60 or 10.")
    parser.add_argument("--seed", type=int, default=1000, help="Seed of the games.")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="Play with this setting."
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=A,B", help="Compare these values."
    )
    arguments = parser.parse_args()
    given = dict(map(read_setting, arguments.set))
    rules = rules_at(arguments.hz)
    games = list(islice(puzzles(arguments.games, arguments.seed, rules), arguments.games))
    say(f"{len(games)} games")
    for settings in [*varied_settings(arguments.vary)] or [{}]:
        agent, _ = load_trained(
            arguments.checkpoint, "iphyre", arguments.agent, {**given, **settings}
        )
        assert isinstance(agent, PlanClassifier)
        errors = cross_entropies(agent, games, arguments.seed, rules)
        error = np.std(errors) / np.sqrt(len(errors))
        say(f"{settings}, random plans: cross-entropy {np.mean(errors):.3f} ± {error:.3f}")
        testing = Testing(games, rules, np.random.default_rng(0), PLAYS)
        agent.act(testing)
        plays = [[play.score for play in testing.log if play.game == game.name] for game in games]
        first = [scores[0] for scores in plays]
        best = [max(scores, key=lambda score: score.reward) for scores in plays]
        for name, scores in (("one play", first), (f"{PLAYS} plays", best)):
            rewards = [score.reward for score in scores]
            error = np.std(rewards) / np.sqrt(len(rewards))
            solved = np.mean([score.solved for score in scores])
            mean = f"{np.mean(rewards):.1f} ± {error:.1f}"
            say(f"{settings}, {name}: {mean}, solved {100 * solved:.1f} %")


if __name__ == "__main__":
    main()
