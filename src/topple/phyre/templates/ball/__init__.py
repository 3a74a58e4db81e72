"""The 25 templates of the tier that places one ball."""
