"""The compiled engines of both benchmarks."""
