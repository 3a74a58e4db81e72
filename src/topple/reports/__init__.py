"""Tables and figures from records, beside the published numbers."""
