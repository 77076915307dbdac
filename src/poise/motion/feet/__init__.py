"""Feet: where they stand, the way they take in between, and footprints that are moved."""
