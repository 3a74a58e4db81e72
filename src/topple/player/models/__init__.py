"""The types of all requests and answers of the API."""
