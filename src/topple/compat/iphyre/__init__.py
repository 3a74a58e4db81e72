"""The names of the original I-PHYRE package, for code written for it.

Change `from iphyre.simulator import IPHYRE` to `from topple.compat.iphyre.simulator
import IPHYRE`, and likewise for `games` and `utils`; the environments of the
original's repository are in `wrappers`. Results are those of version 0.2.3. The
functions that open a window are left to Topple's player.
"""

from topple.compat.iphyre import games, simulator, utils

__all__ = ["games", "simulator", "utils"]
