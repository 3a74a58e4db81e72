"""Attention Fusion: it learns from scrambled games, and bodies may come in any order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from support.phases import game_training, play_games
from topple.iphyre.agents.attention_fusion import AttentionFusionAgent, mirrored
from topple.iphyre.agents.attention_network import AttentionFusion, motion_error, relations
from topple.iphyre.agents.outcome_data import (
    MOTION_TIMES,
    Examples,
    first_table,
    joined,
    play_examples,
    sample_examples,
    widened,
)
from topple.iphyre.agents.plan_classifier import outcome_error, plans_beside
from topple.iphyre.episode import Episode
from topple.iphyre.game import HEIGHT, WIDTH, Block, Game
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
from topple.iphyre.sampling import INTERVAL, LATEST, Draw, play_draws
from topple.runs.agent import UNSAVED, Report, TrainingOptions
from topple.runs.attention import AttentionBlock

GAMES = (game_named("support"), game_named("hinder"))
SMALL: dict[str, Any] = {
    "embed_dim": 32,
    "n_layers": 2,
    "variants": 2,
    "scrambled": 30,
    "draws": 64,
    "samples_per_class": 20,
}


def test_games_are_widened_and_the_same_for_the_same_seed() -> None:
    games = list(widened(GAMES, 2, 5, seed=0))
    assert games[:2] == list(GAMES)
    assert len(games) == 2 + 2 * 2 + 5
    assert all(game.eliminable for game in games)
    assert games == list(widened(GAMES, 2, 5, seed=0))
    assert games != list(widened(GAMES, 2, 5, seed=1))


def test_examples_are_plans_of_their_games() -> None:
    games = list(widened(GAMES, 0, 10, seed=0))
    examples = joined([play_examples(game, 40, 10, seed) for seed, game in enumerate(games)])
    assert set(examples.game.tolist()) == set(range(len(games)))
    for number, game in enumerate(games):
        own = examples.game == number
        assert examples.solved[own].sum() <= 10
        assert not np.delete(examples.times[own], list(game.eliminable), axis=1).any()


def test_plays_at_another_rate_are_other_examples() -> None:
    game = game_named("seesaw")  # which nothing solves at 10 Hz
    slow, fast = (play_examples(game, 200, 100, 0, rules) for rules in (AT_10_HZ, AT_60_HZ))
    assert not slow.solved.any()
    assert fast.solved.any()


@pytest.mark.parametrize(
    ("name", "each", "trial", "draws"),
    [
        ("support", 5, 4, 100),  # whose first six plans work
        ("seesaw", 5, 10, 100),  # which nothing solves
        ("hinder", 3, 20, 100),  # has enough of both kinds when the trial ends
        ("hinder", 6, 20, 100),  # has them later
        ("hinder", 50, 20, 100),  # never has them
        ("hinder", 3, 101, 100),  # has no time for the trial
    ],
)
def test_plays_end_when_there_are_enough(
    name: str, each: int, trial: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, seen = game_named(name), []

    def play(*arguments: Any) -> Iterator[Draw]:
        for draw in play_draws(*arguments):
            seen.append(draw.score.solved)
            yield draw

    monkeypatch.setattr("topple.iphyre.agents.outcome_data.play_draws", play)
    everything = play_examples(game, draws, each, 0, watched=True)
    works, seen[:] = np.cumsum(seen), []
    early = play_examples(game, draws, each, 0, watched=True, trial=trial)
    plays = np.arange(1, draws + 1)
    ends = (plays >= trial) & (np.minimum(works, plays - works) >= each)
    ends |= (plays == trial) & ((works == 0) | (works == plays))
    assert len(seen) == (plays[ends][0] if ends.any() else draws)
    if not ends.any():
        assert early.digest == everything.digest
    for solved in (False, True):
        own = early.part(early.solved == solved)
        longer = everything.part(everything.solved == solved)
        assert own.size == min(each if any(seen) else each // 4, seen.count(solved))
        assert own.digest == longer.part(np.arange(longer.size) < own.size).digest


@pytest.mark.parametrize("hz", [10, 60])
def test_motion_is_where_bodies_go_in_each_play(hz: int) -> None:
    game, rules = game_named("hinder"), AT_10_HZ if hz == 10 else AT_60_HZ
    examples = play_examples(game, 100, 10, 0, rules, watched=True)
    assert examples.motion is not None
    assert 0 < examples.solved.sum() < examples.size
    ball = game.scene.is_dynamic.index(True)
    falls = examples.motion[:, ball, -1, 2] == 1
    assert (falls == examples.solved).all()  # the game has a single ball
    assert np.isnan(examples.motion[:, [k != ball for k in range(12)]]).all()
    gray = list(game.eliminable)
    drawn = islice(play_draws(game, 0, rules), 100)
    draws = {tuple(np.array(draw.times, np.float32).tolist()): draw for draw in drawn}
    for times, motion in zip(examples.times[:, gray], examples.motion, strict=True):
        draw = draws[tuple(times.tolist())]
        episode = Episode(game, replace(rules, builds=draw.builds))
        start = episode.world.poses()[ball]
        after = iter(zip(MOTION_TIMES, motion[ball], strict=True))
        while not episode.state.over:
            for tick, body in draw.plan.eliminations:
                if tick == episode.tick:
                    episode.remove(body)
            episode.step()
            if episode.tick % hz == 0 and episode.tick // hz in MOTION_TIMES:
                _, (right, down, out) = next(after)
                now = episode.world.poses()[ball]
                came = np.clip((now[:2] - start[:2]) / WIDTH, -1.5, 1.5)
                np.testing.assert_allclose([right, down], came, atol=1e-3)
                assert out == (now[1] > HEIGHT)
        for _, (_, _, out) in after:  # nothing moves any more once it is over
            assert out == episode.solved


@pytest.mark.parametrize(("frequencies", "between"), [(0, False), (4, False), (0, True)])
def test_the_order_of_bodies_does_not_matter(frequencies: int, between: bool) -> None:
    examples = sample_examples(GAMES, 5)
    network = AttentionFusion(2, 32, 4, frequencies, relations=between).eval()
    tables = torch.from_numpy(examples.tables[examples.game])
    times = torch.from_numpy(examples.times)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        straight, shuffled = network(tables, times), network(tables[:, order], times[:, order])
    torch.testing.assert_close(straight, shuffled)


def test_relations_are_those_of_two_segments() -> None:
    """A level bar, a ball above it, one at its end, and two bars joined by a stick."""
    table = np.zeros((1, 12, 9), np.float32)
    table[0, 0, :5] = 0.2, 0.5, 0.6, 0.5, 0.01
    table[0, 1, :5] = 0.3, 0.3, 0.3, 0.3, 0.03
    table[0, 2, :5] = 0.7, 0.5, 0.7, 0.5, 0.03
    table[0, 3, :5] = 0.9, 0.1, 0.9, 0.3, 0.01
    table[0, 3:5, 7] = 1.0
    table[0, 4, :5] = 0.8, 0.1, 0.8, 0.2, 0.01
    names = ("dx", "dy", "x", "y", "gap", "close", "below", "ahead", "aside", "stick", "spring")
    columns = relations(torch.from_numpy(table))[0].unbind(dim=2)
    found = dict(zip(names, columns, strict=True))

    def check(first: int, second: int, **wanted: float) -> None:
        for name, value in wanted.items():
            assert found[name][first, second].item() == pytest.approx(value, abs=1e-5), name

    check(0, 1, dx=-0.1, dy=-0.2, x=0.0, y=-0.2, gap=0.16, ahead=-0.1, aside=0.2, below=0.0)
    check(1, 0, dx=0.1, dy=0.2, x=0.0, y=0.2, gap=0.16, below=1.0, stick=0.0)
    check(0, 2, x=0.1, y=0.0, gap=0.06, close=math.exp(-0.06 / 0.05), ahead=0.3, aside=0.0)
    check(2, 0, x=-0.1, y=0.0, gap=0.06, ahead=0.0, aside=0.0)  # a ball has no direction
    check(3, 4, x=-0.1, y=0.0, gap=0.08, stick=1.0, spring=0.0)
    check(4, 3, x=0.1, y=0.0, gap=0.08, stick=1.0)
    gap = found["gap"][:5, :5]
    torch.testing.assert_close(gap, gap.T)
    assert all(torch.isfinite(column).all() for column in columns)


def test_motion_errors_are_those_of_bodies_that_can_move() -> None:
    generator = torch.Generator().manual_seed(0)
    shape = (6, 12, len(MOTION_TIMES), 3)
    said, motion = (torch.rand(shape, generator=generator) for _ in range(2))
    fixed = torch.rand(shape[:2], generator=generator) < 0.7
    motion[fixed] = torch.nan
    said.requires_grad_()
    error = motion_error(said, motion)
    torch.testing.assert_close(error, motion_error(said[~fixed][None], motion[~fixed][None]))
    (gradient,) = torch.autograd.grad(error, said)
    assert (gradient[fixed] == 0).all()
    assert (gradient[~fixed] != 0).all()
    moved = torch.full((1, 12, len(MOTION_TIMES), 3), torch.nan)
    moved[0, 3] = torch.tensor([0.1, 0.0, 1.0])
    # Smooth L1 of 0.1 is 0.075 beyond 0.05, that of 0 is 0, and nothing is known of what is out.
    wanted = pytest.approx(4 * 0.075 / 2 + math.log(2))
    assert motion_error(torch.zeros_like(moved), moved).item() == wanted


@pytest.fixture(scope="module")
def watched() -> Examples:
    """Plans of both games with the motion in their plays."""
    return joined([play_examples(game, 64, 10, 0, watched=True) for game in GAMES])


def test_half_precision_gives_nearly_the_same_loss(watched: Examples) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = AttentionFusion(2, 32, 4, frequencies=6, relations=True, motion=True)
    assert watched.motion is not None
    motion = torch.from_numpy(watched.motion).float()
    tables, times = torch.from_numpy(watched.tables[watched.game]), torch.from_numpy(watched.times)
    found: list[Tensor] = []
    for part in (network.bodies, network.relations):
        part.register_forward_hook(lambda *given: found.append(given[2]))
    losses = []
    for half in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            scores, said = network.watch(tables, times)
        assert said.dtype == (torch.bfloat16 if half else torch.float32)
        outcome = outcome_error(scores, torch.from_numpy(watched.solved).long())
        losses.append(torch.stack([outcome, motion_error(said.float(), motion)]))
    torch.testing.assert_close(losses[1], losses[0], rtol=0.03, atol=0)
    assert (losses[1] != losses[0]).all()
    for whole, half_found in zip(found[:2], found[2:], strict=True):
        torch.testing.assert_close(half_found, whole, rtol=0, atol=0)  # places stay exact
    gradients = torch.autograd.grad(losses[1].sum(), list(network.parameters()))
    assert all(gradient.isfinite().all() for gradient in gradients)


@pytest.mark.parametrize("half", [False, True])
def test_attention_takes_a_mask_of_numbers(half: bool) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        block, tokens = AttentionBlock(32, 4), torch.randn(3, 6, 32)
    seen = torch.ones(3, 1, 1, 6, dtype=torch.bool)
    seen[..., 4:] = False
    numbers = torch.zeros(3, 4, 6, 6).masked_fill(~seen, -torch.inf)
    with torch.no_grad():
        wanted = block(tokens, seen)
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            found, preferring = block(tokens, numbers), block(tokens, numbers + torch.eye(6))
    tolerance = 0.05 if half else 1e-5
    torch.testing.assert_close(found, wanted, rtol=0, atol=tolerance)
    assert (preferring != found).any()


def test_reports_count_the_games_played_and_then_the_updates() -> None:
    agent = AttentionFusionAgent(**{**AttentionFusionAgent.smoke, "scrambled": 60})
    games = [game_named("support")]
    reports = list(agent.learn(game_training(games)))
    playing = [report for report in reports if report.preparing]
    assert [(report.done, report.planned) for report in playing] == [
        (25, 62),
        (50, 62),
        (62, 62),
    ]
    fitting = reports[len(playing) :]
    assert fitting[-1].done == fitting[-1].planned
    assert all(report.loss is not None and report.loss > 0.0 for report in fitting)


def learned_from(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Examples:
    """What an agent with these settings learns from."""
    agent = AttentionFusionAgent(**{**AttentionFusionAgent.smoke, **settings})
    found = []

    def fit(data: Examples, *_: object) -> Iterator[Report]:
        found.append(data)
        return iter(())

    monkeypatch.setattr(agent, "fit", fit)
    list(agent.fit_games(GAMES, 0, UNSAVED))
    return found[0]


def test_processes_play_what_one_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both chunks of games and chunks that games are to be made of."""
    settings = {"variants": 15, "scrambled": 40, "own_seeds": True, "trial": 16}
    digests = []
    for few in (1, 100):
        monkeypatch.setattr("topple.iphyre.agents.attention_fusion._FEW", few)
        digests.append(learned_from(monkeypatch, **settings).digest)
    assert digests[0] == digests[1]


def test_games_with_seeds_of_their_own_do_not_depend_on_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = {"own_seeds": True, "combined": 0.3, "motion_weight": 1.0, "draws": 20, "trial": 8}
    found = []
    for cores, scrambled in ((1, 30), (3, 50), (2, 60)):
        monkeypatch.setattr("topple.threads.default_threads", lambda cores=cores: cores)
        found.append(learned_from(monkeypatch, scrambled=scrambled, **settings))
        assert len(found[-1].tables) == 4 + scrambled
    longest = found[-1]
    for fewer in found[:-1]:
        games = len(fewer.tables)
        first = longest.part(longest.game < games)._replace(tables=longest.tables[:games])
        assert first.digest == fewer.digest
    others = (
        learned_from(monkeypatch, scrambled=30, **{**settings, name: value})
        for name, value in (("data_seed", 1), ("combined", 0.0), ("own_seeds", False))
    )
    assert all((other.tables[4:] != longest.tables[4:34]).any() for other in others)
    assert len(np.unique(longest.tables, axis=0)) == len(longest.tables)


def in_mirror(game: Game) -> Game:
    """A game with left and right swapped."""
    blocks = [
        Block((WIDTH - b.start[0], b.start[1]), (WIDTH - b.end[0], b.end[1]), b.kind)
        for b in game.blocks
    ]
    balls = [ball._replace(x=WIDTH - ball.x) for ball in game.balls]
    return Game(game.name, "", tuple(blocks), tuple(balls), game.sticks, game.springs)


def test_mirrored_tables_are_those_of_mirrored_games() -> None:
    games = [*GAMES, game_named("multi_ball_pendulum"), game_named("impulse_spring")]
    tables, wanted = (
        np.stack([first_table(game) for game in some]) for some in (games, map(in_mirror, games))
    )
    seen = mirrored(tables)
    np.testing.assert_allclose(seen, wanted, rtol=0, atol=1e-6)
    assert seen.dtype == tables.dtype
    assert (seen != tables).any(axis=(1, 2)).all()
    assert not seen[~tables.any(axis=2)].any()
    np.testing.assert_allclose(mirrored(seen), tables, rtol=0, atol=1e-6)


def test_an_agent_can_look_into_the_mirror_after_training(tmp_path: Path) -> None:
    path = tmp_path / "fit.pt"
    agent = AttentionFusionAgent(**AttentionFusionAgent.smoke)
    list(agent.learn(game_training(GAMES), TrainingOptions(path)))
    loaded = AttentionFusionAgent(mirrored=True)
    loaded.load(path)
    assert loaded.mirrored
    examples = sample_examples(GAMES, 5)
    reflected = examples._replace(tables=mirrored(examples.tables))
    plain, other = agent.logits(examples), agent.logits(reflected)
    assert not torch.allclose(plain, other)
    mean = (plain + other) / 2
    torch.testing.assert_close(loaded.logits(examples), mean)
    torch.testing.assert_close(loaded.logits(reflected), mean)


def test_plans_beside_others_are_plans() -> None:
    rng = np.random.default_rng(0)
    given = np.array([[0.1, 6.9, 0.0], [3.0, 3.1, 3.2]])
    near = plans_beside(np.repeat(given, 200, axis=0), rng)
    assert 200 < len(near) < 400
    assert (near >= 0).all()
    assert (near < LATEST).all()
    np.testing.assert_allclose(near / INTERVAL, (near / INTERVAL).round(), atol=1e-9)
    for row in near.tolist():
        removed = [time for time in row if time]
        assert len(set(removed)) == len(removed)
    assert (near[:, 2] == 0).any()
    assert (near[:, 2] > 0).any()
    unchanged = plans_beside(np.zeros((0, 3)), rng)
    assert unchanged.shape == (0, 3)


class Judge(nn.Module):
    """Likes plans that remove blocks late."""

    def forward(self, tables: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
        return torch.stack([torch.zeros(len(times)), times.sum(dim=1) - 5.0], dim=1)


def total_times(**settings: Any) -> list[float]:
    """The sum of the times of removals, in seconds, in each of five plays."""
    agent = AttentionFusionAgent(**SMALL, candidates=100, **settings)
    agent._network = Judge()
    log = play_games(agent, [game_named("hinder")], plays=5, seed=1).log
    return [sum(each.tick for each in play.plan.eliminations) / 10 for play in log]


def test_failures_count_against_plans_beside_them() -> None:
    best_first = total_times()
    felt = total_times(failure_penalty=20.0, failure_radius=0.1)
    assert felt[0] == best_first[0]
    assert np.std(felt) > np.std(best_first)


def test_refinement_finds_better_plans_by_the_network() -> None:
    assert total_times(refined=300)[0] > total_times()[0]


def test_it_learns_and_beats_random_plans() -> None:
    agent = AttentionFusionAgent(**SMALL, n_epochs=30, batch_size=32, candidates=200)
    agent.train(game_training(GAMES))
    assert agent.accuracy(sample_examples(GAMES, 20, masked=False)) > 0.75
    assert [play.score.solved for play in play_games(agent, GAMES, seed=1).log] == [True, True]


def test_motion_is_learned_beside_the_outcome(tmp_path: Path) -> None:
    settings = {**SMALL, "n_epochs": 20, "batch_size": 32, "motion_weight": 1.0, "relations": True}
    agent = AttentionFusionAgent(**settings, candidates=200)
    list(agent.learn(game_training(GAMES), TrainingOptions(tmp_path / "fit.pt")))
    own = [play_examples(game, 64, 20, 0, watched=True) for game in GAMES]
    examples = joined(own)
    assert examples.motion is not None
    motion = torch.from_numpy(examples.motion).float()
    tables = torch.from_numpy(examples.tables[examples.game])
    assert isinstance(agent.network, AttentionFusion)
    with torch.no_grad():
        scores, said = agent.network.watch(tables, torch.from_numpy(examples.times))
        stays = torch.zeros_like(said)
    assert motion_error(said, motion) < 0.5 * motion_error(stays, motion)
    torch.testing.assert_close(scores[:, 1] - scores[:, 0], agent.logits(examples))
    loaded = AttentionFusionAgent()
    loaded.load(tmp_path / "fit.pt")
    assert loaded.motion_weight == 1.0
    torch.testing.assert_close(loaded.logits(examples), agent.logits(examples), rtol=0, atol=0)


def weights(cores: int, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> list[torch.Tensor]:
    """The weights after two epochs on so many cores."""
    monkeypatch.setattr("topple.threads.default_threads", lambda: cores)
    agent = AttentionFusionAgent(**{**SMALL, "n_epochs": 2, "batch_size": 50, **settings})
    agent.train(game_training(GAMES))
    return [weight.detach() for weight in agent.network.parameters()]


@pytest.mark.parametrize("taught", [False, True])
def test_parts_of_a_minibatch_give_the_same_bits_on_any_number_of_cores(
    taught: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"motion_weight": 1.0 * taught, "relations": taught, "scrambled": 10}
    whole = weights(2, monkeypatch, **settings)
    one = weights(1, monkeypatch, parts=3, **settings)
    three = weights(3, monkeypatch, parts=3, **settings)
    for first, second, third in zip(whole, one, three, strict=True):
        torch.testing.assert_close(second, third, rtol=0, atol=0)
        torch.testing.assert_close(first, second, rtol=0, atol=5e-3)
    assert any((first != second).any() for first, second in zip(whole, one, strict=True))


def test_a_finished_checkpoint_in_half_precision_is_small_and_plays_alike(tmp_path: Path) -> None:
    sizes = {}
    for half in (False, True):
        agent = AttentionFusionAgent(**AttentionFusionAgent.smoke, half_precision=half)
        path = tmp_path / f"{half}.pt"
        list(agent.learn(game_training(GAMES), TrainingOptions(path)))
        sizes[half] = path.stat().st_size
        loaded = AttentionFusionAgent()
        loaded.load(path)
        assert loaded.half_precision is half
        examples = sample_examples(GAMES, 5)
        torch.testing.assert_close(loaded.logits(examples), agent.logits(examples), rtol=0, atol=0)
        again = AttentionFusionAgent(**AttentionFusionAgent.smoke, half_precision=half)
        resumed = again.learn(game_training(GAMES), TrainingOptions(path))
        assert all(report.preparing for report in resumed)  # nothing was left to train
    assert sizes[True] < 0.75 * sizes[False]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hz": 30}, "hz is 30; the benchmark is played at 60 or at 10"),
        ({"combined": 2}, "combined is 2; it has to be from 0 to 1"),
        ({"embed_dim": 30}, "embed_dim is 30; it has to be a multiple of 4 \\(n_heads\\)"),
        ({"scrambled": -1}, "scrambled is -1; it has to be 0 or more"),
        ({"trial": -1}, "trial is -1; it has to be 0 or more"),
        ({"warm_up": -1}, "warm_up is -1; it has to be 0 or more"),
        ({"motion_weight": -1.0}, "motion_weight is -1.0; it has to be 0 or more"),
        ({"parts": 0}, "parts is 0; it has to be 1 or more"),
        ({"n_layers": 0}, "n_layers is 0; it has to be 1 or more"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AttentionFusionAgent(**settings)  # type: ignore[arg-type]
