"""Gymnasium environments of both benchmarks. Importing this package registers their names."""

from topple.envs.registration import register_all

register_all()
