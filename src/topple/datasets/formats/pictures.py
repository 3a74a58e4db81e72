"""Pictures of a data set as PNG files."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topple.media.png import png_files
from topple.phyre.palette import PHYRE_RGB

_NUMBERS = np.arange(256)[:, None] * (37, 91, 151) % 256  # neighbouring numbers look different
_PALETTES = {"codes": PHYRE_RGB, "masks": (255 - _NUMBERS).astype(np.uint8)}


def picture_files(name: str, pictures: npt.NDArray[np.uint8]) -> list[bytes]:
    """Pictures of a field as PNG; colour codes and masks keep their numbers and look coloured."""
    return png_files(pictures, _PALETTES.get(name))
