"""The command line: `topple COMMAND`."""
