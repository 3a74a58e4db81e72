from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from topple.files import whole_file
from topple.media.files import DrawnFrames, Frame, FrameFileError, save_frames, save_png
from topple.media.sheet import contact_sheet


def moving_square(count: int, size: int = 40) -> list[Frame]:
    frames = []
    for k in range(count):
        frame = np.full((size, size, 3), 255, np.uint8)
        frame[5:15, k : k + 10] = (243, 79, 70)
        frame[20:, :] = (0, 0, 0)
        frames.append(frame)
    return frames


def test_png_comes_back_exactly(tmp_path: Path) -> None:
    frame = moving_square(1)[0]
    save_png(frame, tmp_path / "deep" / "one.png")
    with Image.open(tmp_path / "deep" / "one.png") as image:
        assert (np.asarray(image) == frame).all()


def test_gif_comes_back_exactly_and_loops(tmp_path: Path) -> None:
    frames = moving_square(12)
    save_frames(frames, tmp_path / "a.gif", fps=20, hold=1.0)
    save_frames(frames, str(tmp_path / "b.gif"), fps=20, hold=1.0)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    with Image.open(tmp_path / "a.gif") as gif:
        assert getattr(gif, "n_frames", 1) == 12
        assert gif.info["loop"] == 0
        for k, frame in enumerate(frames):
            gif.seek(k)
            assert (np.asarray(gif.convert("RGB")) == frame).all()
            assert gif.info["duration"] == (50 if k < 11 else 1050)


def test_gif_shows_equal_frames_as_one_and_gaps_between_changes(tmp_path: Path) -> None:
    still, moved = moving_square(2)
    moved[35:, 30:] = (1, 2, 3)  # far from the square: what lies between does not change
    save_frames([still, still, moved, moved, still], tmp_path / "a.gif", fps=20)
    with Image.open(tmp_path / "a.gif") as gif:
        assert getattr(gif, "n_frames", 1) == 3
        for k, (frame, duration) in enumerate([(still, 100), (moved, 100), (still, 50)]):
            gif.seek(k)
            assert (np.asarray(gif.convert("RGB")) == frame).all()
            assert gif.info["duration"] == duration


def test_drawn_frames_are_a_sequence() -> None:
    frames = moving_square(5)
    drawn = DrawnFrames(5, frames.__getitem__)
    assert len(drawn) == 5
    assert all(one is other for one, other in zip(drawn, frames, strict=True))
    assert drawn[-1] is frames[4]
    assert [id(frame) for frame in drawn[1::2]] == [id(frames[1]), id(frames[3])]
    with pytest.raises(IndexError):
        drawn[5]


FILM = """
import re, sys
from pathlib import Path
import numpy as np
from topple.media.files import DrawnFrames, save_frames

def draw(number):
    frame = np.full((600, 600, 3), 255, np.uint8)
    frame[100:200, 2 * number : 2 * number + 100] = 90
    return frame

for count in (2, 120):
    save_frames(DrawnFrames(count, draw), sys.argv[1])
    print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_long_film_takes_little_more_memory_than_a_short_one(tmp_path: Path, name: str) -> None:
    if name == "a.mp4":
        pytest.importorskip("av")
    done = subprocess.run(
        [sys.executable, "-c", FILM, name], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    short, long = map(int, done.stdout.split())
    # KiB. All frames would take 123 MiB more; the encoder of MP4 keeps 80 by itself.
    assert long - short < (120 if name == "a.mp4" else 10) * 1024


def test_gif_takes_the_nearest_of_too_many_colours(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    noise[:32] = (10, 200, 30)
    save_frames([noise], tmp_path / "noise.gif")
    with Image.open(tmp_path / "noise.gif") as gif:
        back = np.asarray(gif.convert("RGB")).astype(int)
    assert (back[:32] == (10, 200, 30)).all()
    assert abs(back - noise).mean() < 40


@pytest.mark.parametrize("size", [40, 41])
def test_mp4_comes_back_with_all_frames(tmp_path: Path, size: int) -> None:
    av = pytest.importorskip("av")
    save_frames(moving_square(12, size), tmp_path / "a.mp4", fps=20)
    with av.open(str(tmp_path / "a.mp4")) as video:
        assert video.streams.video[0].average_rate == 20
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    assert len(frames) == 12
    assert frames[0].shape == (size + size % 2, size + size % 2, 3)
    assert frames[0][-1].mean() < 20 < 200 < frames[0][0, -1].mean()


def test_mp4_without_its_package_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(FrameFileError, match=r"pip install 'topple\[video\]'"):
        save_frames(moving_square(2), tmp_path / "a.mp4")
    assert list(tmp_path.iterdir()) == []


def test_wrong_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FrameFileError, match=r"must end in \.png, \.gif, \.mp4"):
        save_frames(moving_square(1), tmp_path / "a.bmp")
    with pytest.raises(FrameFileError, match="no frames"):
        save_frames([], tmp_path / "a.gif")
    with pytest.raises(FrameFileError, match="1 to 60 frames a second"):
        save_frames(moving_square(1), tmp_path / "a.gif", fps=0)


def test_a_broken_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def stop_halfway() -> None:
        with whole_file(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop_halfway()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_sheets_lay_frames_out_in_rows() -> None:
    frames = moving_square(7)
    sheet = contact_sheet(frames, [str(k) for k in range(7)], columns=3, margin=10)
    assert sheet.shape[1] == 3 * 50 + 10
    assert sheet.shape[0] > 3 * 50
    assert (sheet[10:50, 60:100] == frames[1]).all()
    with pytest.raises(ValueError, match="1 labels for 7 frames"):
        contact_sheet(frames, ["a"], 3)
    with pytest.raises(ValueError, match="needs frames and columns"):
        contact_sheet([], [], 3)
