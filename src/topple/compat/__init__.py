"""The names of the original packages, for code written for them."""
