from __future__ import annotations

import numpy as np
import pytest

from topple.phyre.palette import PHYRE_RGB, to_rgb
from topple.phyre.scene import Color


def test_colours_are_the_published_ones() -> None:
    names = ("ffffff", "f34f46", "6bcebb", "1877f2", "4b4aa4", "b9cad2", "000000")
    assert [bytes(rgb).hex() for rgb in PHYRE_RGB] == list(names)
    assert len(PHYRE_RGB) == len(Color)


def test_painting_keeps_the_shape() -> None:
    codes = np.array([[Color.RED, Color.BLACK], [Color.WHITE, Color.GREEN]], dtype=np.int64)
    painted = to_rgb(codes)
    assert painted.shape == (2, 2, 3)
    assert painted[0, 0].tolist() == [243, 79, 70]


@pytest.mark.parametrize("code", [-1, 7])
def test_what_is_no_colour(code: int) -> None:
    with pytest.raises(ValueError, match=f"{code} is no colour code; codes run from 0 to 6"):
        to_rgb([0, code])
