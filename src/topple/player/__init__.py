"""The player in the browser: a local server and a page to play, watch, study and build."""
