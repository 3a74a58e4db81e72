from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from topple.iphyre import Split, game_named, plan_from_seconds
from topple.iphyre.pictures import (
    BLACK,
    BLUE,
    GRAY,
    PURPLE,
    RED,
    WHITE,
    picture_episode,
    picture_game,
    sheet,
)
from topple.media.files import save_frames, save_png


def colors(frame: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(color) for color in np.unique(frame.reshape(-1, 3), axis=0).tolist()}


def test_colours() -> None:
    frame = picture_game(game_named("impulse_spring"), smooth=1)
    assert {WHITE, RED, GRAY, BLACK, BLUE, PURPLE} <= colors(frame)
    assert frame[400, 300].tolist() == list(BLACK)
    assert frame[130, 205].tolist() == list(BLUE)
    assert PURPLE not in colors(picture_game(game_named("hole"), smooth=1))


def test_episode_frames() -> None:
    game = game_named("support")
    frames = picture_episode(game, plan_from_seconds(game, [0.2, 0.4]), fps=10, size=120)
    assert len(frames) > 15
    assert frames[0][80, 50].tolist() == list(GRAY)
    red = (frames[-1] == RED).all(axis=2)
    assert not red[:114].any()  # the ball's centre has left; its top may still show
    with pytest.raises(ValueError, match="7 frames a second do not divide 60"):
        picture_episode(game, fps=7)


def test_files(tmp_path: Path) -> None:
    game = game_named("fill")
    frames = picture_episode(game, plan_from_seconds(game, [1.6, None, 0.343]), fps=5, size=100)
    for ending in ("png", "gif", "mp4"):
        path = tmp_path / f"deep/episode.{ending}"
        save_frames(frames, path, fps=5)
        assert path.stat().st_size > 300
    with Image.open(tmp_path / "deep/episode.gif") as image:
        assert getattr(image, "n_frames", 0) > 20


def test_sheets(tmp_path: Path) -> None:
    for split in Split:
        frame = sheet(split.games, size=60)
        assert frame.shape[1] > 5 * 60
        save_png(frame, tmp_path / f"{split.value}.png")
    assert len(list(tmp_path.iterdir())) == 5
