"""Stand-ins for the original's Thrift objects: plain values with the same names and fields."""
