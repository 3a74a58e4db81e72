"""Simulation: packed scenes in, outcomes and trajectories out."""
