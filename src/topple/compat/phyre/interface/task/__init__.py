"""The original's `task.thrift`."""
