"""Gymnasium environments of both benchmarks; `registration` names them."""
