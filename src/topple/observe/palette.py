"""PHYRE's colours: from codes to what people see."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: [7, 3] the paper's colours, in the order of topple.scene.Color.
PHYRE_RGB: npt.NDArray[np.uint8] = np.array(
    [
        (0xFF, 0xFF, 0xFF),  # white
        (0xF3, 0x4F, 0x46),  # red
        (0x6B, 0xCE, 0xBB),  # green
        (0x18, 0x77, 0xF2),  # blue
        (0x4B, 0x4A, 0xA4),  # purple
        (0xB9, 0xCA, 0xD2),  # gray
        (0x00, 0x00, 0x00),  # black
    ],
    dtype=np.uint8,
)
PHYRE_RGB.flags.writeable = False


def to_rgb(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """[..., 3] the colours of an image of codes, its rows in the same order.

    Raises:
        ValueError: if a code is none of the seven.
    """
    codes = np.asarray(image)
    if codes.size and codes.max() >= len(PHYRE_RGB):
        raise ValueError(
            f"{codes.max()} is no colour code; they run from 0 to {len(PHYRE_RGB) - 1}"
        )
    rgb: npt.NDArray[np.uint8] = PHYRE_RGB[codes]
    return rgb
