"""Topple: the PHYRE and I-PHYRE physics puzzles, faithful and fast."""

__version__ = "0.1.0"

__all__ = ["__version__"]
