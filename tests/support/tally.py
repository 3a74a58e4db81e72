"""The type of the `tally` fixture."""

from collections.abc import Callable

#: Called with the kind of golden data, its mismatches and its comparisons.
Tally = Callable[[str, int, int], None]
