"""The original's `shared.thrift`."""
