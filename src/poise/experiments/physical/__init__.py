"""Experiments about repairs: recordings made physical, as a whole and live."""
