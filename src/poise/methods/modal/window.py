"""The choice of the window from the clip: future work in section 9 of the paper."""

from __future__ import annotations

from poise.motion.reference import Reference


def choose(reference: Reference) -> int:
    """How many steps of 1/120 s to plan ahead."""
    return 12
