"""The audit: an independent check of the physics of a take or a clip."""

from __future__ import annotations

from poise.errors import BadValue
from poise.judge.report import AuditReport
from poise.judge.tolerances import Tolerances
from poise.motion.clip import Clip
from poise.take import Take
from poise.threads import on_one_thread


@on_one_thread
def audit(motion: Take | Clip, *, friction: float = 1.0, cutoff: float | None = None,
          tolerances: Tolerances | None = None) -> AuditReport:  # fmt: skip
    """How true the physics of a motion is.

    A take is judged by its recorded forces (see `poise.judge.audit_take`), a bare clip by whether there are any ground
    forces with this `friction` that explain it (see `poise.judge.audit_clip`), with movements above `cutoff` [Hz]
    taken out first where it is given.
    """
    if isinstance(motion, Take):
        from poise.judge.audit_take import audit_take

        return audit_take(motion, tolerances or Tolerances())
    if isinstance(motion, Clip):
        from poise.judge.audit_clip import audit_clip

        return audit_clip(motion, friction, tolerances, cutoff)
    raise BadValue(f"A take or a clip can be audited, not a {type(motion).__name__}.")
