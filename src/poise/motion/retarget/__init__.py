"""Retargeting: the same motion on another character."""
