"""Analyses of the games and of how plans succeed and fail."""
