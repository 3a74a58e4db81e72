"""`generate_actions` of the original: random plans, sorted by how they end."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from topple.compat.iphyre.games import GAMES
from topple.compat.iphyre.simulator import IPHYRE
from topple.iphyre.sampling import draw_times


def generate_actions(
    game: Hashable,
    num_succeed: int,
    num_fail: int,
    interval: float,
    max_game_time: float,
    max_action_time: float,
    max_step: int,
    seed: int | None = 0,
    epsilon: float = 0.2,
) -> tuple[list[list[Any]], list[list[Any]], int]:
    """Draw times per block until enough plans succeeded and enough failed.

    One space serves all plans, so the physics of a plan depends on its place in the
    sequence. How times are drawn is told in `topple.iphyre.sampling`. As in the original, they
    are drawn with the global generators of Python and NumPy, which this seeds.

    Returns:
        Successes, failures (rows of `max_step` times, success, blocks removed, end
        time) and the number of plans drawn.

    Raises:
        ValueError: `max_action_time` is later than `max_game_time`.
    """
    if max_action_time > max_game_time:
        raise ValueError(f"max_action_time {max_action_time} is after {max_game_time}, the end")
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    demo = IPHYRE(game)
    positions = demo.get_action_space()
    blocks = sum(entry == 1 for entry in demo.eli)
    rows: tuple[list[list[Any]], list[list[Any]]] = ([], [])  # failures, successes
    wanted = (num_fail, num_succeed)
    generators: Any = random, np.random  # the modules have the methods of their generators
    draws = draw_times(blocks, max_step, interval, max_action_time, epsilon, generators=generators)
    iteration = 0
    while any(len(found) < count for found, count in zip(rows, wanted, strict=True)):
        iteration += 1
        demo.reset()
        times = next(draws)
        clicks: list[Sequence[float]] = [
            (*positions[i + 1], time) for i, time in enumerate(times[:max_step])
        ]
        success, removed, end = demo.simulate(clicks)
        if len(rows[success]) < wanted[success]:
            # Times the episode did not live to see are stored as "never".
            reached = [time if time <= end else 0.0 for time in times]
            rows[success].append([*reached, success, removed, end])
    return rows[1], rows[0], iteration


def collect_initial_all(save_path: str = "./dataset/game_initial_data/") -> None:
    """Write the layout, table and picture of every game."""
    for game in GAMES:
        IPHYRE(game).collect_initial_data(save_path=save_path)
