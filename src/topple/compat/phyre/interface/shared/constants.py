"""Constants of the original's `shared.thrift`."""

from topple.compat.phyre.interface.shared.ttypes import Color

USER_BODY_COLOR = Color.RED
