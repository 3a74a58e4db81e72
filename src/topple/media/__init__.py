"""Observations: images, object features and frames for people."""
