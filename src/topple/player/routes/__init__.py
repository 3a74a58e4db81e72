"""The API, a file for each room."""
