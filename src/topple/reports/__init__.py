"""Tables, statistics and HTML pages for the results of any benchmark."""
