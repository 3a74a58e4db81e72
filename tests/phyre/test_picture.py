from __future__ import annotations

import numpy as np
import pytest

from topple.phyre import Simulator, Tier, load_task
from topple.phyre.engine.balls import InvalidActionError
from topple.phyre.engine.result import Outcome
from topple.phyre.palette import PHYRE_RGB
from topple.phyre.pictures import film, outcome, picture, tier_sheet
from topple.phyre.scene import Color

TASK = load_task("00002:007")
GUESS = [0.8, 0.5, 0.2]


def shows(frame: np.typing.NDArray[np.uint8], color: Color) -> bool:
    return bool((frame == PHYRE_RGB[color]).all(axis=-1).any())


def test_a_task_shows_its_colours() -> None:
    start = picture(TASK.scene, size=200)
    for color in (Color.GREEN, Color.PURPLE, Color.BLACK):
        assert shows(start, color)
    assert not shows(start, Color.RED)
    assert shows(picture(TASK.scene, GUESS, 200), Color.RED)


def test_films_show_the_start_and_end_with_the_attempt() -> None:
    watched = film(TASK.scene, GUESS, size=64, fps=10)
    assert watched.outcome is Outcome.NOT_SOLVED
    assert len(watched.frames) == 1 + 167
    assert (watched.frames[0] == picture(TASK.scene, GUESS, 64)).all()
    assert (watched.frames[0] != watched.frames[-1]).any()


def test_films_of_solutions_end_with_them() -> None:
    [solution] = Simulator(TASK).solutions(TASK, budget=1000)
    assert outcome(TASK.scene, solution) is Outcome.SOLVED
    assert len(film(TASK.scene, solution, 16).frames) < 335


def test_a_film_without_an_action_adds_nothing() -> None:
    watched = film(TASK.scene, size=64, fps=1)
    assert not any(shows(frame, Color.RED) for frame in watched.frames)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ([0.5, 0.0, 1.0], "does not fit 00002:007"),
        ([0.5, 0.5], "an action has 3 numbers"),
        ([[0.5, 0.5, 0.5]], "an action has 3 numbers"),
        ([0.5, 1.5, 0.5], "between 0 and 1"),
        ([0.5, float("nan"), 0.5], "between 0 and 1"),
    ],
)
def test_wrong_actions_are_refused(action: list[float], message: str) -> None:
    for use in (picture, film, outcome):
        with pytest.raises(ValueError, match=message):
            use(TASK.scene, action)
    assert issubclass(InvalidActionError, ValueError)


def test_frames_divide_the_second() -> None:
    with pytest.raises(ValueError, match="7 frames a second do not divide"):
        film(TASK.scene, GUESS, fps=7)


def test_sheets_hold_every_template() -> None:
    one = tier_sheet(Tier.BALL, size=32)
    assert one.shape[1] == 5 * (32 + 12) + 12
    five = tier_sheet(Tier.TWO_BALLS, 2, size=32)
    assert five.shape[1] == 2 * (32 + 12) + 12
    assert five.shape[0] == pytest.approx(25 / 5 * one.shape[0], rel=0.1)
    with pytest.raises(ValueError, match="1 or more tasks"):
        tier_sheet(Tier.BALL, 0)
