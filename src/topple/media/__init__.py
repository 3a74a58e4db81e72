"""Frames as files: PNG, GIF, MP4 and contact sheets."""
