"""The physics of I-PHYRE: packed scenes and arrays in, arrays out."""
