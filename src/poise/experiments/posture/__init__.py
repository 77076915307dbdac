"""Experiments of chapter 3 of Ye 2012, beside what our own form of the method does."""
