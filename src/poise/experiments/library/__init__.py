"""Experiments about the built-in clips."""
