"""Clips that obey physics, and the library of clips authored here."""
