"""Agents of I-PHYRE, one per file."""
