"""Baselines of PHYRE, one per file."""
