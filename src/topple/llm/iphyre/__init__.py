"""A language model on I-PHYRE."""
