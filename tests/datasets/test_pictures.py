"""Pictures of data sets: PNG files and films have the same bytes, whatever is in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from support.dataset_specs import phyre_spec
from topple.datasets import Keep, build, check
from topple.datasets.formats.pictures import picture_files
from topple.media.files import FrameFileError, mp4_bytes
from topple.media.png import png_files, read_png
from topple.phyre.palette import to_rgb, to_rgba

CODES = np.random.default_rng(0).integers(0, 7, (3, 64, 66), np.uint8)


@pytest.mark.parametrize("name", ["codes", "masks"])
@pytest.mark.parametrize("width", [66, 65])
def test_png_keeps_pictures_from_the_top_and_from_the_bottom(name: str, width: int) -> None:
    pictures = np.concatenate([CODES, CODES[-1:]])[:, :, :width]
    files = picture_files(name, pictures)
    assert all(map(np.array_equal, map(read_png, files), pictures))
    assert files[-1] is files[-2]
    from_the_bottom = np.ascontiguousarray(pictures[:, ::-1])[:, ::-1]
    assert picture_files(name, from_the_bottom) == files
    painted = to_rgb(pictures)
    assert all(map(np.array_equal, map(read_png, png_files(painted)), painted))


def test_opaque_colours_make_the_same_film() -> None:
    painted = [to_rgba(codes) for codes in CODES]
    assert np.array_equal(np.array(painted)[..., :3], to_rgb(CODES))
    assert mp4_bytes(iter(painted), Fraction(5)) == mp4_bytes(to_rgb(CODES), Fraction(5))


FILM = """
import hashlib
from fractions import Fraction
import numpy as np
from topple.media.files import mp4_bytes
for width in (32, 65, 96, 100, 128):
    film = np.full((16, 96, width, 3), 255, np.uint8)
    for step in range(16):  # two boxes that fall, one of them to the right
        film[step, 3 * step : 3 * step + 20, step : step + 12] = (243, 79, 70)
        film[step, 5 * step : 5 * step + 10, width // 2 :] = (24, 119, 242)
    print(hashlib.sha256(mp4_bytes(film, Fraction(5))).hexdigest())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is filled by the C library of GNU")
def test_films_do_not_depend_on_what_is_in_memory() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", FILM],
            env={**os.environ, "MALLOC_PERTURB_": fill},
            capture_output=True,
            check=True,
        ).stdout
        for fill in ("85", "170")
    }
    assert len(printed) == 1


def test_states_need_no_library_of_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "isal", None)
    spec = phyre_spec(format="webdataset", keep=Keep(stride=200, states=True))
    build(spec, tmp_path)
    assert check(tmp_path).faults == []
    with pytest.raises(FrameFileError, match="isal"):
        png_files(CODES, np.zeros((7, 3), np.uint8))
