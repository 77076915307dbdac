"""Wording: what the judges find, in words; here and nowhere else."""
