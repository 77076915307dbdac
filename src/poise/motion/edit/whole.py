"""Loop and mirror as edits, so that they can stand in a row with the others."""

from __future__ import annotations

from dataclasses import dataclass

from poise.motion.clip import Clip


@dataclass(frozen=True)
class Loop:
    """The best whole cycle of a motion, closed: `clip.loop()`."""

    def apply(self, clip: Clip) -> Clip:
        """The looping clip."""
        from poise.motion.loop import loop

        return loop(clip)


@dataclass(frozen=True)
class Mirror:
    """Left and right exchanged across the plane y = 0: `clip.mirror()`."""

    def apply(self, clip: Clip) -> Clip:
        """The mirrored clip."""
        from poise.motion.mirror import mirror

        return mirror(clip)
