"""Checking: what a clip holds, and what is wrong with it."""
