"""One object in several threads: refused or harmless, never a wrong result."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from topple.iphyre import ALL, AT_10_HZ, AT_60_HZ, Episode, Strategy, game_named
from topple.iphyre.branches import branch_episode
from topple.iphyre.env_slots import Slots, StepArrays

SLOTS = 1500

pytestmark = pytest.mark.usefixtures("frequent_switches")


def started() -> tuple[Slots, StepArrays]:
    slots = Slots(ALL, SLOTS, Strategy.IN_ADVANCE, AT_10_HZ)
    into = slots.arrays()
    slots.start(np.arange(SLOTS), np.arange(SLOTS) % len(ALL), into)
    return slots, into


def test_a_vector_is_stepped_by_one_thread_at_a_time() -> None:
    actions = np.random.default_rng(0).random((SLOTS, 6), np.float32)
    alone, expected = started()
    alone.step(actions, expected)

    slots, into = started()
    stepping = threading.Thread(target=slots.step, args=(actions, into))
    stepping.start()
    while stepping.is_alive():  # until it has begun
        try:
            slots.status()
        except RuntimeError:
            break
    for call in (
        slots.status,
        lambda: slots.step(actions, slots.arrays()),
        lambda: slots.start([0], [1], slots.arrays()),
        lambda: slots.slot(0),
        lambda: slots.picture(0),
    ):
        with pytest.raises(RuntimeError, match="another thread steps this vector"):
            call()
    stepping.join()
    for ours, theirs in zip(into, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(slots.status(), alone.status(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_refused_step_leaves_the_vector_usable() -> None:
    slots, into = started()
    with pytest.raises(ValueError, match="6 numbers from 0 to 1"):
        slots.step(np.full((SLOTS, 6), 2.0, np.float32), into)
    slots.step(np.zeros((SLOTS, 6), np.float32), into)
    assert (slots.status().tick > 0).all()


def test_branches_start_from_one_state_while_another_thread_plays() -> None:
    episode = Episode(game_named("seesaw"), AT_60_HZ)
    episode.run(10)
    [expected] = branch_episode(episode, [[]]).final
    for _ in range(2):
        episode.reset()
        episode.run(10)
        done = threading.Event()

        def play(done: threading.Event = done) -> None:
            while not done.is_set() and episode.tick < AT_60_HZ.tick_limit:
                episode.world.step()

        player = threading.Thread(target=play)
        player.start()
        result = branch_episode(episode, [[]] * 600, threads=2)
        done.set()
        player.join()
        for final in result.final:
            assert final.tobytes() == expected.tobytes()
