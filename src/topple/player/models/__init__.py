"""What goes over the wire: every request and every answer has a type here."""
