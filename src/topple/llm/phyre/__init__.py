"""A language model on PHYRE."""
