"""The original's `scene.thrift`."""
