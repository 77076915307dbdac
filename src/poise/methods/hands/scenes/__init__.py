"""Authored scenes."""
